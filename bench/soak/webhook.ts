/** The webhook of the soak: it fails now and then, and what came to it is held against the log. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { WholeLog } from "../../packages/legation/test/guarantees/fault-checks.ts";
import { type Received, WebhookServer } from "../../packages/legation/test/push/webhook-server.ts";
import type { Dice } from "./chaos.ts";

/** What a webhook is told of. */
const TOLD = new Set(["created", "status", "artifact"]);

/** One webhook for all tasks of a fleet. */
export class SoakWebhook implements AsyncDisposable {
  readonly #server: WebhookServer;
  readonly #byTask = new Map<string, Received[]>();
  #taken = 0;

  private constructor(server: WebhookServer) {
    this.#server = server;
  }

  static async start(dice: Dice): Promise<SoakWebhook> {
    const server = await WebhookServer.start((_received, response) => {
      if (dice.chance(0.03)) return 503;
      if (!dice.chance(0.02)) return undefined;
      response.destroy();
      return "taken";
    });
    return new SoakWebhook(server);
  }

  get url(): string {
    return this.#server.url();
  }

  /** Requests that came. */
  get requests(): number {
    return this.#server.received.length;
  }

  /**
   * Each event at least once, first times in the order of the log, and the same whenever it comes again. Waits for what
   * is still on its way.
   *
   * @returns how many events it was
   */
  async assertDelivered(taskId: string, { entries }: WholeLog, giveUp: number): Promise<number> {
    const told = entries.filter(({ kind }) => TOLD.has(kind)).map(({ seq }) => seq);
    for (;;) {
      const first = this.#firstTimes(taskId);
      if (told.every((seq) => first.has(seq)) || Date.now() > giveUp) {
        assert.deepEqual([...first.keys()], told, "its webhook was told something else");
        return told.length;
      }
      await sleep(50);
    }
  }

  #firstTimes(taskId: string): ReadonlyMap<number, string> {
    const { received } = this.#server;
    for (; this.#taken < received.length; this.#taken += 1) {
      const one = received[this.#taken] as Received;
      const of = one.id.slice(0, one.id.indexOf(":"));
      this.#byTask.set(of, [...(this.#byTask.get(of) ?? []), one]);
    }
    const first = new Map<number, string>();
    for (const { id, body } of this.#byTask.get(taskId) ?? []) {
      const seq = Number(id.slice(id.indexOf(":") + 1));
      const before = first.get(seq);
      if (before === undefined) first.set(seq, body);
      else assert.equal(body, before, `event ${seq} came again, and was another`);
    }
    return first;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}

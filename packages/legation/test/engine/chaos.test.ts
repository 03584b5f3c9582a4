/** Everything at once: three replicas, a store that misbehaves, kills, and callers who do not care. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Decision, MessageEntry, RunState, TurnStarted } from "../../src/engine/journal.ts";
import { foldRows } from "../../src/engine/projection.ts";
import type { EventRow } from "../../src/engine/store.ts";
import type { Task } from "../../src/model/gen/types.ts";
import type { StreamEvent } from "../../src/operations/service.ts";
import {
  begin,
  dedupeKey,
  drain,
  type Fate,
  type Handler,
  type Life,
  SCOPE,
  say,
  taskOf,
  tell,
  textOf,
  turns,
  World,
} from "./harness.ts";

/** Numbers that are the same for the same seed. */
function createDice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const handler: Handler = async (turn, incoming) => {
  const text = textOf(incoming);
  await turn.artifact({ name: `out ${turn.number}`, parts: [{ text: `${text}:` }] });
  const both = await Promise.all(["a", "b"].map((name) => turn.step(name, () => turns(2).then(() => name))));
  await turn.write("essay", async function* () {
    for (const word of both) {
      await turns(1);
      yield `${word} `;
    }
  });
  if (text.includes("ask")) {
    const answer = textOf(await turn.ask(say("?")));
    await turn.artifact({ name: `out ${turn.number}`, append: true, parts: [{ text: answer }] });
  }
  if (text.includes("sleep")) await turn.sleep(5_000);
  if (text.includes("pause")) return turn.pause(say("more?"));
  return undefined;
};

class Chaos {
  readonly world = new World();
  readonly lives: (Life | undefined)[] = [];
  /** Tasks that were acknowledged, and the texts of the messages to each that were. */
  readonly acknowledged = new Map<string, Set<string>>();
  readonly streams: { readonly id: string; readonly events: StreamEvent[]; isWhole: boolean }[] = [];
  readonly #dice: (sides: number) => number;
  #texts = 0;

  constructor(seed: number) {
    this.#dice = createDice(seed);
    this.world.store.fate = (): Fate => {
      const fates: Fate[] = ["lose", "drop", "unavailable"];
      return fates[this.#dice(40)] ?? "ok";
    };
  }

  get #life(): Life | undefined {
    return this.lives[this.#dice(this.lives.length)];
  }

  async start(): Promise<void> {
    for (let n = 0; n < 3; n++) this.lives.push(await this.world.start(handler, { settings: { maxIdleLogs: 3 } }));
  }

  async act(): Promise<void> {
    const ids = [...this.acknowledged.keys()];
    const id = ids[this.#dice(Math.max(1, ids.length))];
    const roll = this.#dice(20);
    if (roll < 4 || id === undefined) this.#begin();
    else if (roll < 10) this.#tell(id);
    else if (roll < 11) void this.#life?.engine.cancelTask(SCOPE, id).catch(() => {});
    else if (roll < 14) this.#follow(id);
    else if (roll < 16) void this.#life?.engine.getTask(SCOPE, id).catch(() => {});
    else if (roll < 17) await this.#restart();
    else await this.world.clock.advance(this.#dice(6_000));
    await turns(this.#dice(4));
  }

  /** Lets everything come to rest. */
  async settle(): Promise<void> {
    this.world.store.fate = () => "ok";
    for (let n = 0; n < 40; n++) {
      await this.world.clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #text(kind: number): string {
    return `${["plain", "ask", "sleep", "pause"][kind]} ${this.#texts++}`;
  }

  #begin(): void {
    const text = this.#text(this.#dice(4));
    const life = this.#life;
    if (life === undefined) return;
    const twice = [begin(life, text, dedupeKey(text))];
    const other = this.#life;
    if (other !== undefined && this.#dice(3) === 0) twice.push(begin(other, text, dedupeKey(text)));
    for (const sent of twice) {
      sent.then(
        (id) => this.acknowledged.set(id, (this.acknowledged.get(id) ?? new Set()).add(text)),
        () => {},
      );
    }
  }

  #tell(id: string): void {
    const text = this.#text(this.#dice(4));
    const sends = [this.#life, this.#dice(3) === 0 ? this.#life : undefined];
    for (const life of sends) {
      if (life === undefined) continue;
      tell(life, id, text, dedupeKey(text)).then(
        () => this.acknowledged.get(id)?.add(text),
        () => {},
      );
    }
  }

  #follow(id: string): void {
    const stream = { id, events: [] as StreamEvent[], isWhole: false };
    this.streams.push(stream);
    const subscribed = this.#life?.engine.subscribe(SCOPE, id, { until: "terminal" });
    void subscribed
      ?.then((events) => drain(events, stream.events))
      .then(() => {
        stream.isWhole = true;
      })
      .catch(() => {});
  }

  async #restart(): Promise<void> {
    const n = this.#dice(this.lives.length);
    if (this.#dice(3) === 0) await this.lives[n]?.engine.stop({ graceMs: 0 }).catch(() => {});
    else this.lives[n]?.crash();
    this.lives[n] = undefined;
    this.lives[n] = await this.world.start(handler, { settings: { maxIdleLogs: 3 } });
  }
}

function payloads<T>(entries: readonly EventRow[], kind: EventRow["kind"]): readonly T[] {
  return entries.flatMap((entry) => (entry.kind === kind ? [JSON.parse(entry.payload) as T] : []));
}

/** Every message was taken once, waits, or is said not to have been. */
function assertMailbox(entries: readonly EventRow[], run: RunState): void {
  const messages = entries.filter((entry) => entry.kind === "message").map((entry) => entry.seq);
  const taken = [
    ...payloads<TurnStarted>(entries, "turn").map((turn) => turn.message),
    ...payloads<Decision>(entries, "decision").flatMap((decision) => decision.message ?? []),
    ...payloads<{ seq: number }>(entries, "message.unprocessed").map(({ seq }) => seq),
    ...run.mailbox,
  ];
  assert.deepEqual(
    taken.sort((a, b) => a - b),
    messages,
  );
}

function assertDecisions(entries: readonly EventRow[]): void {
  let turn = 0;
  const seen = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "turn") turn = (JSON.parse(entry.payload) as TurnStarted).turn;
    if (entry.kind !== "decision") continue;
    const { kind, name, occurrence } = JSON.parse(entry.payload) as Decision;
    const key = `${turn} ${kind} ${name} ${occurrence}`;
    assert.ok(!seen.has(key), `${key} is recorded twice`);
    seen.add(key);
  }
}

describe("chaos", () => {
  for (let seed = 1; seed <= 25; seed++) {
    it(`loses nothing that was acknowledged, repeats nothing that was recorded, and shows one order [seed ${seed}]`, async () => {
      const chaos = new Chaos(seed);
      await chaos.start();
      for (let n = 0; n < 150; n++) await chaos.act();
      await chaos.settle();
      const reader = chaos.lives.find((life) => life !== undefined) as Life;
      for (const [id, texts] of chaos.acknowledged) {
        const row = await chaos.world.store.task(id);
        assert.ok(row !== undefined, `task ${id} is lost`);
        const entries = await chaos.world.entries(id);
        const where = `task ${id}: ${row.state} held ${row.held} holder ${row.holder} due ${row.due}`;
        // A task may have been on whatever was killed five times in a row.
        const gaveUp = reader.engine !== undefined && entries.at(-1)?.payload.includes("was stopped 5 times") === true;
        if (!gaveUp) assert.match(row.state, /COMPLETED|CANCELED|INPUT_REQUIRED/, where);
        assert.equal(row.held, null, where);
        assert.equal(row.holder, null, where);
        const run = JSON.parse(row.run) as RunState;
        assertMailbox(entries, run);
        assertDecisions(entries);
        const heard = payloads<MessageEntry>(entries, "message").map((entry) => entry.message.parts[0]?.text);
        assert.equal(new Set(heard).size, heard.length, "a message was accepted twice");
        for (const text of texts) assert.ok(heard.includes(text), `message ${text} of ${id} is lost`);
        const task = await taskOf(reader, id);
        const folded = foldRows(undefined, entries)?.task as Task;
        assert.deepEqual(task, JSON.parse(JSON.stringify(folded)));
        for (const artifact of task.artifacts ?? []) {
          if (artifact.name !== "essay" || row.state !== "TASK_STATE_COMPLETED") continue;
          assert.equal(artifact.parts.map((part) => part.text).join(""), "a b ");
        }
      }
      for (const { id, events, isWhole } of chaos.streams) {
        const [first, ...rest] = events;
        if (first === undefined) continue;
        const shown = (await chaos.world.entries(id)).filter(
          ({ kind, seq }) => seq > (first.seq ?? 0) && (kind === "status" || kind === "artifact"),
        );
        const expected = isWhole ? shown : shown.slice(0, rest.length);
        assert.deepEqual(
          rest.map((event) => [event.seq, event.json]),
          expected.map(({ seq, payload }) => [seq, payload]),
        );
      }
    });
  }
});

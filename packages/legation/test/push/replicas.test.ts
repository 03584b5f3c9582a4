// The outbox of several replicas on one PostgreSQL: nobody delivers twice while all live, and nothing is lost when one dies.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { PushSettings } from "../../src/engine/push-options.ts";
import { createPostgresStore } from "../../src/stores/postgres/store.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { type Handler, type PushingHost, pushingHost } from "./pushing-host.ts";
import { type Received, shortOf, WebhookServer } from "./webhook-server.ts";

const TASKS = 40;
const EVENTS = ["task:SUBMITTED", "WORKING", "a.txt", "b.txt", "COMPLETED"];

const work: Handler = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  await task.sleep(20);
  await task.artifact("b.txt", { text: "two" });
};

const server = await startPostgres();

async function replica(schema: string, push: Partial<PushSettings> = {}): Promise<PushingHost> {
  const store = createPostgresStore({ dsn: server?.dsn, schema, pollMs: 100, maxConnections: 4 });
  // A machine that stalls must not look like a webhook that hangs.
  const settings = { timeoutMs: 20_000, lingerMs: 50, ...push };
  return pushingHost(work, { settings }, { store, settings: { leaseMs: 1_000 } });
}

const byTask = (received: readonly Received[]): Map<string, Received[]> =>
  Map.groupBy(received, ({ id }) => id.split(":")[0] ?? "");

const isOver = (hook: WebhookServer): boolean =>
  new Set(hook.received.filter((one) => shortOf(one) === "COMPLETED").map(({ id }) => id)).size === TASKS;

async function sendAll(replicas: readonly PushingHost[], url: string): Promise<void> {
  const sends = Array.from({ length: TASKS }, (_, n) =>
    replicas[n % replicas.length]?.client.send(`task ${n}`, { push: { url }, returnImmediately: true }),
  );
  await Promise.all(sends);
}

if (server !== undefined) {
  after(() => server.stop());

  describe("push notifications of two replicas", () => {
    it("each event of each task comes once, in order", { timeout: 60_000 }, async () => {
      await using hook = await WebhookServer.start();
      await using one = await replica("push_once");
      await using two = await replica("push_once");
      await sendAll([one, two], hook.url());
      await hook.until(isOver, 50_000);
      for (const received of byTask(hook.received).values()) assert.deepEqual(received.map(shortOf), EVENTS);
    });

    it("a replica that dies in the middle of its deliveries leaves them to the other", {
      timeout: 60_000,
    }, async () => {
      await using hook = await WebhookServer.start();
      const one = await replica("push_dies", { leaseMs: 2_500 });
      await using two = await replica("push_dies", { leaseMs: 2_500 });
      await sendAll([one, two], hook.url());
      await hook.until(({ received }) => received.length > TASKS);
      one.host.engine.abandon();
      await hook.until(isOver, 50_000);
      for (const received of byTask(hook.received).values()) {
        const first = new Map(received.map((event) => [event.id, event]));
        assert.deepEqual([...first.values()].map(shortOf), EVENTS);
      }
      await one.host.close({ graceMs: 0 });
    });
  });
}

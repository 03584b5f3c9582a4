/** Every event reaches every webhook, whatever dies or fails in between, in the order of its log. */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../src/client/connect.ts";
import { type ServerProcess, startServer, temporaryFolder } from "../cli/rehearsal-process.ts";
import { pushingHost } from "../push/pushing-host.ts";
import { type Received, shortOf, WebhookServer } from "../push/webhook-server.ts";

const SCRIPT = path.resolve(import.meta.dirname, "../push/push-server.ts");
const CHUNKS = 20;

const seqOf = ({ id }: Received): number => Number(id.split(":")[1]);

/** Holds what came against what a webhook is promised; what came again must be the same. */
function assertWhole(received: readonly Received[], expected: readonly string[]): void {
  const first = new Map<string, Received>();
  let last = 0;
  for (const one of received) {
    const before = first.get(one.id);
    if (before === undefined) {
      assert.ok(seqOf(one) > last, `${one.id} came after ${last}`);
      last = seqOf(one);
      first.set(one.id, one);
    } else assert.equal(one.body, before.body);
  }
  assert.deepEqual([...first.values()].map(shortOf), expected);
}

describe("push-arrives: kill -9", () => {
  const expected = ["task:SUBMITTED", "WORKING", ...Array.from({ length: CHUNKS }, () => "log.txt"), "COMPLETED"];
  const moments = {
    "between the request and its answer": (kill: () => void): undefined => void kill(),
    "between the answer and the move of the cursor": (kill: () => void): number => {
      setImmediate(kill);
      return 204;
    },
  };
  for (const [moment, answer] of Object.entries(moments)) {
    for (const at of [1, 2, 9, CHUNKS + 3]) {
      it(`${moment} of request ${at}: everything comes, what comes twice has the same id`, {
        timeout: 60_000,
      }, async (t) => {
        const cwd = temporaryFolder(t);
        const args = (port: number): string[] => ["sqlite:./push.db", String(port)];
        let server: ServerProcess = await startServer(t, SCRIPT, args(0), cwd);
        const killed = Promise.withResolvers<void>();
        await using hook = await WebhookServer.start((_received, response) => {
          if (hook.received.length !== at) return undefined;
          const status = answer(() => void server.kill().then(killed.resolve));
          if (status === undefined) response.on("close", () => {});
          return status ?? "taken";
        });
        const client = await connect(server.url);
        const push = { url: hook.url() };
        // The kill may come before the answer to this; the task is there all the same.
        await client.send("go", { push, returnImmediately: true }).catch(() => undefined);
        await killed.promise;
        server = await startServer(t, SCRIPT, args(server.port), cwd);
        // The last request may have been written down before the kill: then nothing has to come again.
        const isLast = at === expected.length;
        const isAgain = hook.until(
          ({ received }) => received.slice(at).some((one) => shortOf(one) === "COMPLETED"),
          isLast ? 3_000 : 30_000,
        );
        await isAgain.catch((late: unknown) => {
          if (!isLast) throw late;
        });
        assertWhole(hook.received, expected);
      });
    }
  }
});

describe("push-arrives: webhooks that misbehave", () => {
  it("one that fails, hangs, redirects, dies and comes back gets every event of 1,000 tasks, each task in order", {
    timeout: 120_000,
  }, async () => {
    const tasks = 1_000;
    let request = 0;
    await using hook = await WebhookServer.start((_received, response) => {
      request += 1;
      switch (request % 13) {
        case 3:
          return 500;
        case 6:
          response.writeHead(302, { location: "/elsewhere" }).end();
          return "taken";
        case 9:
          response.destroy();
          return "taken";
        default:
          return request % 97 === 0 ? "taken" : undefined;
      }
    });
    await using pushing = await pushingHost(() => "done", { settings: { maxAttempts: 50 } });
    const { client } = pushing;
    for (let from = 0; from < tasks; from += 50) {
      const batch = Array.from({ length: 50 }, () =>
        client.send("go", { push: { url: hook.url() }, returnImmediately: true }),
      );
      await Promise.all(batch);
    }
    const ended = new Set<string>();
    let looked = 0;
    const isOver = (server: WebhookServer): boolean => {
      for (; looked < server.received.length; looked += 1) {
        const one = server.received[looked] as Received;
        if (shortOf(one) === "COMPLETED") ended.add(one.id);
      }
      return ended.size === tasks;
    };
    await hook.until(isOver, 100_000);
    const outbox = pushing.host.outbox ?? assert.fail("no webhooks are wired");
    while ((await outbox.list({ status: "pending" })).entries.length > 0) await sleep(20);
    const byTask = Map.groupBy(hook.received, ({ id }) => id.split(":")[0] ?? "");
    assert.equal(byTask.size, tasks);
    for (const received of byTask.values()) assertWhole(received, ["task:SUBMITTED", "WORKING", "COMPLETED"]);
    assert.deepEqual(hook.at("/elsewhere"), []);
  });
});

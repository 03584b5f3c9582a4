import assert from "node:assert/strict";
import test from "node:test";
import { createPushReceiver } from "../client/push-receiver.ts";
import { createAgent } from "../server/agent.ts";
import type { AgentOptions } from "../server/agent-options.ts";
import { pair } from "./pair.ts";

const HOOK = "https://client.test/hook";
const HOUR_MS = 3_600_000;

function agentWith(onTask: NonNullable<AgentOptions["onTask"]>): ReturnType<typeof createAgent> {
  return createAgent({ name: "Surveyor", description: "Surveys.", version: "1.0.0", onTask });
}

const survey = agentWith(async (task) => {
  await task.artifact("depths.csv", { text: "31\n" });
  await task.sleep(HOUR_MS);
  await task.artifact("depths.csv", { text: "44\n", append: true });
});

test("a receiver takes what is pushed, without a socket, and a run is fed from it", async () => {
  const receiver = createPushReceiver({ verify: { token: "secret" } });
  const t = await pair(survey, { push: receiver });
  assert.equal(t.client.card.capabilities.pushNotifications, true);
  const sent = await t.client.send("go", { push: { url: HOOK, token: "secret" }, returnImmediately: true });
  assert.ok(sent.kind === "task");
  const run = t.client.subscribe(sent.id, { from: receiver });
  const result = run.result;
  await t.clock.advance(HOUR_MS);
  const done = await result;
  assert.ok(done.kind === "task" && done.state === "COMPLETED");
  assert.equal(await done.artifact("depths.csv")?.text(), "31\n44\n");
  await t.close();
});

test("without it nothing is pushed, and the card says so", async () => {
  const t = await pair(survey);
  assert.equal(t.client.card.capabilities.pushNotifications, false);
  await assert.rejects(t.client.send("go", { push: { url: HOOK } }), /push notifications/);
  await t.close();
});

test("webhooks fail and hang by the clock of the pair, and a crash between two events loses none", async () => {
  const ids: string[] = [];
  let answer: () => Promise<Response> = () => new Promise(() => undefined);
  const push = {
    settings: { timeoutMs: 1_000, retryMs: 10_000, retryFactor: 1 },
    random: () => 0.5,
    async fetch(request: Request): Promise<Response> {
      ids.push(request.headers.get("a2a-event-id")?.split(":")[1] ?? "");
      return answer();
    },
  };
  const t = await pair(survey, { push });
  await t.client.send("go", { push: { url: HOOK }, returnImmediately: true });
  await t.clock.advance(999);
  assert.deepEqual(ids, ["1"], "it hangs as long as the clock stands");
  answer = async () => Response.json({}, { status: 503, headers: { "retry-after": "60" } });
  await t.clock.advance(5_100);
  assert.deepEqual(ids, ["1", "1"]);
  await t.clock.advance(59_000);
  assert.deepEqual(ids, ["1", "1"], "Retry-After is engine time too");
  answer = async () => new Response(null, { status: 204 });
  await t.clock.advance(2_000);
  const before = ids.length;
  assert.ok(before > 2);
  await t.crash();
  await t.clock.advance(HOUR_MS);
  const seqs = ids.slice(2).map(Number);
  assert.deepEqual(
    seqs,
    [...new Set(seqs)].sort((a, b) => a - b),
    "in order, each once",
  );
  assert.ok(seqs.length > before - 2, "what came after the crash is pushed too");
  await t.close();
});

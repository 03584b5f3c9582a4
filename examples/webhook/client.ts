import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "legation/client";
import { createPushReceiver } from "legation/push";

const token = crypto.randomUUID();
const told: string[] = [];
let failures = 1;

const receiver = createPushReceiver({
  verify: { token },
  onEvent({ event }) {
    // A webhook that fails is called again: nothing is lost, and what was taken is not taken twice.
    if (failures-- > 0) throw new Error("the database is away for a moment");
    const { statusUpdate, artifactUpdate, task } = event;
    const state = task?.status.state ?? statusUpdate?.status.state;
    told.push(state ?? `${artifactUpdate?.artifact.name}: ${artifactUpdate?.artifact.parts[0]?.text}`);
  },
});
const server = createServer((request, response) => void receiver.node(request, response)).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const address = server.address();
assert.ok(typeof address === "object" && address !== null);

const survey = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");
const push = { url: `http://127.0.0.1:${address.port}/`, token };
const sent = await survey.send("the Abrolhos shelf", { push, returnImmediately: true });
assert.ok(sent.kind === "task" && sent.state !== "COMPLETED");

// No stream and no poll: the run is fed by what comes to the webhook.
const run = survey.subscribe(sent.id, { from: receiver });
const done = await run.result;
assert.ok(done.kind === "task");
assert.equal(done.state, "COMPLETED");
assert.equal(await done.artifact("soundings.csv")?.text(), "depth\n31\n44\n");
assert.deepEqual(told, [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_WORKING",
  "soundings.csv: depth\n31\n",
  "soundings.csv: 44\n",
  "TASK_STATE_COMPLETED",
]);
const took = Date.parse(done.raw.status.timestamp ?? "") - Date.parse(sent.raw.status.timestamp ?? "");
assert.ok(took >= 2 * 3_600_000, `the survey took ${took} ms of its own time`);

console.log(told.join("\n"));
server.close();

import assert from "node:assert/strict";
import path from "node:path";
import { it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

it("task authorize grants what a task asks for, through the store of another process", {
  timeout: 30_000,
}, async (t) => {
  const store = `sqlite:${path.join(temporaryFolder(t), "agent.db")}`;
  const server = await startRehearsal(t, { cwd: import.meta.dirname, store });
  const client = await connect(server.url);
  const script = { rehearse: [{ requestAuth: "may I book it?" }, { end: "COMPLETED" }] };
  const asked = await client.send({ parts: [{ data: script }] });
  assert.ok(asked.kind === "task" && asked.state === "AUTH_REQUIRED");
  const authorize = (...args: readonly string[]): ReturnType<typeof runCli> =>
    runCli(["task", "authorize", asked.id, "--store", store, ...args]);

  const shown = await authorize("--show", "-o", "json");
  const { request } = shown.json() as { request: string };
  assert.ok(request.length > 8);
  const other = await authorize("--request", `${request}x`);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /asks for another authorisation by now/);
  assert.equal((await client.task(asked.id)).state, "AUTH_REQUIRED");

  const granted = await authorize("--request", request);
  assert.deepEqual([granted.code, granted.field("Done")], [0, "authorize"]);
  const done = await client.subscribe(asked.id).result.catch(() => client.task(asked.id));
  assert.ok(done.kind === "task" && done.state === "COMPLETED");

  const again = await authorize();
  assert.equal(again.code, 1);
  assert.match(again.stderr, /does not wait for an authorisation|has ended/);
  assert.equal((await runCli(["task", "authorize", "t-none", "--store", store])).code, 1);
  assert.equal((await runCli(["task", "authorize", "t-none"])).code, 2);
  const nothing = await authorize("--show");
  assert.equal(nothing.field("Request"), "none");
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ListTasksResponse, Task } from "../../src/model/gen/types.ts";
import { fakeTask, startFakeAgent } from "./fake-agent.ts";
import { startRehearsal } from "./rehearsal-process.ts";
import { runCli, script } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const agent = ["-a", server.url];

async function begin(...steps: readonly object[]): Promise<Task> {
  return (await runCli(["send", ...agent, "-o", "json", "--async", "--data", script(...steps)])).task();
}

describe("task get, cancel, list and subscribe", () => {
  it("A2ACLI_TASK_GET_001 gives state, artifacts and history, and strips nothing", async () => {
    const { id } = (await runCli(["send", ...agent, "-o", "json", "hello"])).task();
    const task = (await runCli(["task", "get", ...agent, "-o", "json", "--history", "5", id])).task();
    assert.equal(task.artifacts?.[0]?.parts[0]?.text, "hello");
    assert.equal(task.history?.[0]?.parts[0]?.text, "hello");
    const none = (await runCli(["task", "get", ...agent, "-o", "json", "--history", "0", id])).task();
    assert.equal(none.history, undefined);
    const text = await runCli(["task", "get", ...agent, "--history", "5", id]);
    assert.equal(text.field("Task"), id);
    assert.match(text.stdout, /^Artifact text:\n {2}hello\n\n/m);
    assert.match(text.stdout, /^History text:\n {2}hello\n\n/m);
    const missing = await runCli(["task", "get", ...agent, "-o", "json", "nowhere"]);
    assert.deepEqual([missing.code, missing.error().code, missing.error().a2aCode], [1, "TaskNotFoundError", -32001]);
  });

  it("A2ACLI_TASK_CANCEL_001 cancels, again without complaint, and says what a finished task cannot", async () => {
    const { id } = await begin({ wait: 60_000 });
    const first = await runCli(["task", "cancel", ...agent, id]);
    assert.deepEqual([first.code, first.field("State")], [0, "CANCELED"]);
    const again = await runCli(["task", "cancel", ...agent, "-o", "json", id]);
    assert.deepEqual([again.code, again.task().status.state], [0, "TASK_STATE_CANCELED"]);
    const done = (await runCli(["send", ...agent, "-o", "json", "hello"])).task();
    const late = await runCli(["task", "cancel", ...agent, "-o", "json", done.id]);
    assert.deepEqual([late.code, late.error().code], [1, "TaskNotCancelableError"]);
  });

  it("A2ACLI_TASK_CANCEL_001 an agent that refuses leaves the task as it is", async () => {
    const { id } = await begin({ refuseCancel: true }, { state: "WORKING" }, { wait: 0 }, { ask: "well?" });
    await runCli(["task", "get", ...agent, "--wait", "--poll-interval", "50ms", id]);
    const stubborn = await begin({ refuseCancel: true }, { stream: { name: "a", chunks: 200, bytes: 4, everyMs: 10 } });
    await runCli(["task", "get", ...agent, stubborn.id]);
    const refused = await runCli(["task", "cancel", ...agent, "-o", "json", stubborn.id]);
    assert.equal(refused.error().code, "TaskNotCancelableError");
    const end = await runCli(["task", "get", ...agent, "--wait", "--poll-interval", "50ms", "-o", "json", stubborn.id]);
    assert.equal(end.task().status.state, "TASK_STATE_COMPLETED");
  });

  it("A2ACLI_TASK_POLL_001 gets once, or with --wait until the task ends", async () => {
    const { id } = await begin({ state: "WORKING" }, { wait: 400 }, { end: "COMPLETED" });
    const once = (await runCli(["task", "get", ...agent, "-o", "json", id])).task();
    assert.match(once.status.state, /SUBMITTED|WORKING/);
    for (const flag of ["--wait", "--watch"]) {
      const waited = await runCli(["task", "get", ...agent, flag, "--poll-interval", "50ms", "-o", "json", id]);
      assert.deepEqual([waited.code, waited.task().status.state], [0, "TASK_STATE_COMPLETED"]);
    }
  });

  it("A2ACLI_TASK_POLL_002 keeps to --poll-interval and --timeout, and names the task when time is up", async (t) => {
    const fake = await startFakeAgent(t, () => ({ result: fakeTask("TASK_STATE_WORKING") }));
    const flags = ["--wait", "--poll-interval", "100ms", "--timeout", "550ms", "-o", "json", "task-1"];
    const { code, error } = await runCli(["task", "get", "-a", fake.url, ...flags]);
    assert.deepEqual([code, error().code], [5, "A2ACLI_ERR_TIMEOUT"]);
    assert.match(error().message, /task-1/);
    assert.match(error().hint ?? "", /^legation task get .* --wait task-1$/);
    assert.ok(fake.calls.length >= 2 && fake.calls.length <= 6, `${fake.calls.length} requests`);
  });

  it("A2ACLI_TASK_POLL_003 stops at once where the caller has to act, and waits through an unspecified state", async (t) => {
    for (const state of ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"]) {
      const fake = await startFakeAgent(t, () => ({ result: fakeTask(state) }));
      const { code, task } = await runCli(["task", "get", "-a", fake.url, "--wait", "-o", "json", "task-1"]);
      assert.deepEqual([code, task().status.state, fake.calls.length], [0, state, 1]);
    }
    const odd = await startFakeAgent(t, (_, count) => ({
      result: fakeTask(count < 3 ? "TASK_STATE_UNSPECIFIED" : "TASK_STATE_COMPLETED"),
    }));
    const flags = ["--wait", "--poll-interval", "50ms", "-o", "json", "task-1"];
    assert.equal((await runCli(["task", "get", "-a", odd.url, ...flags])).task().status.state, "TASK_STATE_COMPLETED");
    assert.equal(odd.calls.length, 3);
    const once = await startFakeAgent(t, () => ({ result: fakeTask("TASK_STATE_UNSPECIFIED") }));
    const shown = await runCli(["task", "get", "-a", once.url, "-o", "json", "task-1"]);
    assert.deepEqual([shown.code, shown.task().status.state], [0, "TASK_STATE_UNSPECIFIED"]);
  });

  it("A2ACLI_TASK_POLL_004 asks for the task when the stream breaks and cannot be resumed", async (t) => {
    const fake = await startFakeAgent(t, ({ method }, count) => {
      if (method === "SendStreamingMessage") return { events: [{ task: fakeTask("TASK_STATE_WORKING") }], isCut: true };
      if (method === "SubscribeToTask") return { error: { code: -32004, message: "no subscription here" } };
      return { result: fakeTask(count < 2 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED") };
    });
    const flags = ["--poll-interval", "50ms", "-o", "json"];
    const { code, task } = await runCli(["send", "-a", fake.url, ...flags, "hello"]);
    assert.deepEqual([code, task().status.state], [0, "TASK_STATE_COMPLETED"]);
    const live = await runCli(["send", "-a", fake.url, ...flags, "--stream", "hello"]);
    assert.equal(live.code, 0);
    const last = live.lines().at(-1);
    assert.equal(last?.task?.status.state ?? last?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  });

  it("stops at AUTH_REQUIRED though the stream stays open", async () => {
    const { code, task, stderr } = await runCli([
      "send",
      ...agent,
      "-o",
      "json",
      "--data",
      script({ requestAuth: "may I?" }),
    ]);
    assert.deepEqual([code, task().status.state], [0, "TASK_STATE_AUTH_REQUIRED"]);
    assert.match(stderr, /AUTH_REQUIRED/);
  });

  it("A2ACLI_TASK_LIST_001 filters by state and context, page by page, or all pages at once", async () => {
    const contextId = `list-${process.pid}`;
    for (const text of ["1", "2", "3"]) await runCli(["send", ...agent, "--context-id", contextId, text]);
    await runCli(["send", ...agent, "--context-id", contextId, "--data", script({ ask: "?" })]);
    const filter = [...agent, "-o", "json", "--context-id", contextId];
    const page = (await runCli(["task", "list", ...filter, "--page-size", "3"])).json() as ListTasksResponse;
    assert.deepEqual([page.tasks.length, page.totalSize], [3, 4]);
    const rest = (
      await runCli(["task", "list", ...filter, "--page-token", page.nextPageToken, "--page-size", "3"])
    ).json();
    assert.equal((rest as ListTasksResponse).tasks.length, 1);
    const all = (await runCli(["task", "list", ...filter, "--page-size", "3", "--all"])).json() as ListTasksResponse;
    assert.deepEqual([all.tasks.length, all.nextPageToken], [4, ""]);
    const open = (await runCli(["task", "list", ...filter, "--status", "input-required"])).json() as ListTasksResponse;
    assert.equal(open.tasks.length, 1);
    assert.equal((await runCli(["task", "list", ...filter, "--status", "PENDING"])).code, 2);
  });

  it("A2ACLI_TASK_SUBSCRIBE_001 follows a task to its end, as lines or as one document", async () => {
    const { id } = await begin({ wait: 300 }, { artifact: { name: "a", text: "x" } }, { end: "COMPLETED" });
    const both = [
      runCli(["task", "subscribe", ...agent, "-o", "json", "--stream", id]),
      runCli(["task", "subscribe", ...agent, "-o", "json", id]),
    ];
    const [live, one] = await Promise.all(both);
    assert.equal(live?.lines()[0]?.task?.id, id);
    assert.equal(live?.lines().at(-1)?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
    assert.equal(one?.task().artifacts?.[0]?.parts[0]?.text, "x");
    const late = await runCli(["task", "subscribe", ...agent, "-o", "json", "nowhere"]);
    assert.deepEqual([late.code, late.error().code], [1, "TaskNotFoundError"]);
  });
});

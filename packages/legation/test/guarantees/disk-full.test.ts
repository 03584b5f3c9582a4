/** A disk without room: a clear error, nothing damaged, and everything goes on once there is room again. */
import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { type RawAnswer, rawCall, rawSend } from "./raw-send.ts";

it("disk-full: the caller is told UNAVAILABLE, what was acknowledged is whole and goes on [sqlite]", async (t) => {
  const file = path.join(temporaryFolder(t), "full.db");
  const narrow = await serve(createRehearsalAgent().agent, {
    store: createSqliteStore(file, { maxBytes: 600_000 }),
    settings: { storeWaitMs: 500 },
    log: false,
  });
  const asking = { rehearse: [{ ask: "go on?" }, { end: "COMPLETED", text: "done" }] };
  const parked: string[] = [];
  let refused: RawAnswer | undefined;
  while (refused === undefined) {
    const answer = await rawSend(narrow.url, { parts: [{ data: asking }, { text: "x".repeat(60_000) }] });
    if (answer.task === undefined) refused = answer;
    else parked.push(answer.task.id);
  }
  assert.equal(refused.reason, "UNAVAILABLE");
  assert.ok(parked.length > 3);
  // Reading needs no room.
  for (const id of parked) assert.equal((await rawCall(narrow.url, "GetTask", { id })).task?.id, id);
  await narrow.close({ graceMs: 0 });

  const db = new DatabaseSync(file);
  assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  db.close();
  await using wide = await serve(createRehearsalAgent().agent, { store: createSqliteStore(file), log: false });
  const again = await connect(wide.url);
  for (const id of parked) {
    const asked = await (await again.task(id)).wait();
    assert.equal(asked.state, "INPUT_REQUIRED");
    const done = await again.send("yes", { taskId: id });
    assert.equal(done.kind === "task" && done.state, "COMPLETED");
  }
});

it("disk-full: whoever waits for an accepted task is told so in time, and the task is finished when there is room", async (t) => {
  const file = path.join(temporaryFolder(t), "full.db");
  const narrow = await serve(createRehearsalAgent().agent, {
    store: createSqliteStore(file, { maxBytes: 600_000 }),
    settings: { storeWaitMs: 300, leaseMs: 1_500 },
    log: false,
  });
  // There is room for the task, and not for what it says.
  const rehearse = [{ stream: { name: "a.txt", chunks: 1_000, bytes: 1_000 } }, { end: "COMPLETED", text: "done" }];
  const messageId = "accepted";
  const told = await rawSend(narrow.url, { parts: [{ data: { rehearse } }], messageId, returnImmediately: false });
  assert.equal(told.reason, "UNAVAILABLE");
  assert.match(told.message, /task \S+ is stored, but the store cannot take what follows now; it goes on by itself/);
  const id = /task (\S+) is stored/.exec(told.message)?.[1] ?? "";
  assert.equal((await rawCall(narrow.url, "GetTask", { id })).task?.id, id);
  await narrow.close({ graceMs: 0 });

  await using wide = await serve(createRehearsalAgent().agent, { store: createSqliteStore(file), log: false });
  const again = await rawSend(wide.url, { parts: [{ data: { rehearse } }], messageId, returnImmediately: false });
  assert.equal(again.task?.id, id);
  assert.equal(again.task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(again.task?.artifacts?.[0]?.parts.map((part) => part.text).join("").length, 1_000_000);
});

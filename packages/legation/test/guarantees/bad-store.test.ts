/**
 * Stores that are not as they should be, as the people around them see it: the operator is told which file and which row,
 * and what to do; a caller is told nothing of either; what is fine goes on.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { inspect } from "node:util";
import { serve } from "../../src/hosts/node/serve.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { runCli } from "../cli/run-cli.ts";
import { rawCall, rawSend } from "./raw-send.ts";

function alter(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

it("bad-store: a row that cannot be read fails its own task alone, and the operator's log names it", async (t) => {
  const file = path.join(temporaryFolder(t), "corrupt.db");
  const lines: string[] = [];
  const note = (details: object): void => void lines.push(inspect(details));
  const log = { debug: note, info: note, warn: note, error: note };
  const ask = [{ data: { rehearse: [{ ask: "go on?" }, { end: "COMPLETED" }] } }];
  const settings = { store: `sqlite:${file}`, log };
  const first = await serve(createRehearsalAgent().agent, settings);
  const [bad, good] = [await rawSend(first.url, { parts: ask }), await rawSend(first.url, { parts: ask })];
  assert.ok(bad.task !== undefined && good.task !== undefined);
  await first.close();
  alter(file, `UPDATE tasks SET run = '{' WHERE id = '${bad.task.id}'`);
  await using host = await serve(createRehearsalAgent().agent, settings);
  const refused = await rawCall(host.url, "GetTask", { id: bad.task.id });
  assert.equal(refused.reason, "INTERNAL");
  assert.doesNotMatch(refused.message, /run|column|sqlite/);
  assert.match(lines.join("\n"), new RegExp(`task ${bad.task.id}: column run cannot be read: restore the row`));
  const answered = await rawSend(host.url, {
    taskId: good.task.id,
    parts: [{ text: "yes" }],
    returnImmediately: false,
  });
  assert.equal(answered.task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal((await rawSend(host.url, { parts: [{ text: "hello" }] })).reason, undefined);
});

it("bad-store: a schema that is newer is refused by the host and by the command line, and nothing is changed", async (t) => {
  const file = path.join(temporaryFolder(t), "newer.db");
  await (await serve(createRehearsalAgent().agent, { store: `sqlite:${file}`, log: false })).close();
  alter(file, "INSERT INTO legation_migrations (version, name, checksum) VALUES (999, 'later', 'x')");
  const text = /sqlite file \S+newer\.db has schema version 999, this program knows up to \d+: use a newer legation/;
  await assert.rejects(serve(createRehearsalAgent().agent, { store: `sqlite:${file}`, log: false }), { message: text });
  for (const command of [
    ["db", "status"],
    ["task", "list", "--held"],
    ["task", "fail", "none"],
    ["demo-server", "--port", "0"],
  ]) {
    const { code, stderr } = await runCli([...command, "--store", `sqlite:${file}`]);
    assert.notEqual(code, 0, command.join(" "));
    assert.match(stderr, text, command.join(" "));
  }
});

/** `legation task list --held`: what waits for an operator, read from the store while a server serves it. */
import assert from "node:assert/strict";
import path from "node:path";
import { it } from "node:test";
import { createAgent } from "../../src/server/agent.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { pair } from "../../src/testing/pair.ts";
import { temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

it("lists the held tasks of every agent, with the reason, and how to let them go on", async (t) => {
  const file = path.join(temporaryFolder(t), "held.db");
  const url = `sqlite:${file}`;
  const agent = (version: string, step: string) =>
    createAgent({
      name: "planner",
      description: "For a test.",
      version,
      async onTask(task) {
        await task.step(step, () => 1);
        await task.ask("go on?");
      },
    });
  const first = await pair(agent("1", "price"), { store: createSqliteStore(file) });
  const asked = await first.client.send("go");
  assert.ok(asked.kind === "task" && asked.state === "INPUT_REQUIRED");
  await first.close();
  await using site = await pair(agent("2", "cost"), { store: createSqliteStore(file) });
  assert.equal((await runCli(["task", "list", "--held", "--store", url])).stdout, "Total: 0\n");
  const run = await site.client.task(asked.id);
  void run.reply("yes", { returnImmediately: true }).catch(() => {});
  let listed = await runCli(["task", "list", "--held", "--store", url, "--progress"]);
  while (listed.field("Total") === "0") {
    await site.clock.advance(100);
    listed = await runCli(["task", "list", "--held", "--store", url, "--progress"]);
  }
  assert.deepEqual(
    [listed.field("Task"), listed.field("State"), listed.field("Total")],
    [asked.id, "INPUT_REQUIRED", "1"],
  );
  assert.match(listed.field("Held") ?? "", /the journal has step "price"/);
  assert.match(listed.stderr, /let one go on: legation task retry --store/);
  const json = (await runCli(["task", "list", "--held", "--store", url, "-o", "json"])).json();
  const { tasks, totalSize } = json as { tasks: { taskId: string; agent: string }[]; totalSize: number };
  assert.deepEqual([tasks[0]?.taskId, tasks[0]?.agent, totalSize], [asked.id, "planner", 1]);
  const lines = await runCli(["task", "list", "--held", "--store", url, "-o", "json", "--stream"]);
  assert.equal((JSON.parse(lines.stdout) as { taskId: string }).taskId, asked.id);
  const both = await runCli(["task", "list", "--held", "--store", url, "--status", "WORKING"]);
  assert.match(both.stderr, /--held and --status exclude each other/);
  const nowhere = await runCli(["task", "list", "--held"]);
  assert.deepEqual([nowhere.code, /memory: has no database|name one with --store/.test(nowhere.stderr)], [2, true]);
});

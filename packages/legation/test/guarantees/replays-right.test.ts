/** After a crash a handler runs again from the top, and comes to the same place. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { startServer, temporaryFolder } from "../cli/rehearsal-process.ts";

const SERVER = path.join(import.meta.dirname, "guarantee-server.ts");

describe("replays-right", () => {
  it("two steps under Promise.all keep their results over a restart, and run once each", async (t) => {
    const cwd = temporaryFolder(t);
    const log = path.join(cwd, "steps.log");
    const args = ["parallel", "sqlite:./parallel.db", "0", log];
    const first = await startServer(t, SERVER, args, cwd);
    const asked = await (await connect(first.url)).send("begin");
    assert.ok(asked.kind === "task" && asked.state === "INPUT_REQUIRED");
    const { pid } = first.child;
    await first.kill();
    const second = await startServer(t, SERVER, args, cwd);
    const done = await (await connect(second.url)).send("yes", { taskId: asked.id });
    assert.ok(done.kind === "task");
    assert.equal(done.state, "COMPLETED");
    assert.deepEqual(done.artifact("results.json")?.raw.parts[0]?.data, [`slow of ${pid}`, `fast of ${pid}`, "yes"]);
    assert.deepEqual(readFileSync(log, "utf8").trim().split("\n").sort(), ["fast 1", "slow 1"]);
  });

  it("a model that says other words after a restart leaves one clean artifact, never a splice", async (t) => {
    const cwd = temporaryFolder(t);
    const log = path.join(cwd, "model.log");
    const args = (port: number): string[] => ["model", "sqlite:./model.db", String(port), log];
    const first = await startServer(t, SERVER, args(0), cwd);
    const client = await connect(first.url);
    const run = client.stream("why?");
    let shown = "";
    let restarting: Promise<{ child: { pid?: number | undefined } }> | undefined;
    for await (const event of run) {
      if (event.kind !== "artifact") continue;
      shown = event.append ? shown + event.text : event.text;
      if (shown.includes(":30 ")) {
        restarting ??= first.kill().then(() => startServer(t, SERVER, args(first.port), cwd));
      }
    }
    const pid = (await restarting)?.child.pid;
    assert.ok(pid !== undefined);
    const expected = Array.from({ length: 100 }, (_, word) => `${pid}:${word} `).join("");
    assert.equal(shown, expected);
    const { taskId } = run;
    assert.ok(taskId !== undefined);
    const task = await client.task(taskId);
    assert.equal(task.state, "COMPLETED");
    assert.equal(task.artifacts.length, 1);
    assert.equal(await task.artifact("answer.txt")?.text(), expected);
    assert.equal(readFileSync(log, "utf8").trim().split("\n").length, 2);
  });
});

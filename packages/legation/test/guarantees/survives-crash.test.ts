/** What was acknowledged is finished, recorded once and told to everybody, whatever dies in between. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import type { Run } from "../../src/client/run.ts";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { readEffects } from "../../src/testing/rehearsal-effects.ts";
import { chunkText } from "../../src/testing/rehearsal-script.ts";
import { BIN, NODE_FLAGS, startRehearsal, temporaryFolder } from "../cli/rehearsal-process.ts";

const CHUNKS = 1_000;
const BYTES = 16;
const SCRIPT = {
  rehearse: [
    { step: "pay" },
    { stream: { name: "long.txt", chunks: CHUNKS, bytes: BYTES, everyMs: 2 } },
    { end: "COMPLETED", text: "done" },
  ],
};
const EXPECTED = Array.from({ length: CHUNKS }, (_, index) => chunkText(index, BYTES)).join("");

/** The text of an artifact as somebody has it who takes every event at its word. */
class Reader {
  text = "";
  chunks = 0;
  state = "";

  take(event: StreamResponse): void {
    if (event.statusUpdate !== undefined) this.state = event.statusUpdate.status.state;
    const update = event.artifactUpdate;
    if (update === undefined || update.artifact.name !== "long.txt") return;
    const text = update.artifact.parts.map((part) => part.text ?? "").join("");
    this.text = update.append === true ? this.text + text : text;
    this.chunks += 1;
  }
}

async function readRun(run: Run, reader: Reader, onChunk: (chunks: number) => void): Promise<void> {
  for await (const event of run) {
    reader.take(event.raw as StreamResponse);
    onChunk(reader.chunks);
  }
}

describe("survives-crash: kill -9 in the middle of a stream of 1,000 chunks", () => {
  it("the task completes with the exact text, the step is counted once, the client resumes by itself", async (t) => {
    const cwd = temporaryFolder(t);
    const options = { cwd, store: "sqlite:./rehearsal.db" };
    const first = await startRehearsal(t, options);
    const client = await connect(first.url);
    const run = client.stream({ parts: [{ data: SCRIPT }] });
    const reader = new Reader();
    const killed = Promise.withResolvers<void>();
    const reading = readRun(run, reader, (chunks) => {
      if (chunks >= 300) killed.resolve();
    });
    await killed.promise;
    await first.kill();
    assert.ok(reader.chunks < CHUNKS, `${reader.chunks} chunks had come before the kill`);
    await startRehearsal(t, { ...options, port: first.port });
    await reading;

    assert.equal(reader.state, "TASK_STATE_COMPLETED");
    assert.equal(reader.text, EXPECTED);
    assert.equal(run.delivery, "resumed");
    const { taskId } = run;
    assert.ok(taskId !== undefined);
    const task = await client.task(taskId);
    assert.equal(task.state, "COMPLETED");
    assert.equal(await task.artifact("long.txt")?.text(), EXPECTED);
    assert.deepEqual(task.artifact("steps.json")?.raw.parts[0]?.data, { pay: 1 });
    const effects = readEffects(path.join(cwd, "rehearsal.db.effects.jsonl"));
    assert.deepEqual(
      effects.map(({ name, task: id }) => [name, id]),
      [["pay", taskId]],
    );
  });

  it("the JSON lines of `send --stream` have no gap and no duplicate, and end with the terminal response", async (t) => {
    const cwd = temporaryFolder(t);
    const options = { cwd, store: "sqlite:./rehearsal.db" };
    const first = await startRehearsal(t, options);
    const args = ["send", "-a", first.url, "-o", "json", "--stream", "--data", JSON.stringify(SCRIPT)];
    const child = spawn(process.execPath, [...NODE_FLAGS, BIN, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    t.after(() => child.kill("SIGKILL"));
    const reader = new Reader();
    const lines: StreamResponse[] = [];
    let restarting: Promise<unknown> | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as StreamResponse;
      lines.push(event);
      reader.take(event);
      if (reader.chunks >= 300)
        restarting ??= first.kill().then(() => startRehearsal(t, { ...options, port: first.port }));
    }
    await restarting;
    const [code] = await exited;
    assert.equal(code, 0);
    assert.equal(reader.text, EXPECTED);
    assert.equal(lines.at(-1)?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  });

  it("nobody watches: a restarted process finishes what the dead one had begun", async (t) => {
    const cwd = temporaryFolder(t);
    const options = { cwd, store: "sqlite:./rehearsal.db" };
    const first = await startRehearsal(t, options);
    const client = await connect(first.url);
    const sent = await client.send({ parts: [{ data: SCRIPT }] }, { returnImmediately: true });
    assert.ok(sent.kind === "task");
    await first.kill();
    const second = await startRehearsal(t, options);
    const again = await connect(second.url);
    const done = await (await again.task(sent.id)).wait();
    assert.equal(done.state, "COMPLETED");
    assert.equal(await (await again.task(sent.id)).artifact("long.txt")?.text(), EXPECTED);
  });

  it("a question survives: the answer after a restart goes on where the script stopped", async (t) => {
    const cwd = temporaryFolder(t);
    const options = { cwd, store: "sqlite:./rehearsal.db" };
    const first = await startRehearsal(t, options);
    const script = { rehearse: [{ step: "before" }, { ask: "which one?" }, { step: "after" }, { end: "COMPLETED" }] };
    const asked = await (await connect(first.url)).send({ parts: [{ data: script }] });
    assert.ok(asked.kind === "task" && asked.state === "INPUT_REQUIRED");
    await first.kill();
    const second = await startRehearsal(t, options);
    const client = await connect(second.url);
    const done = await client.send("that one", { taskId: asked.id });
    assert.ok(done.kind === "task");
    assert.equal(done.state, "COMPLETED");
    assert.deepEqual(done.artifact("steps.json")?.raw.parts[0]?.data, { before: 1, after: 1 });
  });
});

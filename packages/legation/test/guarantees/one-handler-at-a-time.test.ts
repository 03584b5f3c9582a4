/** A message to a task at work is handled after, and never by two handlers at once. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { startServer, temporaryFolder } from "../cli/rehearsal-process.ts";

const SERVER = path.join(import.meta.dirname, "guarantee-server.ts");

for (const store of ["memory:", "sqlite:./turns.db"]) {
  it(`one-handler-at-a-time: messages to a WORKING task are handled in order, one by one [${store}]`, async (t) => {
    const cwd = temporaryFolder(t);
    const log = path.join(cwd, "turns.log");
    const server = await startServer(t, SERVER, ["turns", store, "0", log], cwd);
    const client = await connect(server.url);
    const first = await client.send("one", { returnImmediately: true });
    assert.ok(first.kind === "task");
    const later = ["two", "three"].map((text) => client.send(text, { taskId: first.id, returnImmediately: true }));
    const replies = await Promise.all(later);
    assert.deepEqual(
      replies.map((reply) => reply.kind === "task" && reply.id),
      [first.id, first.id],
    );
    writeFileSync(`${log}.go`, "");
    const done = await first.wait();
    assert.equal(done.state, "COMPLETED");
    const lines = readFileSync(log, "utf8").trim().split("\n");
    assert.equal(lines.length, 6);
    const order = lines.filter((line) => line.startsWith("begin ")).map((line) => line.slice("begin ".length));
    assert.equal(order[0], "one");
    assert.deepEqual([...order].sort(), ["one", "three", "two"]);
    assert.deepEqual(
      lines,
      order.flatMap((text) => [`begin ${text}`, `end ${text}`]),
    );
  });
}

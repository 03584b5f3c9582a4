/** A message that is sent twenty times at once is one task, or one reply. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { startRehearsal, temporaryFolder } from "../cli/rehearsal-process.ts";

for (const store of ["memory:", "sqlite:./rehearsal.db"]) {
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    it(`one-task-per-intent: twenty parallel sends of one message are one task [${binding} × ${store}]`, async (t) => {
      const server = await startRehearsal(t, { cwd: temporaryFolder(t), store });
      const client = await connect(server.url, { prefer: [binding] });
      assert.equal(client.interface.protocolBinding, binding);
      const content = { messageId: "intent-1", parts: [{ data: { rehearse: [{ step: "pay" }, { wait: 100 }] } }] };
      const replies = await Promise.all(Array.from({ length: 20 }, () => client.send(content)));
      const ids = new Set(replies.map((reply) => (reply.kind === "task" ? reply.id : "no task")));
      assert.equal(ids.size, 1);
      for (const reply of replies) assert.equal(reply.kind === "task" && reply.state, "COMPLETED");
      const [task] = replies;
      assert.deepEqual(task?.kind === "task" && task.artifact("steps.json")?.raw.parts[0]?.data, { pay: 1 });
      const list = await client.service.listTasks({}, { version: "1.0", extensions: [], principal: { owner: "" } });
      assert.equal(list.value.totalSize, 1);
    });
  }

  it(`one-task-per-intent: twenty parallel sends of one message are one reply [${store}]`, async (t) => {
    const server = await startRehearsal(t, { cwd: temporaryFolder(t), store });
    const client = await connect(server.url);
    const content = { messageId: "intent-2", parts: [{ data: { rehearse: [{ wait: 100 }, { reply: "hello" }] } }] };
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.send(content)));
    const ids = new Set(replies.map((reply) => (reply.kind === "message" ? reply.raw.messageId : "no message")));
    assert.equal(ids.size, 1);
  });
}

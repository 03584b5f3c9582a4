// The reports that docs/deferred-tasks.md prints are taken as printed, one after the other, in both languages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";

const docs = path.resolve(import.meta.dirname, "../../../../docs");
const KINDS = ["heartbeat", "working", "artifact", "ask", "receive", "complete"];

interface Printed {
  readonly report: string;
}

function reportsOf(page: string): readonly Printed[] {
  const text = readFileSync(path.join(docs, page), "utf8");
  return [...text.matchAll(/^\| `(\{"report".*?\})` \|/gm)].map(([, json = ""]) => JSON.parse(json) as Printed);
}

for (const page of ["deferred-tasks.md", "deferred-tasks.zh-CN.md"]) {
  test(`${page}: a worker without this library can send what is printed there`, async () => {
    const token = Promise.withResolvers<string>();
    const agent = createAgent({
      name: "Press",
      description: "d",
      version: "1.0.0",
      async onTask(task) {
        const deferred = await task.defer({ heartbeatMs: 60_000 });
        token.resolve(deferred.token);
        return deferred;
      },
    });
    await using host = await serve(agent, { log: false, grpc: false });
    const client = await connect(host.url);
    const sent = await client.send("print", { returnImmediately: true });
    assert.ok(sent.kind === "task");
    const headers = { authorization: `Bearer ${await token.promise}`, "content-type": "application/json" };
    const reports = reportsOf(page);
    assert.deepEqual(
      reports.map(({ report }) => report),
      KINDS,
    );
    for (const report of reports) {
      if (report.report === "receive") await sent.reply("glossy", { returnImmediately: true });
      const body = JSON.stringify(report);
      const response = await fetch(`${host.url}/legation/deferred`, { method: "POST", headers, body });
      const answer = (await response.json()) as { state?: string; message?: object };
      assert.equal(response.status, 200, `${body}: ${JSON.stringify(answer)}`);
      if (report.report === "ask") assert.equal(answer.state, "TASK_STATE_INPUT_REQUIRED");
      if (report.report === "receive") assert.match(JSON.stringify(answer.message), /glossy/);
    }
    const done = await client.task(sent.id);
    assert.equal(done.state, "COMPLETED");
    assert.equal(await done.artifact("a.txt")?.text(), "…");
    await client.close();
  });
}

// needs: peer-python
// A webhook made with the Python SDK takes what we push: every event, by its own model, which refuses unknown fields.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { pushingHost, WORK_EVENTS } from "../push/pushing-host.ts";
import { shortOf } from "../push/webhook-server.ts";
import { folderOf } from "./peer-build.ts";

test("a webhook made with a2a-python takes every event that we push", { timeout: 60_000 }, async (t) => {
  const python = path.join(folderOf("python"), "bin/python");
  const script = path.join(import.meta.dirname, "python/receiver.py");
  const receiver = spawn(python, [script, "t-1"], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => receiver.kill("SIGKILL"));
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await lines.next()).value ?? "{}") as Record<string, unknown>;
  const { port } = await next();
  await using pushing = await pushingHost();
  await pushing.client.send("go", { push: { url: `http://127.0.0.1:${port}/`, token: "t-1" } });
  const seen: string[] = [];
  while (seen.at(-1) !== "COMPLETED") {
    const { refused, event } = await next();
    assert.equal(refused, undefined);
    seen.push(shortOf({ event: event as StreamResponse } as never));
  }
  assert.deepEqual(seen, WORK_EVENTS);
});

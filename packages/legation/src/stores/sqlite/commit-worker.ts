/**
 * The thread on which a slow disk is waited for: it opens the file a second time and does what writes, one call after
 * the other, while the main thread reads and serves.
 */
import { parentPort, workerData } from "node:worker_threads";
import { pollCommits } from "./commit-poll.ts";
import { openDatabase } from "./driver.ts";
import { flattenOutcome, unflattenBatch } from "./flat-batch.ts";
import { describeFailure, type WorkerAnswer, type WorkerCall, type WorkerSettings } from "./worker-messages.ts";
import { createWriter, type SqliteWriter } from "./writer.ts";

const { path, busyMs, pollMs, maxBytes } = workerData as WorkerSettings;
const db = openDatabase(path, { busyTimeoutMs: busyMs, maxBytes });
const writer = createWriter(db, path);
let poll: Disposable | undefined;

const send = (answer: WorkerAnswer) => parentPort?.postMessage(answer);

parentPort?.on("message", (call: WorkerCall) => {
  if (call.method === "watch") {
    poll?.[Symbol.dispose]();
    poll = call.on ? pollCommits(db, pollMs, () => send({ what: "changed" })) : undefined;
  } else if (call.method === "close") {
    db.close();
    parentPort?.close();
    poll?.[Symbol.dispose]();
  } else {
    send(answerTo(call));
  }
});
send({ what: "ready" });

function answerTo(call: Extract<WorkerCall, { readonly id: number }>): WorkerAnswer {
  const { id, method } = call;
  try {
    if (method === "commit") {
      return { what: "done", id, result: flattenOutcome(writer.commit(unflattenBatch(call.batch))) };
    }
    const work = writer[method] as (...values: readonly unknown[]) => ReturnType<SqliteWriter[typeof method]>;
    return { what: "done", id, result: work(...call.values) };
  } catch (error) {
    return { what: "failed", id, failure: describeFailure(error) };
  }
}

import { Worker } from "node:worker_threads";
import { type Batch, type BatchOutcome, StoreUnavailable } from "../../engine/store.ts";
import { type FlatOutcome, flattenBatch, unflattenOutcome } from "./flat-batch.ts";
import { reviveFailure, type WorkerAnswer, type WorkerCall, type WorkerSettings } from "./worker-messages.ts";
import type { SqliteWriter } from "./writer.ts";

/** The writer on a thread of its own. */
export interface WorkerWriter {
  /** Has the worker write a batch; throws what the writer throws. */
  commit(batch: Batch): Promise<BatchOutcome>;
  /** Has the worker do another call of the writer; throws what the writer throws. */
  call<Method extends Exclude<keyof SqliteWriter, "commit">>(
    method: Method,
    ...values: Parameters<SqliteWriter[Method]>
  ): Promise<ReturnType<SqliteWriter[Method]>>;
  /** Turns telling about the commits of other processes on and off. */
  watch(on: boolean): void;
  /** Waits for the calls that were made and ends the thread. */
  close(): Promise<void>;
}

/** What the starter of a {@link WorkerWriter} is told. */
export interface WorkerEvents {
  /** Another process committed. */
  readonly changed: () => void;
  /** The thread ended although nobody closed it. What was in flight has failed as unknown. */
  readonly lost: () => void;
}

/** The file of the thread lies beside this one, in the source as in the package. */
const WORKER_FILE = new URL(`./commit-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

/**
 * Starts the thread and gives its writer once it is ready.
 *
 * @throws what the thread died of when it could not be started.
 */
export async function startWorkerWriter(settings: WorkerSettings, events: WorkerEvents): Promise<WorkerWriter> {
  const worker = new Worker(WORKER_FILE, { workerData: settings });
  const calls = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  let lastId = 0;
  let closing = false;
  const settle = (id: number): PromiseWithResolvers<unknown> | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    // Only what is in flight keeps the process alive.
    if (calls.size === 0) worker.unref();
    return call;
  };
  worker.on("message", (answer: WorkerAnswer) => {
    if (answer.what === "ready") ready.resolve();
    else if (answer.what === "changed") events.changed();
    else if (answer.what === "done") settle(answer.id)?.resolve(answer.result);
    else settle(answer.id)?.reject(reviveFailure(answer.failure));
  });
  worker.on("error", (error) => ready.reject(error));
  worker.on("exit", () => {
    const lost = new StoreUnavailable(`the commit thread of sqlite file ${settings.path} ended`, { unknown: true });
    for (const id of [...calls.keys()]) settle(id)?.reject(lost);
    ready.reject(lost);
    exited.resolve();
    if (!closing) events.lost();
  });
  const send = (call: WorkerCall) => worker.postMessage(call);
  await ready.promise;
  worker.unref();
  const ask = (call: (id: number) => WorkerCall): Promise<unknown> => {
    const asked = Promise.withResolvers<unknown>();
    lastId += 1;
    calls.set(lastId, asked);
    worker.ref();
    send(call(lastId));
    return asked.promise;
  };
  return {
    commit: async (batch) => {
      const flat = flattenBatch(batch);
      return unflattenOutcome((await ask((id) => ({ id, method: "commit", batch: flat }))) as FlatOutcome);
    },
    call: (method, ...values) =>
      ask((id) => ({ id, method, values })) as Promise<ReturnType<SqliteWriter[typeof method]>>,
    watch: (on) => send({ method: "watch", on }),
    close: async () => {
      closing = true;
      worker.ref();
      send({ method: "close" });
      await exited.promise;
    },
  };
}

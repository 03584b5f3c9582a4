import { StoreCorrupt, StoreUnavailable } from "../../engine/store.ts";
import { SqliteBusy } from "./driver.ts";
import type { FlatBatch } from "./flat-batch.ts";
import type { SqliteWriter } from "./writer.ts";

/** What the commit worker is started with. */
export interface WorkerSettings {
  readonly path: string;
  readonly busyMs: number;
  readonly pollMs: number;
  readonly maxBytes: number | undefined;
}

/** What the main thread asks of the worker. */
export type WorkerCall =
  | { readonly id: number; readonly method: "commit"; readonly batch: FlatBatch }
  | { readonly id: number; readonly method: Exclude<keyof SqliteWriter, "commit">; readonly values: readonly unknown[] }
  | { readonly method: "watch"; readonly on: boolean }
  | { readonly method: "close" };

/** What the worker says. */
export type WorkerAnswer =
  | { readonly what: "ready" }
  | { readonly what: "changed" }
  | { readonly what: "done"; readonly id: number; readonly result: unknown }
  | { readonly what: "failed"; readonly id: number; readonly failure: WorkerFailure };

/** An error on its way between threads, where classes are lost. */
export interface WorkerFailure {
  readonly name: string;
  readonly message: string;
  readonly unknown: boolean;
}

/** Makes an error ready to be sent. */
export function describeFailure(error: unknown): WorkerFailure {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message, unknown: error instanceof StoreUnavailable && error.unknown };
}

/** Makes the error again that {@link describeFailure} described. */
export function reviveFailure({ name, message, unknown }: WorkerFailure): Error {
  switch (name) {
    case "SqliteBusy":
      return new SqliteBusy(message);
    case "StoreUnavailable":
      return new StoreUnavailable(message, { unknown });
    case "StoreCorrupt":
      return new StoreCorrupt(message);
    default:
      return new Error(`${name}: ${message}`);
  }
}

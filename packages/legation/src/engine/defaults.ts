import type { TaskState } from "../model/gen/types.ts";

/** Which tasks that have ended are let go, with everything that belongs to them, or which logs. */
export interface RetentionRule {
  /** Absent: of every tenant. */
  readonly tenant?: string | undefined;
  /** Terminal states; absent: all of them. */
  readonly states?: readonly TaskState[] | undefined;
  /** So long after the last status, in ms. */
  readonly afterMs: number;
  /** `log`: the task stays and is answered, its log is emptied: whoever resumes a stream gets the whole Task. */
  readonly drop?: "task" | "log" | undefined;
}

/** Names and defaults of the engine; every one can be set in the options of a host. Milliseconds and bytes. */
export interface EngineSettings {
  /** How long a run is ours without renewal. Guards against two processes believing that they own a run. */
  readonly leaseMs: number;
  /** Claims without progress before a task is FAILED. Guards against a handler that kills its process every time. */
  readonly maxAttempts: number;
  /** How long `onCancel` may think before the engine writes CANCELED. */
  readonly cancelWaitMs: number;
  /** How long a store that is away is tried again before those who wait are told UNAVAILABLE; the engine goes on. */
  readonly storeWaitMs: number;
  /** How long a stop waits for running turns. */
  readonly graceMs: number;
  /** Without any emission or decision for that long a working turn is FAILED; 0 is off. Not while interrupted. */
  readonly inactivityMs: number;
  /** From creation; 0 is off. */
  readonly totalMs: number;
  /** Turns at once in this process. */
  readonly maxRuns: number;
  /** Parked frames kept, and for how long. */
  readonly maxFrames: number;
  readonly frameMs: number;
  /** Live task logs kept without a run, a reader or a waiter. */
  readonly maxIdleLogs: number;
  /** How long a first send is remembered. */
  readonly dedupeMs: number;
  /** Messages of history in an answer. */
  readonly historyCap: number;
  /** A part above this is a blob. */
  readonly blobBytes: number;
  /** A snapshot is due when the log since the last one is longer than this and than the snapshot. */
  readonly snapshotBytes: number;
  /** Events kept in memory per live task for its readers. */
  readonly tailBytes: number;
  /** Bytes of history, artifacts and large parts together that a task may hold; 0 is off. Then it is FAILED. */
  readonly maxTaskBytes: number;
  /** Tasks of one tenant that have not ended, roughly where there are several replicas; 0 is off. More are refused. */
  readonly maxOpenTasks: number;
  /** Nothing is let go by default. A task whose webhooks have yet to be told stays. */
  readonly retention: readonly RetentionRule[];
}

/** The values in force when nothing is said. */
export const ENGINE_DEFAULTS: EngineSettings = {
  leaseMs: 15_000,
  maxAttempts: 5,
  cancelWaitMs: 5_000,
  storeWaitMs: 10_000,
  graceMs: 10_000,
  inactivityMs: 0,
  totalMs: 0,
  maxRuns: 1_000,
  maxFrames: 1_000,
  frameMs: 300_000,
  maxIdleLogs: 1_000,
  dedupeMs: 86_400_000,
  historyCap: 1_000,
  blobBytes: 65_536,
  snapshotBytes: 65_536,
  tailBytes: 262_144,
  maxTaskBytes: 0,
  maxOpenTasks: 0,
  retention: [],
};

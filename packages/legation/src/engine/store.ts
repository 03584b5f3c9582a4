/**
 * The port through which the engine keeps tasks. Every method is asynchronous; a commit is one transaction.
 *
 * The log of a task is `events(task, seq)`, seq = 1, 2, 3 …, written only together with the task's row and only by
 * compare-and-set on (seq, epoch): seq moved means that somebody else wrote (a message, a cancel), epoch moved means
 * that somebody else owns the run. Wall-clock milliseconds come in as arguments; a store has no clock of its own but
 * where several machines share it (PostgreSQL uses the database's time for leases).
 *
 * A store throws {@link StoreUnavailable} when it cannot answer now and a retry may help, {@link StoreCorrupt} when what
 * it holds cannot be read, and {@link Unstorable} for a value that it can never keep. Nothing else is expected from it.
 */
import type { TaskState } from "../model/gen/types.ts";
import type { HookStore, HookWrite } from "./push-hook.ts";
import type { UpkeepStore } from "./upkeep.ts";

/** What a log entry is. `status` and `artifact` are seen by subscribers; the others are the journal of the engine. */
export type EventKind =
  /** The task came into being. Payload: the Task without history, canonical JSON. */
  | "created"
  /** A message of the caller arrived: history, and an entry of the mailbox. Payload: the Message. */
  | "message"
  /** Payload: a StreamResponse with `statusUpdate`. */
  | "status"
  /** Payload: a StreamResponse with `artifactUpdate`. */
  | "artifact"
  /** A turn began. Payload: {@link ./journal.ts TurnStarted}. */
  | "turn"
  /** A decision was recorded. Payload: {@link ./journal.ts Decision}. */
  | "decision"
  /** A decision began that must not begin twice, or that waits. Payload: {@link ./journal.ts Opened}. */
  | "opened"
  /** Cancellation was asked for. Payload: `{metadata?}`. */
  | "cancel.requested"
  /** An open request for authorisation was granted. Payload: `{seq}` of the request. */
  | "authorized"
  /** A message that nobody took before the task became terminal. Payload: `{seq}`. */
  | "message.unprocessed"
  /** The run is held or released by a person. Payload: `{reason?}`. */
  | "held";

/** One entry of a log as it is read. */
export interface EventRow {
  readonly seq: number;
  readonly kind: EventKind;
  /** Wall time in ms; never below that of the entry before it. */
  readonly time: number;
  /** JSON; `""` when the payload was erased. */
  readonly payload: string;
}

/** One entry to append; its seq follows from its place. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly time: number;
  readonly payload: string;
}

/** The columns of a task that never change. */
export interface TaskIdentity {
  /** UUIDv7, the id outside. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly contextId: string;
  /** Name of the agent among those of the host. */
  readonly agent: string;
  readonly createdAt: number;
}

/** The columns of a task that its writers change. */
export interface TaskColumns {
  readonly state: TaskState;
  /** Time of the last status in ms; the sort key of ListTasks. */
  readonly statusTime: number;
  /** Raised by every claim; carried by every write of a run. */
  readonly epoch: number;
  /** Process that runs it, or null. */
  readonly holder: string | null;
  /** End of the lease in ms; 0 without a holder. */
  readonly leaseUntil: number;
  /** Claims since the last progress. */
  readonly attempts: number;
  /** When somebody should run it, in ms; null when nothing is to be done before a message comes. */
  readonly due: number | null;
  /** Why nobody may run it, or null. */
  readonly held: string | null;
  /** Version of the agent whose code wrote the current turn. */
  readonly agentVersion: string;
  /** JSON of {@link ./journal.ts RunState}; opaque to a store. */
  readonly run: string;
}

/** A task as a store gives it. */
export interface TaskRow extends TaskIdentity, TaskColumns {
  /** Integer key inside this store. */
  readonly key: number;
  /** Seq of the last entry of the log. */
  readonly seq: number;
  /** The Task as of `snapshotSeq`, canonical JSON with its history up to the cap; null when there is none yet. */
  readonly snapshot: string | null;
  readonly snapshotSeq: number;
}

/** Identifies an accepted request: the same four always mean the same answer. */
export interface DedupeKey {
  readonly tenant: string;
  readonly owner: string;
  readonly messageId: string;
  /** Hash of the request without its configuration. */
  readonly hash: string;
  /** Only {@link dedupeText} reads and sets it. */
  text?: string | undefined;
}

/**
 * A key as one text, made once for each: maps look it up by the hash that the text then has. The lengths make it
 * unambiguous whatever the strings hold. Joined, not concatenated: a concatenation is kept as a tree of its pieces,
 * which takes several times the memory of the text.
 */
export function dedupeText(key: DedupeKey): string {
  const { tenant, owner, messageId, hash } = key;
  key.text ??= [tenant.length, owner.length, messageId.length, tenant + owner, messageId, hash].join(":");
  return key.text;
}

/** What is known of an accepted request. */
export interface DedupeRow extends DedupeKey {
  /** The task that answers it. */
  readonly taskId: string | null;
  /** The stored reply of an agent that answers with messages, canonical JSON. */
  readonly reply: string | null;
  /** While neither is there: until when its holder is given time, in ms. */
  readonly leaseUntil: number;
}

/** Bytes of a part that are too large for an event. */
export interface BlobWrite {
  readonly tenant: string;
  readonly owner: string;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Everything that one task wants written at once. */
export interface TaskCommit {
  /** For a new task: what it is. Then `key` is 0, `seq` is 0 and `epoch` is 0. */
  readonly create?: TaskIdentity | undefined;
  readonly key: number;
  /** The seq that the writer saw. */
  readonly seq: number;
  /** The epoch that the writer saw. */
  readonly epoch: number;
  /** Appended as seq + 1, seq + 2 … May be empty (a row change alone). */
  readonly events: readonly NewEvent[];
  /** The new columns; undefined when only the log grows. Required on creation. */
  readonly columns?: TaskColumns | undefined;
  /** A snapshot as of the last of `events`. */
  readonly snapshot?: string | undefined;
  /** Inserted with it; when a row with that key is there already, the whole commit is refused as `duplicate`. */
  readonly dedupe?: { readonly key: DedupeKey; readonly taskId: string; readonly expires: number | null } | undefined;
  readonly blobs?: readonly BlobWrite[] | undefined;
  /** Webhooks that are registered with it; an id that is there already gets the new content. */
  readonly hooks?: readonly HookWrite[] | undefined;
}

/** What became of a {@link TaskCommit}. */
export type TaskOutcome =
  /** `hooked`: the task has webhooks, which may be due now; absent otherwise. */
  | { readonly ok: true; readonly key: number; readonly hooked?: true }
  /** `epoch` is reported when both moved. */
  | { readonly ok: false; readonly why: "seq" | "epoch" | "missing" }
  | { readonly ok: false; readonly why: "duplicate"; readonly row: DedupeRow };

/** A step in the life of a dedupe row that is not tied to a task. */
export interface ReplyCommit {
  readonly key: DedupeKey;
  /**
   * `lease`: insert it, or take it over when its lease has run out before `now`; otherwise `duplicate`. Its holder renews
   * it as of a `now` behind its end.
   * `reply`: keep the answer until `expires`. `release`: forget it (the handler failed before anything was promised).
   */
  readonly step: "lease" | "reply" | "release";
  readonly now: number;
  readonly leaseUntil: number;
  readonly expires: number;
  readonly reply?: string | undefined;
}

/** What became of a {@link ReplyCommit}. */
export type ReplyOutcome = { readonly ok: true } | { readonly ok: false; readonly row: DedupeRow };

/** One transaction: every entry succeeds or is refused by itself, all that succeed are durable together. */
export interface Batch {
  readonly tasks: readonly TaskCommit[];
  readonly replies: readonly ReplyCommit[];
}

/** The outcomes in the order of the {@link Batch}. */
export interface BatchOutcome {
  readonly tasks: readonly TaskOutcome[];
  readonly replies: readonly ReplyOutcome[];
}

/** What a claim looks for. */
export interface ClaimQuery {
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Names of the agents that this process can run. */
  readonly agents: readonly string[];
  /** Only tasks with at least that many and fewer than that many attempts. */
  readonly minAttempts: number;
  readonly maxAttempts: number;
}

/** A lease, as its holder knows it. */
export interface LeaseRef {
  readonly key: number;
  readonly epoch: number;
}

/** A page of tasks by (statusTime, id) descending. */
export interface ListQuery {
  readonly tenant: string;
  readonly owner: string;
  readonly agent: string;
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Only tasks whose status time is at or after this. */
  readonly since?: number | undefined;
  readonly limit: number;
  /**
   * Where the page before ended, and when the first page was read. Tasks touched after `asOf` are placed by their
   * last status at or before it, read from the log, so that each is seen once.
   */
  readonly after?: { readonly statusTime: number; readonly id: string; readonly asOf: number } | undefined;
}

/** What {@link Store.list} gives. */
export interface ListPage {
  readonly rows: readonly TaskRow[];
  /** The place of each row in the order, which is not its `statusTime` when it was touched after `asOf`. */
  readonly places: readonly number[];
  /** True when there are more after these. */
  readonly more: boolean;
  /** How many tasks the filter matches, before paging. */
  readonly total: number;
}

/** How the engine keeps tasks; implemented by the rooms of `stores/`, proved by the store contract of `testing/`. */
export interface Store extends AsyncDisposable {
  /** `memory`, `sqlite`, `postgres`: for logs and health. */
  readonly name: string;
  /** Shortest pause between two commits in ms; what a durable commit costs decides the rest. */
  readonly pauseMs: number;
  /** True when nobody but this object can write to the data (memory): then what the engine holds is never stale. */
  readonly exclusive: boolean;
  /** Makes the schema or checks it. Called once, before anything else. */
  open(): Promise<void>;
  close(): Promise<void>;
  commit(batch: Batch): Promise<BatchOutcome>;
  /**
   * A task by its outside id.
   *
   * @param options `snapshot: false` may leave the snapshot out, as if there were none: a look at the row then costs the
   *   same however much the task holds.
   */
  task(id: string, options?: { readonly snapshot?: boolean | undefined }): Promise<TaskRow | undefined>;
  /** Entries after `afterSeq` in order: at least one when there is any, then until `maxBytes` of payload. */
  events(key: number, afterSeq: number, maxBytes: number): Promise<readonly EventRow[]>;
  list(query: ListQuery): Promise<ListPage>;
  dedupe(key: DedupeKey): Promise<DedupeRow | undefined>;
  /** Takes tasks that are due and that nobody holds: raises epoch and attempts, sets holder and leaseUntil. */
  claim(query: ClaimQuery): Promise<readonly TaskRow[]>;
  /** Extends leases; gives those that are no longer ours. */
  renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]>;
  /** Gives leases back and makes their tasks due at `due`; leases that are no longer ours are passed over. */
  release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void>;
  /** Everybody who holds a lease now, of a task or of a webhook. */
  holders(): Promise<readonly string[]>;
  /** Ends all leases of a holder that is known to be dead, so that its tasks and webhooks can be claimed at once. */
  expire(holder: string): Promise<void>;
  /** When the next task of these agents falls due or its lease runs out, in ms; undefined when none will. */
  nextDue(agents: readonly string[]): Promise<number | undefined>;
  /** The webhooks. A commit with entries that subscribers see makes those of its task due, without a call here. */
  readonly hooks: HookStore;
  readonly upkeep: UpkeepStore<TaskRow>;
  /** The bytes of a blob. */
  blob(tenant: string, owner: string, sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Tells of commits by others on the same data: ids of the tasks touched, or undefined for "something". Hints may be
   * late, doubled or coalesced, never wrong for ever: a store that can lose one also tells at a slow interval.
   * A store that nobody else can write to never calls.
   */
  watch(hint: (taskIds: readonly string[] | undefined) => void): Disposable;
}

/** The store cannot answer now: busy, unreachable, full. A retry may help; nothing of the call was done, unless `unknown`. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** True when a COMMIT was sent and its answer lost: it may have been done. */
  readonly unknown: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly unknown?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.unknown = options.unknown ?? false;
  }
}

/** A value that the store can never keep, a text with U+0000 or one that is too long: the same again fails again. */
export class Unstorable extends Error {
  override readonly name = "Unstorable";
}

/** The store holds something that cannot be read, or a schema that this version does not know. */
export class StoreCorrupt extends Error {
  override readonly name = "StoreCorrupt";
}

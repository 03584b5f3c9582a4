/**
 * The part of the store port that keeps webhooks. The log is the outbox: a webhook is one row with a cursor into the
 * log of its task, so nothing is copied and nothing can be lost between a commit and its delivery.
 *
 * States of a row:
 * - resting: everything up to the cursor was delivered, `due` is null. A commit with public entries makes it due.
 * - due: somebody should deliver from `due` on; after a failure that lies in the future.
 * - leased: one process delivers. It moves the cursor and gives the row back; when it dies, the lease runs out.
 * - dead: too many failures at the entry behind the cursor. The commit that ends the task makes it due once more;
 *   registering it again or {@link HookStore.redrive} revives it.
 */
import type { TaskState } from "../model/gen/types.ts";

/** A webhook as it is registered. */
export interface NewHook {
  /** Unique within its task. */
  readonly id: string;
  /** JSON; opaque to a store. */
  readonly config: string;
  /**
   * Version of the protocol that whoever registered it speaks, and behind spaces the extensions that it asked for: they
   * decide the form of what is sent.
   */
  readonly version: string;
}

/** A webhook that is stored together with what makes its task, or with a message to it. */
export interface HookWrite extends NewHook {
  /** What comes after this seq is delivered. An id that is there already keeps its own cursor. */
  readonly cursor: number;
}

/** A webhook as a store gives it, with what is needed of its task. */
export interface HookRow extends NewHook {
  readonly key: number;
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly owner: string;
  readonly agent: string;
  /** Seq and state of the task when the row was read. */
  readonly seq: number;
  readonly state: TaskState;
  /** Seq of the last entry that is delivered or needs no delivery. */
  readonly cursor: number;
  readonly due: number | null;
  /** Failures since the last success. */
  readonly attempts: number;
  /** Raised by every claim and every registration; carried by every move. */
  readonly epoch: number;
  readonly holder: string | null;
  readonly leaseUntil: number;
  readonly dead: boolean;
  /** Why the last attempt failed; null after a success. */
  readonly error: string | null;
  readonly createdAt: number;
}

/** What became of deliveries to one webhook, written by the holder of its lease. */
export interface HookMove {
  readonly key: number;
  readonly id: string;
  readonly epoch: number;
  readonly cursor: number;
  readonly attempts: number;
  readonly dead: boolean;
  readonly error: string | null;
  /** The end of the lease when it is kept; 0 gives it back. */
  readonly leaseUntil: number;
  /** When it is given back: the next attempt; null rests, or makes it due at once when the log has gone on. */
  readonly due: number | null;
}

/** Whose webhooks they are. */
export interface HookOwner {
  readonly tenant: string;
  readonly owner: string;
}

/** What a claim of webhooks looks for. */
export interface HookClaim {
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Names of the agents that this process delivers for. */
  readonly agents: readonly string[];
  /** Only webhooks with at least that many and fewer than that many failures. */
  readonly minAttempts: number;
  readonly maxAttempts: number;
  /** Owners that are passed over, however long theirs are due. */
  readonly except?: readonly HookOwner[] | undefined;
}

/** What an operator looks for, in the order of (key, id). */
export interface HookFilter {
  /** Names of agents; absent: of all. */
  readonly agents?: readonly string[] | undefined;
  readonly dead?: boolean | undefined;
  /** Only those that have something to deliver. */
  readonly behind?: boolean | undefined;
  readonly after?: { readonly key: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** How a store keeps webhooks. */
export interface HookStore {
  /**
   * Registers a webhook: a new id begins behind the last entry of the log, an id that is there gets the new content,
   * keeps its cursor, is alive again and lost to whoever held it. `full`: the task has `limit` others.
   */
  put(
    key: number,
    hook: NewHook,
    options: { readonly limit: number; readonly now: number },
  ): Promise<"put" | "full" | "missing">;
  get(key: number, id: string): Promise<HookRow | undefined>;
  /** The webhooks of a task whose id comes after `afterId`, in the order of their ids. */
  list(key: number, afterId: string, limit: number): Promise<readonly HookRow[]>;
  /** False when there was none. */
  remove(key: number, id: string): Promise<boolean>;
  /**
   * Takes webhooks that are due and that nobody holds; `attempts` stay as they are. Where more are due than `limit`, one of
   * each owner in turn, each owner's longest due first, so that nobody waits behind the backlog of another.
   */
  claim(query: HookClaim): Promise<readonly HookRow[]>;
  /** Writes what became of deliveries; false for a lease that is no longer ours, of which nothing was written. */
  move(holder: string, moves: readonly HookMove[], now: number): Promise<readonly boolean[]>;
  /** Makes a webhook alive and due at once, at its cursor, unless somebody delivers to it now; false when there is none. */
  redrive(key: number, id: string, now: number): Promise<boolean>;
  /** When the next webhook of these agents falls due or its lease runs out, in ms. */
  nextDue(agents: readonly string[]): Promise<number | undefined>;
  find(filter: HookFilter): Promise<readonly HookRow[]>;
}

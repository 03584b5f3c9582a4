/**
 * A turn that is in the hands of an outside worker: who may report, by when, and what the row says of it.
 *
 * handing over (`wait` of kind `defer`: the token is issued, the handler still runs under its lease) → handed (the turn
 * has returned it; no lease, due at the deadline) → the worker ends the task · or asks (`asking`: no deadline) and goes
 * on · or the deadline passes: lapsed, the handler runs again and issues the next token, or the task is FAILED.
 *
 * A token names its task and the epoch of the run that issued it. Only its hash is kept. It stays in the run state when
 * the task ends, so that a worker who comes too late is told so and nobody else is.
 */
import { A2AError } from "../operations/errors.ts";
import { sha256Hex } from "./digest.ts";
import type { Draft } from "./draft.ts";
import type { DecisionIdentity, Deferral, RunState } from "./journal.ts";
import type { EventRow } from "./store.ts";
import { withinTotal } from "./turn-entries.ts";

/** How a turn is deferred. */
export interface DeferOptions {
  /** The worker has to report at least that often, in ms, from 1,000. */
  readonly heartbeatMs: number;
  /**
   * How many tokens are issued before the task is FAILED: when the worker stops reporting, the handler runs again and
   * hands the next token to the next worker. 5 when absent; with 1, a missed heartbeat fails the task.
   */
  readonly attempts?: number | undefined;
}

/** What a token says of itself. */
export interface DeferToken {
  readonly taskId: string;
  readonly epoch: number;
  readonly hash: string;
}

/** Tells a token from other secrets, for those who look for secrets where none belong. */
const PREFIX = "lgd_";
const SECRET_BYTES = 32;
const DEFAULT_ATTEMPTS = 5;
const SHORTEST_HEARTBEAT_MS = 1_000;

/** Makes a token, and its hash. */
export async function issueToken(
  taskId: string,
  epoch: number,
): Promise<{ readonly token: string; readonly hash: string }> {
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  const token = `${PREFIX}${secret}.${epoch}.${taskId}`;
  return { token, hash: await hashOf(token) };
}

/** Reads a token; undefined for what is none. */
export async function readToken(token: string): Promise<DeferToken | undefined> {
  const found = /^lgd_[0-9a-f]{64}\.(\d{1,15})\.(.{1,512})$/s.exec(token);
  if (found === null) return undefined;
  return { taskId: found[2] ?? "", epoch: Number(found[1]), hash: await hashOf(token) };
}

function hashOf(token: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(token));
}

/** How a turn is deferred, with what was left out. */
export interface CheckedDeferOptions {
  readonly heartbeatMs: number;
  readonly attempts: number;
}

/** @throws TypeError for options that defer nothing */
export function checkDeferOptions({ heartbeatMs, attempts = DEFAULT_ATTEMPTS }: DeferOptions): CheckedDeferOptions {
  if (!Number.isFinite(heartbeatMs) || heartbeatMs < SHORTEST_HEARTBEAT_MS) {
    throw new TypeError(`defer takes heartbeatMs from ${SHORTEST_HEARTBEAT_MS}, not ${heartbeatMs}`);
  }
  if (!Number.isInteger(attempts) || attempts < 1) throw new TypeError(`defer takes attempts from 1, not ${attempts}`);
  return { heartbeatMs, attempts };
}

/** Puts the turn into the hands of whoever has the token. @returns how many tokens the turn has had with it */
export function draftDeferral(
  draft: Draft,
  identity: DecisionIdentity,
  issue: CheckedDeferOptions & { readonly hash: string },
): number {
  const { deferral, turnSeq } = draft.view.run;
  const { heartbeatMs, attempts, hash } = issue;
  draft.journal("opened", identity);
  const { seq, epoch } = draft.view;
  const issues = deferral !== undefined && deferral.seq > turnSeq ? deferral.issues + 1 : 1;
  draft.run({
    deferral: { epoch, hash, heartbeatMs, attempts, issues, seq },
    wait: { kind: "defer", seq, until: draft.now + heartbeatMs },
  });
  // The worker before it may have left a question: its answer waits for the next one who asks or receives.
  if (draft.view.state !== "TASK_STATE_WORKING") draft.status("TASK_STATE_WORKING", undefined);
  return issues;
}

/** The worker was heard of: from now on it has that long again. */
export function draftHeard(draft: Draft, deferral: Deferral, totalMs: number): void {
  const { wait } = draft.view.run;
  if (wait === null) return;
  const until = wait.asking === true && !hasAnswer(draft.view.run) ? undefined : draft.now + deferral.heartbeatMs;
  draft.run({ wait: { ...wait, until } });
  // While the handler hands over, it has a lease; its end says when the task is due.
  if (draft.view.holder === null) draft.set({ due: dueOfDeferral(draft, totalMs) });
}

/** A message has come: if the worker asked for it, it has to come for it. */
export function draftAnswered(draft: Draft, totalMs: number): void {
  const { wait, deferral } = draft.view.run;
  if (wait?.kind !== "defer" || wait.asking !== true || wait.until !== undefined || deferral === undefined) return;
  draftHeard(draft, deferral, totalMs);
}

/** When somebody has to look after a task that a worker has: at its deadline, or when its total time is over. */
export function dueOfDeferral(draft: Draft, totalMs: number): number | null {
  return withinTotal(draft, draft.view.run.wait?.until ?? null, totalMs);
}

/** True when a message is there that the question of the worker waits for. */
export function hasAnswer({ wait, mailbox }: RunState): boolean {
  return nextMessage({ wait, mailbox }) !== undefined;
}

/** The message that a worker gets next: behind its question, if it asked one. */
export function nextMessage({ wait, mailbox }: Pick<RunState, "wait" | "mailbox">): number | undefined {
  const after = wait?.asking === true ? wait.seq : 0;
  return mailbox.find((seq) => seq > after);
}

/**
 * Lets the owner of a token report.
 *
 * @throws A2AError UNAUTHENTICATED (no such token), PERMISSION_DENIED (it was issued again, or the handler took the task
 *   back), UNSUPPORTED_OPERATION (the task has ended)
 */
export function requireWorker(draft: Draft, { taskId, epoch, hash }: DeferToken): Deferral {
  const { deferral, wait } = draft.view.run;
  if (deferral === undefined || epoch > deferral.epoch) throw unknownToken();
  if (epoch === deferral.epoch && hash !== deferral.hash) throw unknownToken();
  const metadata = { taskId };
  if (epoch < deferral.epoch) throw stale(metadata);
  if (draft.isTerminal) {
    const { state } = draft.view;
    throw new A2AError("UNSUPPORTED_OPERATION", `task ${taskId} is ${state}: stop working on it`, {
      metadata: { taskId, state },
    });
  }
  if (wait?.kind !== "defer" || wait.lapsed === true) throw stale(metadata);
  return deferral;
}

function stale(metadata: { readonly taskId: string }): A2AError {
  const text = `this token of task ${metadata.taskId} is not good any more, the task was given to another worker: stop`;
  return new A2AError("PERMISSION_DENIED", text, { metadata });
}

/** The error for a token that nobody issued. */
export function unknownToken(): A2AError {
  return new A2AError("UNAUTHENTICATED", "no deferred task has this token; send the one that task.defer() gave");
}

/** The entries of a turn that its handler wrote: what follows the first deferral is of workers. */
export function ofHandler(entries: readonly EventRow[]): readonly EventRow[] {
  const end = entries.findIndex(
    ({ kind, payload }) =>
      kind === "opened" && (JSON.parse(payload || "{}") as Partial<DecisionIdentity>).kind === "defer",
  );
  return end === -1 ? entries : entries.slice(0, end + 1);
}

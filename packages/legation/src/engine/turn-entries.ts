/** What the engine itself writes around turns: how one begins, begins again, waits, and is ended for its handler. */
import type { Message } from "../model/gen/types.ts";
import type { Draft } from "./draft.ts";
import type { Wait } from "./journal.ts";
import { JournalMismatch } from "./replay.ts";

const NOBODY: readonly number[] = [];

/** Begins the next turn: it takes the oldest message that nobody took. */
export function draftTurn(draft: Draft, agentVersion: string, message: Message | undefined): void {
  const { run } = draft.view;
  const { mailbox, heldBy, afresh } = run;
  const turn = run.turn + 1;
  const taken = mailbox[0] ?? 0;
  draft.entry("turn", `{"turn":${turn},"message":${taken},"agentVersion":${JSON.stringify(agentVersion)}}`);
  const view = draft.change();
  const rest = mailbox.length > 1 ? mailbox.slice(1) : NOBODY;
  view.run = { ...run, turn, turnSeq: view.seq, message: taken, open: true, mailbox: rest, wait: null };
  view.agentVersion = agentVersion;
  if (heldBy !== undefined || afresh !== undefined) draft.run({ heldBy: undefined, afresh: undefined });
  draft.status("TASK_STATE_WORKING", message);
}

/** The turn begins again under its own number: the keys of its steps stay. */
export function draftAfresh(draft: Draft, agentVersion: string, received: readonly number[]): void {
  const { turn, message, mailbox } = draft.view.run;
  draft.journal("turn", { turn, message, agentVersion });
  const again = [...received, ...mailbox].sort((a, b) => a - b);
  draft.run({ turnSeq: draft.view.seq, mailbox: again, wait: null, afresh: undefined });
  draft.status("TASK_STATE_WORKING", undefined);
  draft.set({ agentVersion });
}

/** The run stops where it is, and its state stays. */
export function draftHold(draft: Draft, reason: unknown, agentVersion: string): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  draft.journal("held", { reason: text });
  if (reason instanceof JournalMismatch) draft.run({ heldBy: [...(draft.view.run.heldBy ?? []), agentVersion] });
  draft.set({ held: text, holder: null, leaseUntil: 0, due: null });
}

/** The run may go on. */
export function draftUnhold(draft: Draft): void {
  draft.journal("held", {});
  draft.set({ held: null, due: draft.now, attempts: 0 });
}

/** FAILED with a text; for runs that have no frame. */
export function failWith(draft: Draft, messageId: string, text: string): void {
  if (draft.isTerminal) return;
  const { id, contextId } = draft.identity;
  draft.status("TASK_STATE_FAILED", { messageId, contextId, taskId: id, role: "ROLE_AGENT", parts: [{ text }] });
}

/** What the failure of a task says whose total time ran out. */
export function outOfTime(totalMs: number): string {
  return `took longer than ${totalMs} ms`;
}

/** A task that waits and whose total time runs out is looked at then. */
export function withinTotal(draft: Draft, due: number | null, totalMs: number): number | null {
  if (totalMs === 0) return due;
  const end = draft.identity.createdAt + totalMs;
  return due === null ? end : Math.min(due, end);
}

/** When it makes sense to claim a task that waits: at once when what it waits for is there. */
export function dueOfWait(draft: Draft, wait: Wait | null): number | null {
  const { mailbox } = draft.view.run;
  switch (wait?.kind) {
    case "ask":
      return mailbox.some((seq) => seq > wait.seq) ? draft.now : null;
    case "receive":
      return mailbox.length > 0 ? draft.now : null;
    case "auth":
      return wait.approved === true ? draft.now : null;
    case "sleep":
      return wait.until ?? draft.now;
    case "defer":
      return wait.handed === true ? (wait.until ?? null) : draft.now;
    default:
      return draft.now;
  }
}

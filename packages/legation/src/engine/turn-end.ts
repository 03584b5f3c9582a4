/** What the engine writes when the handler of a turn has come to its end. */
import type { Message } from "../model/gen/types.ts";
import type { Draft } from "./draft.ts";
import type { Ending } from "./turn.ts";
import { draftTurn, withinTotal } from "./turn-entries.ts";

/** The states of the endings that end the task. */
const ENDS_IN = {
  return: "TASK_STATE_COMPLETED",
  complete: "TASK_STATE_COMPLETED",
  reject: "TASK_STATE_REJECTED",
  fail: "TASK_STATE_FAILED",
} as const;

/** An ending, with what it says as the message that it becomes. */
export interface TurnEnd {
  readonly kind: Ending["kind"];
  readonly message: Message | undefined;
  readonly agentVersion: string;
  readonly totalMs: number;
}

/** Says what follows from an ending; true when the next turn begins at once. @throws TypeError for a foreign deferral */
export function draftEnd(draft: Draft, { kind, message, agentVersion, totalMs }: TurnEnd): boolean {
  const { wait, mailbox } = draft.view.run;
  const isDeferred = wait?.kind === "defer" && message === undefined;
  if (isDeferred && (kind === "return" || kind === "defer")) {
    draft.run({ wait: { ...wait, handed: true } });
    const due = withinTotal(draft, wait.until ?? null, totalMs);
    draft.set({ holder: null, leaseUntil: 0, due, attempts: 0 });
    return false;
  }
  if (kind === "defer") throw new TypeError("this is no deferral of this turn: return what its defer() gave");
  if (kind === "return" && mailbox.length > 0) {
    draft.run({ open: false });
    draftTurn(draft, agentVersion, message);
    draft.set({ attempts: 1 });
    return true;
  }
  if (kind === "pause") {
    draft.status("TASK_STATE_INPUT_REQUIRED", message);
    draft.run({ open: false, wait: null });
    const due = withinTotal(draft, draft.view.run.mailbox.length > 0 ? draft.now : null, totalMs);
    draft.set({ holder: null, leaseUntil: 0, due, attempts: 0 });
    return false;
  }
  draft.status(ENDS_IN[kind], message);
  return false;
}

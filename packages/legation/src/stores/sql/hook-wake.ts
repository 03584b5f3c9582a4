import type { HookRow } from "../../engine/push-hook.ts";
import type { EventKind, NewEvent } from "../../engine/store.ts";

/** The columns of a webhook that decide when it may be claimed. */
export type HookWakeColumns = Pick<HookRow, "holder" | "leaseUntil" | "due">;

/** Gives the moment from which a webhook may be claimed, in ms, or null when it rests; as `wakeOf` does for a task. */
export function hookWakeOf({ holder, leaseUntil, due }: HookWakeColumns): number | null {
  return holder === null ? due : leaseUntil;
}

/**
 * When a commit makes webhooks due: at once, by the time of its last entry. That one is never dated before those of
 * earlier: since the clock was set back it may be dated ahead, by an hour, and for so long nobody would be told.
 */
export function dueWith(events: readonly NewEvent[]): number {
  return Math.min(events.at(-1)?.time ?? 0, Date.now());
}

const PUBLIC: ReadonlySet<EventKind> = new Set<EventKind>(["created", "status", "artifact"]);

/** True when subscribers see one of these entries: then the webhooks of the task have something to deliver. */
export function hasPublic(events: readonly NewEvent[]): boolean {
  return events.some(({ kind }) => PUBLIC.has(kind));
}

import type { TaskColumns } from "../../engine/store.ts";

/** The columns that decide when a task may be claimed. */
export type WakeColumns = Pick<TaskColumns, "holder" | "leaseUntil" | "due" | "held">;

/**
 * Gives the moment from which a task may be claimed, in ms, or null when nobody may claim it: the end of the lease
 * while somebody holds it (a crashed holder must not keep it for ever), otherwise when it is due. Every store keeps
 * this one number in an ordered index, so that claim and nextDue never scan.
 *
 * @param columns the columns of one task.
 */
export function wakeOf(columns: WakeColumns): number | null {
  if (columns.held !== null) return null;
  return columns.holder === null ? columns.due : columns.leaseUntil;
}

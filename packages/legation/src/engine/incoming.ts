import type { MessageEntry } from "./journal.ts";
import { RunHeld } from "./replay.ts";
import type { EventRow } from "./store.ts";
import type { Incoming } from "./turn.ts";

/** The message of an entry of the log. @throws RunHeld when it was erased */
export function incomingOf(row: EventRow | undefined, seq: number): Incoming {
  if (row?.seq !== seq || row.payload === "") throw new RunHeld(`message ${seq} of this task was erased`);
  return { ...(JSON.parse(row.payload) as MessageEntry), seq };
}

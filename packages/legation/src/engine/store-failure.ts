import { A2AError } from "../operations/errors.ts";
import { StoreUnavailable, Unstorable } from "./store.ts";

/** What a caller is told when the store failed: try again, where that may help; anything else as it is. */
export function toldOf(failed: unknown): unknown {
  if (failed instanceof StoreUnavailable || failed instanceof Unstorable) return refusalOf(failed);
  return failed;
}

/** A store that is away is told as UNAVAILABLE, whatever was asked for. */
export function told<T>(work: Promise<T>): Promise<T> {
  return work.catch(throwTold);
}

function throwTold(failed: unknown): never {
  throw toldOf(failed);
}

/** The error for a commit that the store did not take. */
export function refusalOf(failed: unknown): A2AError {
  // A text that is longer than any may be is a RangeError, wherever it is put together.
  if (failed instanceof Unstorable || failed instanceof RangeError) return unkeepable(failed);
  if (!(failed instanceof TypeError)) return storeAway(failed);
  const text =
    "the store was given something that it has no form for, and a retry does not help: see the log of the agent";
  return new A2AError("INTERNAL", text, { cause: failed });
}

/** True for the error of {@link refusalOf} that no retry helps against. */
export function isUnkeepable(reason: unknown): boolean {
  return reason instanceof A2AError && reason.code === "INVALID_PARAMS";
}

function unkeepable(cause: unknown): A2AError {
  const text =
    "the store cannot keep a value of this, and sending it again does not help: " +
    "leave out U+0000 and other characters that no text may hold, or make it smaller";
  return new A2AError("INVALID_PARAMS", text, { cause });
}

/** The error for those who wait for a task that is stored and cannot go on for now. */
export function goesOnLater(taskId: string, cause: unknown): A2AError {
  const text =
    `task ${taskId} is stored, but the store cannot take what follows now; it goes on by itself: ` +
    "read it with GetTask, or send the same message again";
  return new A2AError("UNAVAILABLE", text, { retryAfterSeconds: 1, metadata: { taskId }, cause });
}

/** The error for something that the store cannot take now. */
function storeAway(cause: unknown): A2AError {
  return new A2AError("UNAVAILABLE", "the store cannot take this now, try again", { retryAfterSeconds: 1, cause });
}

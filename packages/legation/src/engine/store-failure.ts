import { A2AError } from "../operations/errors.ts";
import { StoreUnavailable } from "./store.ts";

/** What a caller is told when the store failed: try again, where that may help; anything else as it is. */
export function toldOf(failed: unknown): unknown {
  if (!(failed instanceof StoreUnavailable)) return failed;
  return storeAway(failed);
}

/** The error for something that the store cannot take now. */
export function storeAway(cause: unknown): A2AError {
  return new A2AError("UNAVAILABLE", "the store cannot take this now, try again", { retryAfterSeconds: 1, cause });
}

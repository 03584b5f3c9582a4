import type { Batch } from "../../engine/store.ts";

/**
 * A disk that takes longer for a COMMIT keeps every other caller of the process waiting. What the process itself does
 * for a commit is not counted: a thread would not save it, but add the handing over of the batch.
 */
const SLOW_MS = 1;
/** So many commits decide: one that was slow by chance moves nothing. */
const LOOKED_AT = 16;
/** A batch with that much in it is slow on any disk. */
const LARGE_LENGTH = 1_048_576;

/** Tells when commits belong on a thread of their own. */
export interface SlowCommits {
  /** Notes how long the disk took for a COMMIT. */
  note(tookMs: number): void;
  /** True once most of the last commits were slow. */
  readonly slow: boolean;
}

/** Makes a counter without any commit. */
export function createSlowCommits(): SlowCommits {
  const took: number[] = [];
  return {
    note: (tookMs) => {
      took.push(tookMs);
      if (took.length > LOOKED_AT) took.shift();
    },
    get slow() {
      return took.length === LOOKED_AT && took.filter((each) => each > SLOW_MS).length * 2 > LOOKED_AT;
    },
  };
}

/** True for a batch that should not be written on the main thread whatever the disk. */
export function isLargeBatch(batch: Batch): boolean {
  let length = 0;
  for (const { blobs, events, snapshot } of batch.tasks) {
    length += snapshot?.length ?? 0;
    for (const { payload } of events) length += payload.length;
    for (const { bytes } of blobs ?? []) length += bytes.length;
  }
  return length >= LARGE_LENGTH;
}

/** A first send is kept in the bucket of the day on which it expires; a bucket goes as a whole. */
const BUCKET_MS = 86_400_000;

/** The bucket of rows that live as long as their task. */
export const LIFE_BUCKET = 0;

/**
 * Gives the bucket of a dedupe row. Rows are kept at least until they expire and at most a day longer.
 *
 * @param expires wall time in ms; null for a row that lives as long as its task.
 */
export function bucketOf(expires: number | null): number {
  return expires === null ? LIFE_BUCKET : Math.max(1, Math.floor(expires / BUCKET_MS));
}

/**
 * Gives the first bucket that still counts at a time; older ones (but for {@link LIFE_BUCKET}) are gone.
 *
 * @param now wall time in ms.
 */
export function oldestBucket(now: number): number {
  return bucketOf(now);
}

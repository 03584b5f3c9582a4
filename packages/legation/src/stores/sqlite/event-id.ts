/**
 * An entry of a log has the id `key << SEQ_BITS | seq`. So a log holds up to 67 million entries, and there is room for
 * 137 thousand million tasks. The arithmetic is done by SQLite: the ids go beyond the integers that a number can hold.
 */
export const SEQ_BITS = 26;

/** Gives the condition on the column `id` of `alias` that picks the entries of the task whose key is given. */
export function eventsOf(alias: string, key: string): string {
  return `${alias}.id > (${key} << ${SEQ_BITS}) AND ${alias}.id < ((${key} + 1) << ${SEQ_BITS})`;
}

/** Gives the expression of the seq of an entry. */
export function seqOf(alias: string): string {
  return `${alias}.id & ${2 ** SEQ_BITS - 1}`;
}

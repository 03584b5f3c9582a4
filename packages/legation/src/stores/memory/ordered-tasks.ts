/** A block is split when it grows to this; half of it stays cheap to shift in one move of memory. */
const BLOCK = 512;

/** A place in the order of ListTasks. */
export interface Place {
  readonly statusTime: number;
  readonly id: string;
}

/** Compares by (statusTime, id) ascending. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.statusTime !== b.statusTime) return a.statusTime < b.statusTime ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/**
 * Tasks in the order (statusTime, id), in sorted blocks of bounded size: a task is found by two binary searches, and
 * putting it in or taking it out moves at most one block. So a touch costs the same among 1,000 tasks as among
 * 1,000,000, wherever the task stood. A task must be taken out before its statusTime changes.
 */
export class OrderedTasks<T extends Place> {
  readonly #blocks: T[][] = [[]];
  #size = 0;

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Puts a task in. */
  add(task: T): void {
    const blockAt = this.#blockOf(task);
    const block = this.#block(blockAt);
    block.splice(lowerBound(block, task), 0, task);
    this.#size += 1;
    // The last block grows by appends: leave it nearly full instead of halving it, the order of time fills it once.
    if (block.length < BLOCK) return;
    const isLast = blockAt === this.#blocks.length - 1;
    this.#blocks.splice(blockAt + 1, 0, block.splice(isLast ? BLOCK - 16 : BLOCK / 2));
  }

  /** Takes a task out that is in. */
  remove(task: T): void {
    const blockAt = this.#blockOf(task);
    const block = this.#block(blockAt);
    const at = lowerBound(block, task);
    if (block[at] !== task) return;
    block.splice(at, 1);
    this.#size -= 1;
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(blockAt, 1);
  }

  /** Gives how many have a statusTime at or after `since`. */
  countSince(since: number): number {
    const from: Place = { statusTime: since, id: "" };
    let blockAt = this.#blockOf(from);
    let count = this.#block(blockAt).length - lowerBound(this.#block(blockAt), from);
    for (blockAt += 1; blockAt < this.#blocks.length; blockAt += 1) count += this.#block(blockAt).length;
    return count;
  }

  /**
   * Gives at most `limit` tasks in descending order.
   *
   * @param limit how many.
   * @param before only tasks before this place; undefined for all.
   * @param since only tasks with a statusTime at or after this.
   */
  takeDescending(limit: number, before: Place | undefined, since: number): T[] {
    const taken: T[] = [];
    let blockAt = before === undefined ? this.#blocks.length - 1 : this.#blockOf(before);
    let block = this.#block(blockAt);
    let at = before === undefined ? block.length : lowerBound(block, before);
    while (taken.length < limit) {
      at -= 1;
      if (at < 0) {
        blockAt -= 1;
        if (blockAt < 0) break;
        block = this.#block(blockAt);
        at = block.length;
        continue;
      }
      const task = block[at] as T;
      if (task.statusTime < since) break;
      taken.push(task);
    }
    return taken;
  }

  /** The first block whose last task is at or after the place; the last block when there is none. */
  #blockOf(place: Place): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    const last = this.#block(high);
    const lastBefore = this.#blocks.length > 1 ? this.#block(high - 1).at(-1) : undefined;
    // Most touches are "now": the last block, without a search.
    if (last.length > 0 && (lastBefore === undefined || comparePlaces(lastBefore, place) < 0)) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      const end = this.#block(middle).at(-1);
      if (end !== undefined && comparePlaces(end, place) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #block(at: number): T[] {
    return this.#blocks[at] as T[];
  }
}

/** The first index whose task is at or after the place. */
function lowerBound(block: readonly Place[], place: Place): number {
  let high = block.length;
  const last = block[high - 1];
  if (last === undefined || comparePlaces(last, place) < 0) return high;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(block[middle] as Place, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

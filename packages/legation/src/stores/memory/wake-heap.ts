/** What a task must have to wait here. */
export interface Waiting {
  /** When it may be claimed, in ms; null when it waits for nothing. */
  wake: number | null;
  /** Place in the heap, -1 when it is in none. */
  heapAt: number;
}

/** Tasks by the time from which they may be claimed, soonest first: a binary heap that knows each task's place in it. */
export class WakeHeap<T extends Waiting> {
  readonly #tasks: T[] = [];

  /** The task that may be claimed first. */
  get first(): T | undefined {
    return this.#tasks[0];
  }

  /** Puts a task where its new wake time belongs, in or out. */
  set(task: T, wake: number | null): void {
    if (wake === null) {
      task.wake = null;
      if (task.heapAt >= 0) this.#remove(task.heapAt);
      return;
    }
    const before = task.wake;
    task.wake = wake;
    if (task.heapAt < 0) {
      task.heapAt = this.#tasks.length;
      this.#tasks.push(task);
      this.#up(task.heapAt);
    } else if (before !== null && wake < before) this.#up(task.heapAt);
    else this.#down(task.heapAt);
  }

  /** Gives all tasks in no order. */
  values(): Iterable<T> {
    return this.#tasks;
  }

  #remove(at: number): void {
    const task = this.#tasks[at];
    const last = this.#tasks.pop();
    if (task === undefined || last === undefined) return;
    task.heapAt = -1;
    if (task === last) return;
    this.#put(at, last);
    this.#up(at);
    this.#down(last.heapAt);
  }

  #up(from: number): void {
    let at = from;
    const task = this.#tasks[at] as T;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#tasks[parentAt] as T;
      if (wakeTime(parent) <= wakeTime(task)) break;
      this.#put(at, parent);
      at = parentAt;
    }
    this.#put(at, task);
  }

  #down(from: number): void {
    let at = from;
    const task = this.#tasks[at] as T;
    for (;;) {
      let childAt = at * 2 + 1;
      let child = this.#tasks[childAt];
      const right = this.#tasks[childAt + 1];
      if (child === undefined) break;
      if (right !== undefined && wakeTime(right) < wakeTime(child)) {
        child = right;
        childAt += 1;
      }
      if (wakeTime(task) <= wakeTime(child)) break;
      this.#put(at, child);
      at = childAt;
    }
    this.#put(at, task);
  }

  #put(at: number, task: T): void {
    this.#tasks[at] = task;
    task.heapAt = at;
  }
}

function wakeTime(task: Waiting): number {
  return task.wake ?? Number.POSITIVE_INFINITY;
}

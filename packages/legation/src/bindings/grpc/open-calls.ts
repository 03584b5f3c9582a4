/** Calls that are told of something later on: that the host stops, or that they took too long. */

interface Entry<Call> {
  readonly call: Call;
  at: number;
}

/** Where a call is that has gone. */
const GONE = -1;

/**
 * Calls that come and go, in no order. It is no Set: V8 links each table that a Set has outgrown to the one that follows,
 * so that one of them, grown old, holds every call that came after it until the next full collection.
 */
export class OpenCalls<Call> {
  readonly #entries: Entry<Call>[] = [];

  /** @returns takes the call away again; called again, it does nothing */
  add(call: Call): () => void {
    const entry: Entry<Call> = { call, at: this.#entries.length };
    this.#entries.push(entry);
    return () => {
      const { at } = entry;
      if (at === GONE) return;
      entry.at = GONE;
      const last = this.#entries.pop();
      if (last === undefined || last === entry) return;
      this.#entries[at] = last;
      last.at = at;
    };
  }

  /** Those of now. */
  list(): readonly Call[] {
    return this.#entries.map(({ call }) => call);
  }
}

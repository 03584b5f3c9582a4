/** The calls that are told when the host stops. */
import type { ServerCall } from "./server-call.ts";

interface Entry {
  readonly call: ServerCall;
  at: number;
}

/**
 * Calls that come and go, in no order. It is no Set: V8 links each table that a Set has outgrown to the one that follows,
 * so that one of them, grown old, holds every call that came after it until the next full collection.
 */
export class OpenCalls {
  readonly #entries: Entry[] = [];

  /** @returns takes the call away again; to be called once */
  add(call: ServerCall): () => void {
    const entry: Entry = { call, at: this.#entries.length };
    this.#entries.push(entry);
    return () => {
      const last = this.#entries.pop();
      if (last === undefined || last === entry) return;
      this.#entries[entry.at] = last;
      last.at = entry.at;
    };
  }

  /** Those of now. */
  list(): readonly ServerCall[] {
    return this.#entries.map(({ call }) => call);
  }
}

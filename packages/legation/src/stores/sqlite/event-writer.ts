import type { DatabaseSync } from "node:sqlite";
import type { NewEvent } from "../../engine/store.ts";
import { KIND_CODES } from "../sql/codes.ts";
import { SEQ_BITS } from "./event-id.ts";

/** Entries of one statement: the call costs as much as an entry, and four take most of that away. */
const AT_ONCE = 4;

/** Writes entries of logs. Only inside a transaction. */
export interface EventWriter {
  /** Appends entries to the log of a task that has `seq` entries. */
  append(key: number, seq: number, events: readonly NewEvent[]): void;
}

/** Makes the writer of a connection. */
export function createEventWriter(db: DatabaseSync): EventWriter {
  const one = db.prepare(insertText(1));
  const several = db.prepare(insertText(AT_ONCE));
  return {
    append: (key, seq, events) => {
      if (seq + events.length >= 2 ** SEQ_BITS) {
        throw new RangeError(`the log of the task with key ${key} is full at ${seq} entries`);
      }
      let at = 0;
      for (; at + AT_ONCE <= events.length; at += AT_ONCE) {
        const [a, b, c, d] = events.slice(at, at + AT_ONCE) as [NewEvent, NewEvent, NewEvent, NewEvent];
        several.run(key, seq + at, ...valuesOf(a), ...valuesOf(b), ...valuesOf(c), ...valuesOf(d));
      }
      for (const event of events.slice(at)) {
        one.run(key, seq + at, ...valuesOf(event));
        at += 1;
      }
    },
  };
}

function valuesOf({ kind, time, payload }: NewEvent): [number, number, string] {
  return [KIND_CODES[kind], time, payload];
}

/** `?1` is the key of the task and `?2` its seq before; three values follow for each entry. */
function insertText(entries: number): string {
  const rows = Array.from({ length: entries }, (_, n) => {
    const at = n * 3 + 3;
    return `((?1 << ${SEQ_BITS}) + ?2 + ${n + 1}, ?${at}, ?${at + 1}, ?${at + 2})`;
  });
  return `INSERT INTO events (id, kind, time, payload) VALUES ${rows.join(", ")}`;
}

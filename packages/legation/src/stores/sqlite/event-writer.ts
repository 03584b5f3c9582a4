import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { NewEvent } from "../../engine/store.ts";
import { KIND_CODES } from "../sql/codes.ts";
import { SEQ_BITS } from "./event-id.ts";

/** Entries of one statement at most: the call costs as much as an entry, and eight take most of that away. */
const AT_ONCE = 8;

/** Writes entries of logs. Only inside a transaction. */
export interface EventWriter {
  /** Appends entries to the log of a task that has `seq` entries. */
  append(key: number, seq: number, events: readonly NewEvent[]): void;
}

/** Makes the writer of a connection. */
export function createEventWriter(db: DatabaseSync): EventWriter {
  /** By how many entries they write; each is prepared when it is needed. */
  const inserts: StatementSync[] = [];
  return {
    append: (key, seq, events) => {
      if (seq + events.length >= 2 ** SEQ_BITS) {
        throw new RangeError(`the log of the task with key ${key} is full at ${seq} entries`);
      }
      for (let at = 0; at < events.length; at += AT_ONCE) {
        const count = Math.min(AT_ONCE, events.length - at);
        const values: (number | string)[] = [key, seq + at];
        for (let n = at; n < at + count; n += 1) {
          const { kind, time, payload } = events[n] as NewEvent;
          values.push(KIND_CODES[kind], time, payload);
        }
        inserts[count] ??= db.prepare(insertText(count));
        inserts[count].run(...values);
      }
    },
  };
}

/** `?1` is the key of the task and `?2` its seq before; three values follow for each entry. */
function insertText(entries: number): string {
  const rows = Array.from({ length: entries }, (_, n) => {
    const at = n * 3 + 3;
    return `((?1 << ${SEQ_BITS}) + ?2 + ${n + 1}, ?${at}, ?${at + 1}, ?${at + 2})`;
  });
  return `INSERT INTO events (id, kind, time, payload) VALUES ${rows.join(", ")}`;
}

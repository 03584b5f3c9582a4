/**
 * The log of one task in memory. Entries that came together, or are no longer the newest, are packed: their payloads
 * are one text, and no object stands for each of them, as the collector would visit it again and again. Of chunks only
 * their texts are kept, a tenth of their JSON: it is made again for who reads the log.
 */
import { Chunk, type ChunkForm, jsonOfParts } from "../../engine/chunk.ts";
import type { EventKind, EventRow, NewEvent } from "../../engine/store.ts";

/** Entries in a row. */
interface Pack {
  /** Seq before the first of them. */
  readonly after: number;
  /** One letter for each. */
  readonly kinds: string;
  readonly times: readonly number[];
  /** Where that of each ends in `text`; undefined when all payloads are gone. */
  readonly ends: readonly number[] | undefined;
  /** All payloads; of chunks their texts. */
  readonly text: string;
  /** Set on a pack of chunks. */
  readonly form: ChunkForm | undefined;
}

/** A commit with that many entries is packed as it comes. */
const PACKED_AT_ONCE = 8;
/** So many of the newest entries may stand by themselves. */
const MOST_ROWS = 64;

const LETTERS: Readonly<Record<EventKind, string>> = {
  created: "c",
  message: "m",
  status: "s",
  artifact: "a",
  turn: "t",
  decision: "d",
  opened: "o",
  "cancel.requested": "q",
  authorized: "z",
  "message.unprocessed": "u",
  held: "h",
};
const KINDS: ReadonlyMap<string, EventKind> = new Map(
  Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as EventKind]),
);

/** Most logs have nothing of the one or of the other. */
const NO_PACKS: Pack[] = [];
const NO_ROWS: EventRow[] = [];

export class StoredLog {
  /** Length of what is kept of the payloads. */
  length = 0;
  #packs = NO_PACKS;
  /** What comes after the packs. */
  #rows = NO_ROWS;

  /** True while a payload is there. */
  get isWhole(): boolean {
    return this.#rows.length > 0 || this.#packs.some(({ ends }) => ends !== undefined);
  }

  /** @param seq that of the last entry before these */
  append(seq: number, events: readonly NewEvent[]): void {
    for (const event of events) this.length += keptOf(event).length;
    if (events.length >= PACKED_AT_ONCE) {
      this.#pack();
      this.#add(packsOf(seq, events));
      return;
    }
    // Not a literal: most of the first ones live long, and V8 then puts all that follow among the old, where what they
    // hold outlives them.
    const rows = events.map((event, at) => (event instanceof Chunk ? event : new Row(seq + at + 1, event)));
    if (this.#rows === NO_ROWS) this.#rows = rows;
    else for (const row of rows) this.#rows.push(row);
    if (this.#rows.length >= MOST_ROWS) this.#pack();
  }

  /** A page of entries: at least one when there is any, then until `maxBytes`. */
  read(afterSeq: number, maxBytes: number): readonly EventRow[] {
    const page: EventRow[] = [];
    let length = 0;
    for (const row of this.#after(afterSeq)) {
      length += row.payload.length;
      if (page.length > 0 && length > maxBytes) break;
      page.push(row);
    }
    return page;
  }

  /** Nothing is expected to follow. A short log is not packed: most are forgotten before the collector comes twice. */
  close(): void {
    if (this.#rows.length >= PACKED_AT_ONCE) this.#pack();
  }

  /** Nothing follows for a while, which may be days: what is there is put together into one text. */
  rest(): void {
    this.#pack();
  }

  /** Takes the payloads away up to a seq. */
  forget(untilSeq: number): void {
    const last = this.#rows.at(-1)?.seq ?? (this.#packs.at(-1)?.after ?? 0) + (this.#packs.at(-1)?.times.length ?? 0);
    if (last <= untilSeq) {
      const all = this.#rows.length === 0 ? this.#packs : [...this.#packs, skeletonOf(this.#rows)];
      this.#packs = all.length === 0 ? NO_PACKS : [joined(all)];
      this.#rows = NO_ROWS;
      this.length = 0;
      return;
    }
    const rows = [...this.#after(0)];
    const gone = rows.filter(({ seq }) => seq <= untilSeq);
    const kept = rows.slice(gone.length);
    this.#packs = [...(gone.length === 0 ? [] : [skeletonOf(gone)]), ...packsOf(untilSeq, kept)];
    this.#rows = NO_ROWS;
    this.length = kept.reduce((sum, row) => sum + keptOf(row).length, 0);
  }

  /** Time of the last status at or before a time; undefined when there was none yet. */
  statusTime(asOf: number): number | undefined {
    for (const { kind, time } of this.#rows.toReversed()) if (time <= asOf && isStatus(LETTERS[kind])) return time;
    for (const { kinds, times } of this.#packs.toReversed()) {
      for (let at = times.length - 1; at >= 0; at -= 1) {
        const time = times[at] as number;
        if (time <= asOf && isStatus(kinds[at])) return time;
      }
    }
    return undefined;
  }

  *#after(seq: number): Generator<EventRow, void, undefined> {
    let at = this.#packs.length;
    while (at > 0 && (this.#packs[at - 1] as Pack).after >= seq) at -= 1;
    for (const pack of this.#packs.slice(Math.max(0, at - 1))) yield* rowsOf(pack, seq);
    for (const row of this.#rows) if (row.seq > seq) yield row;
  }

  #pack(): void {
    const [first] = this.#rows;
    if (first === undefined) return;
    this.#add(packsOf(first.seq - 1, this.#rows));
    this.#rows = NO_ROWS;
  }

  #add(packs: readonly Pack[]): void {
    if (this.#packs === NO_PACKS) this.#packs = [];
    this.#packs.push(...packs);
  }
}

/** An entry as it was written. */
class Row implements EventRow {
  readonly seq: number;
  readonly kind: EventKind;
  readonly time: number;
  readonly payload: string;

  constructor(seq: number, { kind, time, payload }: NewEvent) {
    this.seq = seq;
    this.kind = kind;
    this.time = time;
    this.payload = payload;
  }
}

function isStatus(letter: string | undefined): boolean {
  return letter === LETTERS.status || letter === LETTERS.created;
}

/** What a chunk can be made of again together with its text; undefined for other entries. */
function formOf(event: NewEvent): ChunkForm | undefined {
  return event instanceof Chunk && event.chunk !== undefined && !event.isLast ? event.form : undefined;
}

/** What is kept of an entry. */
function keptOf(event: NewEvent): string {
  return formOf(event) === undefined ? event.payload : (event as Chunk).text;
}

/** One pack for each stretch of chunks of one artifact, and for what stands between. */
function packsOf(after: number, events: readonly NewEvent[]): Pack[] {
  const packs: Pack[] = [];
  for (let from = 0, to = 0; from < events.length; from = to) {
    const form = formOf(events[from] as NewEvent);
    for (to = from + 1; to < events.length && formOf(events[to] as NewEvent) === form; ) to += 1;
    packs.push(packOf(after + from, events.slice(from, to), form));
  }
  return packs;
}

function packOf(after: number, events: readonly NewEvent[], form: ChunkForm | undefined): Pack {
  const texts = events.map(keptOf);
  let end = 0;
  const ends = texts.map(({ length }) => {
    end += length;
    return end;
  });
  // Joined, not added: a text is one piece then, and lets go of what it was made of.
  const text = texts.join("");
  const times = events.map(({ time }) => time);
  const kinds = form === undefined ? kindsOf(events) : LETTERS.artifact.repeat(events.length);
  return { after, kinds, times, ends, text, form };
}

let lastKinds = "";

/** Most tasks have the same kinds of entries in the same order: they share one text. */
function kindsOf(events: readonly NewEvent[]): string {
  if (!events.every(({ kind }, at) => LETTERS[kind] === lastKinds[at]) || events.length !== lastKinds.length) {
    lastKinds = events.map(({ kind }) => LETTERS[kind]).join("");
  }
  return lastKinds;
}

/** What is left of entries without their payloads. */
function skeletonOf(rows: readonly EventRow[]): Pack {
  const times = rows.map(({ time }) => time);
  return { after: (rows[0]?.seq ?? 1) - 1, kinds: kindsOf(rows), times, ends: undefined, text: "", form: undefined };
}

/** What is left of packs without their payloads. */
function joined(packs: readonly Pack[]): Pack {
  const [first] = packs;
  if (packs.length === 1 && first !== undefined && first.ends === undefined) return first;
  const kinds = packs.map((pack) => pack.kinds).join("");
  const times =
    packs.length === 1
      ? (first?.times ?? [])
      : (first?.times ?? []).concat(...packs.slice(1).map((pack) => pack.times));
  return { after: first?.after ?? 0, kinds, times, ends: undefined, text: "", form: undefined };
}

function* rowsOf({ after, kinds, times, ends, text, form }: Pack, seq: number): Generator<EventRow, void, undefined> {
  for (let at = Math.max(0, seq - after); at < times.length; at += 1) {
    const kept = ends === undefined ? "" : text.slice(at === 0 ? 0 : ends[at - 1], ends[at]);
    const payload = form === undefined ? kept : form.json(jsonOfParts(kept), false);
    yield { seq: after + at + 1, kind: KINDS.get(kinds[at] ?? "") ?? "status", time: times[at] ?? 0, payload };
  }
}

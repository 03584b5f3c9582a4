// Whatever the log keeps of its entries, and in however large pieces they came: what is read is what was written.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { Chunk, ChunkForm, contentOf } from "../../engine/chunk.ts";
import type { EventKind, EventRow, NewEvent } from "../../engine/store.ts";
import type { Part } from "../../model/gen/types.ts";
import { StoredLog } from "./stored-log.ts";

const forms = ["a", "b"].map((name) => new ChunkForm({ id: "t", contextId: "c" }, name, `${name}.txt`));

const parts: fc.Arbitrary<readonly Part[]> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary" }).map((text) => [{ text }]) },
  fc.string().map((text) => [{ text, mediaType: "text/x" }]),
  fc.constant([{ text: "one" }, { text: "two" }]),
);

/** An entry before it has a place: a chunk, or one with a payload of its own. */
type Draft = { readonly form: number; readonly parts: readonly Part[]; readonly isLast: boolean } | EventKind;

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ form: fc.nat(1), parts, isLast: fc.boolean() }) },
  fc.constantFrom<EventKind>("created", "message", "status", "artifact", "decision"),
);

function written(drafts: readonly Draft[], seq: number): NewEvent[] {
  return drafts.map((given, index) => {
    const at = seq + index + 1;
    if (typeof given === "string") return { kind: given, time: 10 * at, payload: `{"${given}":${at}}` };
    const chunk = new Chunk(forms[given.form] as ChunkForm, contentOf(given.parts), at, 10 * at);
    if (given.isLast) chunk.markLast();
    return chunk;
  });
}

function plain({ seq, kind, time, payload }: EventRow): EventRow {
  return { seq, kind, time, payload };
}

function readAll(log: StoredLog, afterSeq = 0): EventRow[] {
  return log.read(afterSeq, Number.POSITIVE_INFINITY).map(plain);
}

test("what is read is what was written, before and after the log is packed and a part of it is taken away", () => {
  const commits = fc.array(fc.array(draft, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(commits, fc.nat(), fc.nat(), fc.boolean(), (given, from, until, isResting) => {
      const log = new StoredLog();
      const expected: EventRow[] = [];
      for (const drafts of given) {
        const events = written(drafts, expected.length);
        log.append(expected.length, events);
        for (const { kind, time, payload } of events) expected.push({ seq: expected.length + 1, kind, time, payload });
        if (isResting) log.rest();
      }
      const after = from % (expected.length + 1);
      assert.deepEqual(readAll(log), expected);
      assert.deepEqual(readAll(log, after), expected.slice(after));
      const statuses = expected.filter(({ kind }) => kind === "status" || kind === "created");
      assert.equal(log.statusTime(10 * after), statuses.findLast(({ time }) => time <= 10 * after)?.time);
      const seq = until % (expected.length + 1);
      log.forget(seq);
      const left = expected.map((row) => (row.seq <= seq ? { ...row, payload: "" } : row));
      assert.deepEqual(readAll(log), left);
      assert.equal(log.isWhole, seq < expected.length);
    }),
  );
});

test("keeps of a chunk its text and nothing else", () => {
  const log = new StoredLog();
  const texts = Array.from({ length: 10 }, (_, index) => `word ${index} `);
  log.append(
    0,
    written(
      texts.map((text) => ({ form: 0, parts: [{ text }], isLast: false })),
      0,
    ),
  );
  assert.equal(log.length, texts.join("").length);
});

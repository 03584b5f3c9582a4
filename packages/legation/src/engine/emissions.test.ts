import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { applyArtifact } from "../model/apply-stream-response.ts";
import type { Artifact, Part, Task } from "../model/gen/types.ts";
import { type ArtifactWrite, Emissions, type Emitted } from "./emissions.ts";
import { headOf } from "./logged-artifact.ts";
import type { EventRow } from "./store.ts";
import type { ArtifactDraft } from "./turn.ts";

/** A log of one turn, as a run of the engine would write it. */
class Log {
  readonly rows: EventRow[] = [];
  readonly task: Task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
  #ids = 0;

  begin(before?: readonly Artifact[]): Emissions {
    const known = {
      idOf: (name: string) => this.task.artifacts?.findLast((artifact) => artifact.name === name)?.artifactId,
      has: (id: string) => this.task.artifacts?.some((artifact) => artifact.artifactId === id) ?? false,
      before,
    };
    return new Emissions(this.rows, () => `id-${this.#ids++}`, known);
  }

  write(name: string, write: ArtifactWrite, draft: Partial<ArtifactDraft> = {}): void {
    const head = { ...write.head, ...headOf(draft) };
    const artifact: Artifact = { artifactId: write.artifactId, name, parts: [...write.parts], ...head };
    const artifactUpdate = { taskId: "t", contextId: "c", artifact, ...(write.append ? { append: true } : {}) };
    this.push("artifact", { artifactUpdate });
    applyArtifact(this.task, JSON.parse(JSON.stringify(artifactUpdate)));
  }

  push(kind: EventRow["kind"], payload: object): number {
    this.rows.push({ seq: this.rows.length + 1, kind, time: 0, payload: JSON.stringify(payload) });
    return this.rows.length;
  }

  text(name: string): string | undefined {
    const found = this.task.artifacts?.filter((artifact) => artifact.name === name) ?? [];
    assert.ok(found.length <= 1, `${name} is there ${found.length} times`);
    return found[0]?.parts.map((part) => part.text).join("");
  }

  get appends(): readonly boolean[] {
    return this.rows.flatMap((row) =>
      row.kind === "artifact" ? [JSON.parse(row.payload).artifactUpdate.append === true] : [],
    );
  }
}

function emit(log: Log, emissions: Emissions, drafts: readonly ArtifactDraft[]): void {
  for (const draft of drafts) {
    const write = emissions.artifact(draft);
    if (write !== undefined) log.write(draft.name, write, draft);
  }
}

function finish(log: Log, emissions: Emissions): void {
  for (const { name, write } of emissions.finish()) log.write(name, write);
}

function chunks(name: string, ...texts: readonly string[]): ArtifactDraft[] {
  return texts.map((text, index) => ({ name, append: index > 0, parts: [{ text }] }));
}

function replay(log: Log, drafts: readonly ArtifactDraft[]): void {
  const emissions = log.begin();
  emit(log, emissions, drafts);
  finish(log, emissions);
}

describe("emissions", () => {
  it("writes nothing again that equals the log, however it is cut into chunks", () => {
    const log = new Log();
    emit(log, log.begin(), chunks("x", "one ", "two ", "three"));
    replay(log, chunks("x", "o", "ne two", " th", "", "ree"));
    assert.equal(log.rows.length, 3);
    assert.equal(log.text("x"), "one two three");
  });

  it("goes on by an append where the log ends", () => {
    const log = new Log();
    emit(log, log.begin(), chunks("x", "one ", "tw"));
    replay(log, chunks("x", "one two", " three"));
    assert.deepEqual(log.appends, [false, true, true, true]);
    assert.equal(log.text("x"), "one two three");
  });

  it("writes one replacement at the first difference, with what the artifact had beside its parts", () => {
    const log = new Log();
    emit(log, log.begin(), chunks("x", "one ", "two ", "three"));
    const [first, ...rest] = chunks("x", "one ", "2 ", "3");
    replay(log, [{ ...(first as ArtifactDraft), description: "numbers", metadata: { a: 1 } }, ...rest]);
    assert.deepEqual(log.appends, [false, true, true, false, true]);
    assert.equal(log.text("x"), "one 2 3");
    assert.equal(log.task.artifacts?.[0]?.description, "numbers");
    assert.deepEqual(log.task.artifacts?.[0]?.metadata, { a: 1 });
  });

  it("replaces an artifact that is shorter now, and one that has fewer versions now", () => {
    const log = new Log();
    emit(log, log.begin(), [...chunks("x", "one ", "two"), ...chunks("y", "first"), ...chunks("y", "second")]);
    replay(log, [...chunks("x", "one "), ...chunks("y", "first")]);
    assert.equal(log.text("x"), "one ");
    assert.equal(log.text("y"), "first");
    assert.equal(log.rows.length, 6);
  });

  it("never appends to a later version what belongs to an earlier one", () => {
    const log = new Log();
    emit(log, log.begin(), [...chunks("x", "a"), ...chunks("x", "b")]);
    const emissions = log.begin();
    emit(log, emissions, chunks("x", "a", "c"));
    assert.equal(log.text("x"), "ac");
    emit(log, emissions, chunks("x", "b"));
    finish(log, emissions);
    assert.equal(log.text("x"), "b");
  });

  it("does not take a later version for written when an earlier one was different", () => {
    const log = new Log();
    emit(log, log.begin(), chunks("x", "foo", "bar"));
    emit(log, log.begin(), chunks("x", "foo", "baz"));
    replay(log, [...chunks("x", "foo", "baz", "qux"), ...chunks("x", "foo", "baz")]);
    assert.equal(log.text("x"), "foobaz");
  });

  it("compares data and files as wholes, and the kind of a text", () => {
    const log = new Log();
    const parts: Part[] = [
      { data: { a: [1, null] } },
      { raw: "AAEC", filename: "x.bin" },
      { text: "t", mediaType: "text/x" },
    ];
    emit(log, log.begin(), [{ name: "x", parts }]);
    replay(log, [
      { name: "x", parts: [parts[0]!] },
      { name: "x", append: true, parts: parts.slice(1) },
    ]);
    assert.equal(log.rows.length, 1);
    replay(log, [{ name: "x", parts: [parts[0]!, parts[1]!, { text: "t" }] }]);
    assert.equal(log.rows.length, 2);
  });

  it("keeps artifacts of one name apart by the ids that the handler gives them", () => {
    const log = new Log();
    const of = (artifactId: string, text: string, append = false): ArtifactDraft => ({
      name: "x",
      artifactId,
      append,
      parts: [{ text }],
    });
    const drafts = [of("1", "a"), of("2", "b"), of("1", "c", true), of("2", "d", true)];
    emit(log, log.begin(), drafts);
    replay(log, drafts);
    assert.equal(log.rows.length, 4);
    assert.deepEqual(
      log.task.artifacts?.map(({ artifactId, parts }) => [artifactId, parts.map((part) => part.text).join("")]),
      [
        ["1", "ac"],
        ["2", "bd"],
      ],
    );
  });

  it("refuses an append to nothing, by name and by id", () => {
    const emissions = new Log().begin();
    assert.throws(() => emissions.artifact({ name: "x", append: true, parts: [] }), { code: "INVALID_AGENT_RESPONSE" });
    const byId = { name: "x", artifactId: "none", append: true, parts: [] };
    assert.throws(() => emissions.artifact(byId), { code: "INVALID_AGENT_RESPONSE" });
  });

  it("goes on with what a turn before began, and keeps it when the turn says something else after a restart", () => {
    const before: Artifact[] = [{ artifactId: "old", name: "x", description: "kept", parts: [{ text: "old " }] }];
    const log = new Log();
    log.task.artifacts = structuredClone(before);
    const more: ArtifactDraft = { name: "x", append: true, parts: [{ text: "new" }] };
    emit(log, log.begin(before), [more]);
    assert.equal(log.text("x"), "old new");
    assert.equal(Emissions.continuesEarlier(log.rows), true);
    const same = log.begin(before);
    emit(log, same, [more]);
    finish(log, same);
    assert.equal(log.rows.length, 1);
    const other = log.begin(before);
    emit(log, other, [{ ...more, parts: [{ text: "other" }] }]);
    finish(log, other);
    assert.equal(log.text("x"), "old other");
    assert.equal(log.task.artifacts?.[0]?.description, "kept");
  });

  it("skips a recorded step with what it emitted, and goes on behind it", () => {
    const log = new Log();
    const outside = chunks("x", "out ");
    const inside: ArtifactDraft[] = [
      { name: "x", append: true, parts: [{ text: "in " }] },
      ...chunks("y", "1"),
      ...chunks("y", "2"),
    ];
    const after: ArtifactDraft[] = [{ name: "x", append: true, parts: [{ text: "after" }] }];
    const emitted: Emitted = { statuses: 0, artifacts: { x: 0, y: 2 } };
    const first = log.begin();
    emit(log, first, [...outside, ...inside]);
    const seq = log.push("decision", { kind: "step", name: "s", occurrence: 0, ordinal: 0, emitted });
    emit(log, first, after);
    const rows = log.rows.length;
    for (let round = 0; round < 2; round++) {
      const again = log.begin();
      emit(log, again, outside);
      again.skip(emitted, seq);
      emit(log, again, after);
      finish(log, again);
      assert.equal(log.rows.length, rows);
    }
    assert.equal(log.text("x"), "out in after");
    assert.equal(log.text("y"), "2");
  });

  it("skips a write that was begun several times before it was finished, and knows what follows it", () => {
    const log = new Log();
    const whole = (text: string, emissions: Emissions): void => {
      emissions.fresh("x", undefined);
      emit(log, emissions, chunks("x", ...text.split("")));
    };
    whole("ab", log.begin());
    whole("cde", log.begin());
    const third = log.begin();
    whole("fgh", third);
    const emitted: Emitted = { statuses: 0, artifacts: { x: 1 } };
    const seq = log.push("decision", { kind: "write", name: "x", occurrence: 0, ordinal: 0, emitted });
    const tail: ArtifactDraft[] = [{ name: "x", append: true, parts: [{ text: "!" }] }];
    emit(log, third, tail);
    const rows = log.rows.length;
    const fourth = log.begin();
    fourth.skip(emitted, seq);
    emit(log, fourth, tail);
    finish(log, fourth);
    assert.equal(log.rows.length, rows);
    assert.equal(log.text("x"), "fgh!");
  });

  it("counts statuses of the handler, and not those that the engine writes with its journal", () => {
    const log = new Log();
    const decision = (kind: string): object => ({ kind, name: kind, occurrence: 0, ordinal: 0 });
    log.push("status", {});
    log.push("status", { first: 1 });
    log.push("decision", decision("step"));
    log.push("status", { second: 1 });
    log.push("opened", decision("ask"));
    log.push("status", {});
    log.push("message", {});
    log.push("decision", decision("ask"));
    log.push("status", {});
    log.push("status", { third: 1 });
    const emissions = log.begin();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => emissions.skipsStatus()),
      [true, true, true, false],
    );
  });

  it("leaves what the last run said, whatever the runs before it said and wherever they were cut off", () => {
    const text = fc.string({ maxLength: 3, unit: fc.constantFrom("a", "b") });
    const draft = fc.record({ name: fc.constantFrom("x", "y"), append: fc.boolean(), text });
    const run = fc.record({ drafts: fc.array(draft, { maxLength: 8 }), cut: fc.integer({ min: 0, max: 8 }) });
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 4 }), (runs) => {
        const log = new Log();
        const last = runs[runs.length - 1]!;
        const valid = (drafts: typeof last.drafts): ArtifactDraft[] => {
          const begun = new Set<string>();
          return drafts.map(({ name, append, text: content }) => {
            const isAppend = append && begun.has(name);
            begun.add(name);
            return { name, append: isAppend, parts: [{ text: content }] };
          });
        };
        for (const { drafts, cut } of runs.slice(0, -1)) emit(log, log.begin(), valid(drafts).slice(0, cut));
        const said = valid(last.drafts);
        replay(log, said);
        const expected = new Map<string, string>();
        for (const { name, append, parts } of said) {
          expected.set(name, (append === true ? (expected.get(name) ?? "") : "") + parts[0]?.text);
        }
        for (const [name, content] of expected) assert.equal(log.text(name), content);
        // Said again after a run without a cut, nothing of it is written again.
        const again = new Log();
        emit(again, again.begin(), said);
        const settled = again.rows.length;
        replay(again, said);
        assert.equal(again.rows.length, settled);
      }),
      { numRuns: 2_000 },
    );
  });
});

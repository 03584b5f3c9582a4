import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Part, StreamResponse } from "../../model/gen/types.ts";
import type { ArtifactForm, StreamEvent } from "../../operations/service.ts";
import { streamEventOfValue } from "../../operations/stream-event.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { EventFrames } from "./event-frames.ts";
import { writeStreamResponse } from "./gen/encode.ts";

const writer = new BinaryWriter();

function byGeneratedCode(values: readonly StreamResponse[]): Buffer {
  return Buffer.concat(values.map((value) => writer.collect(true, writeStreamResponse, value)));
}

const text = fc.oneof(
  fc.constant("half a pair: \ud83d"),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ maxLength: 3_000 }),
);

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text }) },
  fc.record({ text, mediaType: fc.constant("text/markdown") }),
  fc.record({ data: fc.jsonValue({ maxDepth: 2 }) }),
) as fc.Arbitrary<Part>;

const update = fc.record(
  {
    taskId: fc.constantFrom("t-1", "\u4efb\u52a1", ""),
    contextId: fc.constantFrom("c-1", "c-2"),
    artifact: fc.record(
      {
        artifactId: fc.constantFrom("a-1", "a-2"),
        name: fc.constantFrom("answer.txt", ""),
        parts: fc.array(part, { minLength: 1, maxLength: 2 }),
        metadata: fc.constant({ key: "value" }),
        extensions: fc.constant(["https://extension.example/v1"]),
      },
      { requiredKeys: ["artifactId", "parts"] },
    ),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
    metadata: fc.constant({ key: 1 }),
  },
  { requiredKeys: ["taskId", "contextId", "artifact"] },
);

const event: fc.Arbitrary<StreamResponse> = fc.oneof(
  { weight: 4, arbitrary: update.map((artifactUpdate): StreamResponse => ({ artifactUpdate }) as StreamResponse) },
  fc.constant<StreamResponse>({
    statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } },
  }),
);

test("batches of one stream are encoded as the generated code encodes each event", () => {
  fc.assert(
    fc.property(fc.array(fc.array(event, { minLength: 1, maxLength: 40 }), { maxLength: 5 }), (batches) => {
      const frames = new EventFrames();
      for (const batch of batches) {
        assert.deepEqual(frames.encode(batch.map((value) => streamEventOfValue(value))), byGeneratedCode(batch));
      }
    }),
  );
});

const forms = ["a-1", "\u4f5c\u54c1", "a-3", "a-4", "a-5", "a-6"].map((artifactId): ArtifactForm => {
  return { taskId: "t-1", contextId: "c-1", artifactId, name: "answer.txt", json: () => "" };
});

/** The event of a chunk, as the engine gives it. */
function chunkEvent(form: ArtifactForm, words: string, isLast: boolean): StreamEvent {
  const { taskId, contextId, artifactId, name } = form;
  const artifact = { artifactId, name, parts: [{ text: words }] };
  const update = { taskId, contextId, artifact, append: true, ...(isLast ? { lastChunk: true } : {}) };
  return { json: "", value: { artifactUpdate: update }, chunk: { form, text: words, isLast } };
}

const words = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  // Around every length at which a number takes a byte more, and a text is no longer short.
  fc
    .tuple(fc.constantFrom("a", "\u00e9", "\u4efb", "\ud83d"), fc.integer({ min: 20, max: 280 }))
    .map(([one, count]) => one.repeat(count)),
  text,
);

const chunk: fc.Arbitrary<StreamEvent> = fc
  .tuple(fc.constantFrom(...forms), words, fc.integer({ max: 9, min: 0 }))
  .map(([form, some, dice]) => chunkEvent(form, some, dice === 0));

test("chunks are encoded as the generated code encodes each event, alone and among other events", () => {
  const events = fc.oneof(
    { weight: 6, arbitrary: chunk },
    event.map((value) => streamEventOfValue(value)),
  );
  fc.assert(
    fc.property(fc.array(fc.array(events, { minLength: 1, maxLength: 60 }), { maxLength: 4 }), (batches) => {
      const frames = new EventFrames();
      for (const batch of batches)
        assert.deepEqual(frames.encode(batch), byGeneratedCode(batch.map(({ value }) => value)));
    }),
  );
});

test("the heads of chunks are right for every length of their texts, each met twice", () => {
  const frames = new EventFrames();
  const [form] = forms as [ArtifactForm];
  for (const unit of ["a", "\u4efb", "\u{1f600}"]) {
    for (let length = 0; length < 600; length++) {
      const batch = [0, 1].map(() => chunkEvent(form, unit.repeat(length), false));
      assert.deepEqual(frames.encode(batch), byGeneratedCode(batch.map(({ value }) => value)));
    }
  }
});

test("subscribers that are given the same events share one encoding", () => {
  const events = ["one", "two"].map((word) =>
    streamEventOfValue({
      artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a-1", parts: [{ text: word }] } },
    }),
  );
  const first = new EventFrames().encode(events);
  assert.equal(new EventFrames().encode([...events]), first);
  assert.notEqual(new EventFrames().encode(events.slice(1)), first);
});

test("an event that cannot be carried leaves nothing behind", () => {
  const frames = new EventFrames();
  const good: StreamResponse = { message: { messageId: "m-1", role: "ROLE_AGENT", parts: [{ text: "hello" }] } };
  const bad = { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "RUNNING" } } } as never;
  assert.throws(() => frames.encode([good, bad].map((value) => streamEventOfValue(value))), { name: "ModelError" });
  assert.deepEqual(frames.encode([streamEventOfValue(good)]), byGeneratedCode([good]));
});

// The JSON of a task that is put together from that of its entries is the one that its value has.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Message, Part, TaskState } from "../model/gen/types.ts";
import { Blobs } from "./blobs.ts";
import { ENGINE_DEFAULTS } from "./defaults.ts";
import { Append, Draft } from "./draft.ts";
import { LogContent, type LogSource } from "./log-content.ts";
import { foldRows, shapeTask } from "./projection.ts";
import { newView } from "./view.ts";

const identity = { id: 't"1', tenant: "", owner: "", agent: "a", contextId: 'c\\"1', createdAt: 0 };
const settings = { ...ENGINE_DEFAULTS, historyCap: 4 };
// Nothing here is large: what reads is never asked.
const store = undefined as unknown as LogSource["store"];

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => ({ text })),
  fc.jsonValue().map((data) => ({ data: JSON.parse(JSON.stringify(data)) }) as Part),
);
const message: fc.Arbitrary<Message> = fc.record({
  messageId: fc.string(),
  role: fc.constantFrom("ROLE_USER" as const, "ROLE_AGENT" as const),
  parts: fc.array(part, { minLength: 1, maxLength: 2 }),
});
const entry = fc.oneof(
  fc.record({ kind: fc.constant("message" as const), message }),
  fc.record({
    kind: fc.constant("status" as const),
    state: fc.constantFrom<TaskState>("TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"),
    message: fc.option(message, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("artifact" as const),
    artifactId: fc.constantFrom("x", "y"),
    parts: fc.array(part, { minLength: 1, maxLength: 2 }),
    append: fc.boolean(),
  }),
);
type Entry = typeof entry extends fc.Arbitrary<infer T> ? T : never;

function write(draft: Draft, given: Entry, known: Set<string>): void {
  if (given.kind === "message") draft.message({ message: given.message, meta: {} });
  else if (given.kind === "status") draft.status(given.state, given.message);
  else {
    const { artifactId, parts } = given;
    const artifact = { artifactId, name: artifactId, parts: [...parts] };
    const update = { taskId: identity.id, contextId: identity.contextId, artifact };
    const isMore = given.append && known.has(artifactId);
    known.add(artifactId);
    draft.artifact(isMore ? { ...update, append: true } : update, JSON.stringify(artifact));
  }
}

it("what is answered of a task is the same, whether its JSON is put together or written", () => {
  fc.assert(
    fc.property(
      fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined }),
      fc.array(entry),
      (meta, given) => {
        const append = new Append(() => {}, {});
        const draft = new Draft(identity, newView(), append, 1_700_000_000_000);
        const status = { state: "TASK_STATE_SUBMITTED" as const, timestamp: "2023-11-14T22:13:20.000Z" };
        const { id, contextId } = identity;
        draft.created({ id, contextId, status, ...(meta === undefined ? {} : { metadata: meta }) });
        const known = new Set<string>();
        for (const one of given) write(draft, one, known);
        const content = new LogContent({ store, settings, blobs: new Blobs(store, settings.blobBytes) });
        const rows = append.events.map((event, at) => ({ ...event, seq: at + 1 }));
        for (const [at, event] of append.events.entries()) {
          content.fold([event]);
          const task = foldRows(undefined, rows.slice(0, at + 1))?.task;
          assert.ok(task !== undefined);
          assert.equal(content.json({}), shapeTask(task, {}, settings.historyCap));
          const value = content.value({});
          if (value !== undefined) assert.equal(JSON.stringify(value), content.json({}));
        }
      },
    ),
  );
});

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import type { Incoming } from "../engine/turn.ts";
import type { Part } from "../model/gen/types.ts";
import { createSchemaQuestion, SKILL_SCHEMAS_EXTENSION } from "./answer.ts";

function incoming(...parts: Part[]): Incoming {
  return { message: { messageId: "m", role: "ROLE_USER", parts }, seq: 3, meta: {} };
}

async function answer<Output>(schema: z.ZodType<Output>, ...parts: Part[]): Promise<Output | string> {
  const question = createSchemaQuestion("How many days?", schema);
  const accepted = await question.accept(incoming(...parts));
  if (accepted.ok) return question.output(JSON.parse(JSON.stringify(accepted.value)));
  return accepted.again.parts.map((part) => part.text).join();
}

test("the question carries the JSON Schema of its answer", () => {
  const { utterance } = createSchemaQuestion("How many days?", z.object({ days: z.number() }));
  assert.deepEqual(utterance.parts, [{ text: "How many days?" }]);
  assert.deepEqual(utterance.extensions, ["urn:legation:extension:skill-schemas:v1"]);
  const carried = utterance.metadata?.[SKILL_SCHEMAS_EXTENSION] as { schema?: { required: unknown } } | undefined;
  assert.deepEqual(carried?.schema?.required, ["days"]);
});

test("a data part is validated as it is", async () => {
  assert.deepEqual(await answer(z.object({ days: z.number() }), { text: "here" }, { data: { days: 3 } }), { days: 3 });
});

test("a text fills the only property, as text, number or flag", async () => {
  assert.deepEqual(await answer(z.object({ name: z.string() }), { text: " 3 " }), { name: "3" });
  assert.deepEqual(await answer(z.object({ days: z.number() }), { text: "3" }), { days: 3 });
  assert.deepEqual(await answer(z.object({ days: z.coerce.number() }), { text: "3" }), { days: 3 });
  assert.deepEqual(await answer(z.object({ ok: z.boolean() }), { text: "true" }), { ok: true });
});

test("a text fills the only property that is required", async () => {
  const schema = z.object({ days: z.number(), car: z.string().optional() });
  assert.deepEqual(await answer(schema, { text: "3" }), { days: 3 });
});

test("pasted JSON is taken for data when its keys are those of the schema", async () => {
  assert.deepEqual(await answer(z.object({ a: z.string(), b: z.string() }), { text: '{"a":"x","b":"y"}' }), {
    a: "x",
    b: "y",
  });
  assert.deepEqual(await answer(z.object({ note: z.string() }), { text: '{"note":"x"}' }), { note: "x" });
});

test("a schema that is no object takes the text itself", async () => {
  assert.equal(await answer(z.enum(["car", "train"]), { text: "car" }), "car");
});

test("an answer that does not fit is asked again with the reason and what to send", async () => {
  assert.match(String(await answer(z.object({ days: z.number() }), { text: "some" })), /^How many days\?\ndays: /);
  assert.match(
    String(await answer(z.object({ a: z.string(), b: z.string() }), { text: "x" })),
    /answer with a data part: a, b/,
  );
});

test("an output that JSON cannot carry is made again from what was recorded", async () => {
  const made = await answer(z.object({ day: z.coerce.date() }), { data: { day: "2026-08-01" } });
  assert.deepEqual(made, { day: new Date("2026-08-01") });
});

test("an output that JSON can carry is recorded, so that made-up defaults stay", async () => {
  let made = 0;
  const validate = (): { value: number } => ({ value: ++made });
  const question = createSchemaQuestion("?", { "~standard": { version: 1, vendor: "x", validate } });
  const accepted = await question.accept(incoming({ text: "a" }));
  assert.ok(accepted.ok);
  assert.equal(await question.output(accepted.value), 1);
  assert.equal(await question.output(accepted.value), 1);
});

test("a schema without JSON Schema takes the text as it is", async () => {
  const bare = {
    "~standard": { version: 1 as const, vendor: "x", validate: (value: unknown) => ({ value: `got ${value}` }) },
  };
  const question = createSchemaQuestion("?", bare);
  assert.equal(question.utterance.metadata, undefined);
  const accepted = await question.accept(incoming({ text: "a" }));
  assert.ok(accepted.ok);
  assert.equal(await question.output(accepted.value), "got a");
});

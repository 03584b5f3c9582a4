/**
 * Answers to `task.ask(question, schema)`: from the message of a person or a program to the value that the schema
 * gives, or to the sentence that asks again.
 */
import type { Acceptance, Incoming, Utterance } from "../engine/turn.ts";
import { isJsonObject, type JsonObject, type JsonValue, whyNotJson } from "../model/json.ts";
import { type Says, utteranceOf } from "./content.ts";
import { dataOfParts, textOfParts } from "./message-handle.ts";
import { describeIssues, jsonSchemaOf, type SchemaIssue, type StandardSchema } from "./standard-schema.ts";

/** Extension whose metadata carries the JSON Schema of an answer that is asked for: `{ schema }`. */
export const SKILL_SCHEMAS_EXTENSION = "urn:legation:extension:skill-schemas:v1";

/**
 * What is journaled of an accepted answer. The output of the schema where JSON can carry it, so that a schema which
 * makes something up (a default id) gives the same again on replay; else the input, validated once more.
 */
type Journaled = { readonly output: JsonValue } | { readonly input: JsonValue };

/** A question whose answer has to fit a schema. */
export interface SchemaQuestion<Output> {
  /** What is said, with the JSON Schema in its metadata. */
  readonly utterance: Utterance;
  /** Says whether a message answers it; the value is opaque and goes to {@link SchemaQuestion.output}. */
  readonly accept: (incoming: Incoming) => Promise<Acceptance<JsonObject>>;
  /** The value that the handler gets for an accepted answer. */
  readonly output: (accepted: JsonObject) => Promise<Output>;
}

/** Makes the question for a schema. */
export function createSchemaQuestion<Output>(
  question: Says,
  schema: StandardSchema<unknown, Output>,
): SchemaQuestion<Output> {
  const jsonSchema = jsonSchemaOf(schema);
  return {
    utterance: withSchema(question, jsonSchema),
    async accept(incoming) {
      let issues: readonly SchemaIssue[] | undefined;
      for (const candidate of candidatesOf(incoming, jsonSchema)) {
        const result = await schema["~standard"].validate(candidate);
        if (result.issues === undefined) return { ok: true, value: journaledOf(candidate, result.value) };
        issues ??= result.issues;
      }
      return { ok: false, again: withSchema(againText(question, issues, jsonSchema), jsonSchema) };
    },
    async output(accepted) {
      const journaled = accepted as unknown as Journaled;
      if ("output" in journaled) return journaled.output as Output;
      const result = await schema["~standard"].validate(journaled.input);
      if (result.issues === undefined) return result.value;
      throw new Error(`the recorded answer no longer fits the schema: ${describeIssues(result.issues)}`);
    },
  };
}

function journaledOf(input: JsonValue, output: unknown): JsonObject {
  return output !== undefined && whyNotJson(output) === undefined ? { output: output as JsonValue } : { input };
}

function withSchema(says: Says, schema: JsonObject | undefined): Utterance {
  const { parts, metadata } = utteranceOf(says);
  if (schema === undefined) return { parts, metadata };
  return {
    parts,
    metadata: { ...metadata, [SKILL_SCHEMAS_EXTENSION]: { schema } },
    extensions: [SKILL_SCHEMAS_EXTENSION],
  };
}

/** What a message may mean as an answer, the likeliest first: its data as it is, else its text in the forms that fit. */
function candidatesOf(incoming: Incoming, schema: JsonObject | undefined): JsonValue[] {
  const { parts } = incoming.message;
  const data = dataOfParts(parts);
  if (data !== undefined) return [data];
  const text = textOfParts(parts).trim();
  const wrap = wrapperOf(schema);
  const parsed = parseJson(text);
  const plain = wrap === undefined ? text : wrap(text);
  // "3" for a number and "true" for a flag are what people type; `{"days":3}` is what programs paste.
  if (parsed === undefined || typeof parsed === "string") return [plain];
  if (isJsonObject(parsed)) {
    const names = propertyNames(schema);
    return Object.keys(parsed).every((name) => names.includes(name)) ? [parsed, plain] : [plain, parsed];
  }
  return [plain, wrap === undefined ? parsed : wrap(parsed)];
}

/** How a text becomes a value: put into the only property of an object schema, or the only one that is required. */
function wrapperOf(schema: JsonObject | undefined): ((value: JsonValue) => JsonObject) | undefined {
  const names = propertyNames(schema);
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const [only] = names.length === 1 ? names : required;
  if (typeof only !== "string" || (names.length !== 1 && required.length !== 1)) return undefined;
  return (value) => ({ [only]: value });
}

function propertyNames(schema: JsonObject | undefined): string[] {
  const properties = schema?.["properties"];
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function againText(question: Says, issues: readonly SchemaIssue[] | undefined, schema: JsonObject | undefined): string {
  const names = propertyNames(schema);
  const needs = names.length > 1 ? ` (answer with a data part: ${names.join(", ")})` : "";
  return `${textOfParts(utteranceOf(question).parts)}\n${describeIssues(issues ?? [])}${needs}`.trim();
}

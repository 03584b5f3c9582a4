/**
 * The two published interfaces that schema libraries implement, described structurally: Zod 4, Valibot, ArkType and
 * others fit as they are, and none of them is a dependency.
 *
 * @see https://standardschema.dev
 */
import { isJsonObject, type JsonObject } from "../model/json.ts";

/** Where in a value something is wrong. */
export type IssuePath = readonly (PropertyKey | { readonly key: PropertyKey })[];

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: IssuePath | undefined;
}

/** What a validation gives: the value in its output form, or what is wrong. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** Turns a schema into JSON Schema; may throw where the schema has no such form. */
export interface JsonSchemaConverter {
  readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
}

/**
 * A schema by Standard Schema v1, with JSON Schema where the library offers it.
 *
 * Without JSON Schema everything works but two things: a text answer cannot fill "the only property", and the caller
 * sees no form.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: JsonSchemaConverter | undefined;
  };
}

/** The type that a schema gives after validation. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/**
 * The JSON Schema of what a schema takes.
 *
 * @returns undefined where the library offers none, or has none for this schema
 */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  try {
    const made: unknown = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
    return isJsonObject(made) ? made : undefined;
  } catch {
    // The interface lets a converter throw for what JSON Schema cannot say; the schema still validates.
    return undefined;
  }
}

/** One line that tells a person what to correct: `days: expected number; car: required`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.map(({ message, path }) => {
    const where = (path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".");
    return where === "" ? message : `${where}: ${message}`;
  });
  return lines.length === 0 ? "the answer does not fit" : lines.join("; ");
}

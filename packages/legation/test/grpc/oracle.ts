/** protobuf-es over the descriptors that reflection answers with: another reader and writer of the same proto. */
import {
  createFileRegistry,
  type DescField,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { DESCRIPTORS } from "../../src/bindings/grpc/gen/descriptors.ts";

/** All types of the proto and of what it imports. */
export const registry: FileRegistry = createFileRegistry({
  $typeName: FileDescriptorSetSchema.typeName,
  // Imports come before what imports them.
  file: Object.values(DESCRIPTORS)
    .map((text) => fromBinary(FileDescriptorProtoSchema, Buffer.from(text, "base64")))
    .toReversed(),
});

/** The messages of the A2A proto. */
export const MESSAGES: readonly DescMessage[] = [...registry].flatMap((type) =>
  type.kind === "message" && type.typeName.startsWith("lf.a2a.v1.") ? [type] : [],
);

/** A message by its short name. */
export function messageNamed(name: string): DescMessage {
  const found = registry.getMessage(`lf.a2a.v1.${name}`);
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
}

/** What protobuf-es writes for a ProtoJSON object. */
export function encodeByOracle(message: DescMessage, json: unknown): Buffer {
  return Buffer.from(toBinary(message, fromJson(message, json as JsonValue)));
}

/** What protobuf-es reads, as ProtoJSON. */
export function decodeByOracle(message: DescMessage, bytes: Uint8Array): JsonValue {
  return toJson(message, fromBinary(message, bytes));
}

/** How objects are made: `filled` ones have nearly every field, and nothing that is empty. */
interface Making {
  readonly filled: boolean;
  readonly depth: number;
}

/** ProtoJSON objects of a message: whatever its fields can hold, each present or not. */
export function objectsOf(message: DescMessage): fc.Arbitrary<Record<string, unknown>> {
  return fc.oneof(made(message, { filled: false, depth: 0 }), made(message, { filled: true, depth: 0 }));
}

function made(message: DescMessage, making: Making): fc.Arbitrary<Record<string, unknown>> {
  const members = message.members.map((member): fc.Arbitrary<[string, unknown] | undefined> => {
    const chosen =
      member.kind === "oneof"
        ? fc.oneof(...member.fields.map((field) => fieldOf(field, making)))
        : fieldOf(member, making);
    return making.depth > 3 && member.kind === "field" && member.message !== undefined
      ? fc.constant(undefined)
      : fc.option(chosen, { nil: undefined, freq: making.filled ? 200 : 4 });
  });
  return fc
    .tuple(...members)
    .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)) as Record<string, unknown>);
}

function fieldOf(field: DescField, making: Making): fc.Arbitrary<[string, unknown]> {
  const least = making.filled ? 1 : 0;
  const value = fc.constant(undefined).chain(() => {
    switch (field.fieldKind) {
      case "list":
        return fc.array(single(field, field.listKind, making), { minLength: least, maxLength: 2 });
      case "map":
        return fc.dictionary(fc.constantFrom("a", "ü", "constructor"), single(field, field.mapKind, making), {
          minKeys: least,
          maxKeys: 2,
        });
      default:
        return single(field, field.fieldKind, making);
    }
  });
  return value.map((made) => [field.jsonName, made]);
}

function single(field: DescField, kind: "scalar" | "enum" | "message", making: Making): fc.Arbitrary<unknown> {
  if (kind === "enum" && field.enum !== undefined) {
    return fc.constantFrom(...field.enum.values.filter(({ number }) => number > 0).map(({ name }) => name));
  }
  const { message } = field;
  if (kind === "message" && message !== undefined) {
    switch (message.typeName) {
      case "google.protobuf.Struct":
        return fc.dictionary(fc.constantFrom("k", "", "toString", "日本"), json(), { maxKeys: 3 });
      case "google.protobuf.Value":
        return json();
      case "google.protobuf.Timestamp":
        return fc
          .date({
            min: new Date("0001-01-01T00:00:00Z"),
            max: new Date("9999-12-31T23:59:59.999Z"),
            noInvalidDate: true,
          })
          .map((date) => date.toISOString());
      default:
        return made(message, { ...making, depth: making.depth + 1 });
    }
  }
  switch (field.scalar) {
    case 5:
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case 8:
      return fc.boolean();
    case 12:
      return fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    default:
      return fc.oneof(
        { weight: 20, arbitrary: fc.string({ minLength: making.filled ? 1 : 0, maxLength: 12 }) },
        { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }) },
        { weight: 1, arbitrary: fc.constant("x".repeat(20_000)) },
      );
  }
}

function json(): fc.Arbitrary<unknown> {
  // JSON has one zero, and protobuf-es rebuilds objects key by key, so that `__proto__` is lost in it.
  return fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "p")));
}

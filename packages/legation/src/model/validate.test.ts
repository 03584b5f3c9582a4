import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { create, createFileRegistry, type DescMessage, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { parseProto } from "../../../../scripts/model/proto-parser.ts";
import type { FieldType, ProtoField, ProtoMessage } from "../../../../scripts/model/proto-schema.ts";
import { SHAPES } from "./gen/shapes.ts";
import * as card from "./gen/validate-card.ts";
import * as request from "./gen/validate-request.ts";
import * as task from "./gen/validate-task.ts";
import { type FieldViolation, ModelError } from "./model-error.ts";
import { type Checker, parseWith } from "./parse.ts";
import { parseLeniently, type ShapeName } from "./parse-leniently.ts";

/**
 * The generated validator against protobuf-es, for every message of the proto: the same inputs are accepted, and what
 * comes out is the same JSON. The oracle is `fromJson` of a descriptor built from our proto, then REQUIRED, then `toJson`.
 *
 * Where the two differ on purpose (each has a test of its own in parse.test.ts):
 * - unknown fields: the oracle gets the input without them, because told to ignore them it also ignores unknown enum names;
 * - a oneof member with an empty value beside one with content is taken out first: protobuf-es refuses both;
 * - unknown enum numbers are refused, also outside REQUIRED fields; so is the zero value when it is spelled out;
 * - an empty text for a time or an enum is unset, and taken out first;
 * - base64 with white space, and numbers in text other than plain digits, are refused: not generated here;
 * - one field in two spellings is refused, protobuf-es takes the last: not generated here;
 * - times are cut to milliseconds and always have three digits: `canonical` does the same to the oracle's;
 * - REQUIRED maps may be empty but must be there: the oracle cannot tell, so presence is looked up in the input;
 * - ListTasksResponse always has its four fields.
 */
const proto = parseProto(readFileSync(new URL("../../proto/a2a.proto", import.meta.url), "utf8"));
const checks = { ...card, ...request, ...task } as unknown as Record<string, Checker>;
const messages = new Map(proto.messages.map((message) => [message.name, message]));
const registry = createFileRegistry(descriptor(), (file) =>
  file === "google/protobuf/struct.proto" ? file_google_protobuf_struct : file_google_protobuf_timestamp,
);

type Json = Record<string, unknown>;

for (const message of proto.messages) {
  test(`${message.name}: the validator and protobuf-es agree`, () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(arbitraryOf(message), (input) => {
        const theirs = oracle(message, structuredClone(input));
        const ours = validate(message, structuredClone(input));
        assert.deepEqual(ours, theirs);
        seen[ours === undefined ? "refused" : "accepted"]++;
      }),
      { numRuns: 300, seed: 20_260_801 },
    );
    assert.ok(seen.accepted >= 10, `only ${seen.accepted} accepted`);
    assert.ok(seen.refused >= 10, `only ${seen.refused} refused`);
  });

  test(`${message.name}: the result is a fixed point`, () => {
    fc.assert(
      fc.property(arbitraryOf(message), (input) => {
        const once = validate(message, structuredClone(input));
        if (once !== undefined) assert.deepEqual(validate(message, structuredClone(once) as Json), once);
      }),
      { numRuns: 100, seed: 20_260_802 },
    );
  });
}

for (const shape of Object.keys(SHAPES) as ShapeName[]) {
  const message = messages.get(shape)!;
  test(`${shape}: what the strict validator takes, the lenient reader reads to the same without a word`, () => {
    let taken = 0;
    fc.assert(
      fc.property(arbitraryOf(message), (input) => {
        const strict = validate(message, structuredClone(input));
        if (strict === undefined) return;
        taken++;
        const onWarning = ({ field, description }: FieldViolation): never =>
          assert.fail(`warned of ${field}: ${description}`);
        assert.deepEqual(parseLeniently(shape, structuredClone(input), { onWarning }), strict);
      }),
      { numRuns: 300, seed: 20_260_803 },
    );
    assert.ok(taken >= 10, `only ${taken} taken`);
  });
}

function validate(message: ProtoMessage, input: Json): unknown {
  const check = checks[`check${message.name}`];
  assert.ok(check, message.name);
  try {
    return parseWith(input, undefined, check);
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return undefined;
  }
}

function oracle(message: ProtoMessage, input: Json): unknown {
  const plain = prepare(message, input);
  const schema = registry.getMessage(`lf.a2a.v1.${message.name}`);
  assert.ok(schema);
  let read: JsonValue;
  try {
    read = toJson(schema, fromJson(schema as DescMessage, plain as JsonValue));
  } catch {
    return undefined;
  }
  return canonical(message, read as Json, plain);
}

/** Takes out what the oracle is known to see differently; see the list above. */
function prepare(message: ProtoMessage, input: Json): Json {
  const out: Json = {};
  const arms = message.fields.filter((field) => field.oneof);
  const full = arms.some((field) => !isEmptyArm(field, given(input, field)));
  const empty = arms.some((field) => field.type.kind === "scalar" && given(input, field) === "");
  for (const field of message.fields) {
    const value = given(input, field);
    if (value === undefined || (value === "" && isTextOfAnotherKind(field.type))) continue;
    if (field.oneof && (full ? isEmptyArm(field, value) : empty && value === null)) continue;
    const key = Object.hasOwn(input, field.jsonName) ? field.jsonName : field.name;
    out[key] = mapMessages(field, value, prepare);
  }
  return out;
}

function isTextOfAnotherKind(type: FieldType): boolean {
  return type.kind === "enum" || (type.kind === "wellKnown" && type.name === "Timestamp");
}

function isEmptyArm(field: ProtoField, value: unknown): boolean {
  return value === undefined || value === null || (value === "" && field.type.kind === "scalar");
}

function given(input: Json, field: ProtoField): unknown {
  return Object.hasOwn(input, field.jsonName) ? input[field.jsonName] : input[field.name];
}

/** The oracle's output in our canonical form, or undefined when a REQUIRED field or a valid enum value is missing. */
function canonical(message: ProtoMessage, read: Json, input: Json): unknown {
  if (message.name === "ListTasksResponse") {
    for (const [key, value] of Object.entries({ tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0 })) {
      read[key] ??= value;
    }
  }
  let arms = 0;
  for (const field of message.fields) {
    const value = read[field.jsonName];
    const received = given(input, field);
    if (field.oneof && value !== undefined) arms++;
    if (field.type.kind === "enum" && received !== undefined && received !== null && received !== "") {
      if (typeof value !== "string" || value.endsWith("_UNSPECIFIED")) return undefined;
    }
    if (field.required && field.type.kind === "map") {
      if (received === undefined || received === null) return undefined;
      read[field.jsonName] ??= {};
    } else if (field.required && value === undefined) return undefined;
    if (value === undefined) continue;
    if (field.type.kind === "wellKnown" && field.type.name === "Timestamp") {
      read[field.jsonName] = (value as string).replace(/(?:\.(\d+))?Z$/, (_, digits = "") => {
        return `.${(digits as string).slice(0, 3).padEnd(3, "0")}Z`;
      });
    } else {
      const inner = mapMessages(field, value, canonical, received);
      if (inner === undefined) return undefined;
      read[field.jsonName] = inner;
    }
  }
  return message.oneofs.length > 0 && arms !== 1 ? undefined : read;
}

type Visit = (message: ProtoMessage, value: Json, given: Json) => unknown;

/** Applies `visit` to the messages in a field's value; undefined from any of them is the result. */
function mapMessages(field: ProtoField, value: unknown, visit: Visit, received: unknown = value): unknown {
  const type = field.type.kind === "map" ? field.type.value : field.type;
  if (type.kind !== "message") return value;
  const message = messages.get(type.name)!;
  const one = (inner: unknown, other: unknown): unknown =>
    isObject(inner) ? visit(message, inner, isObject(other) ? other : {}) : inner;
  if (Array.isArray(value)) {
    const list = value.map((inner, index) => one(inner, (received as unknown[])[index]));
    return list.includes(undefined) ? undefined : list;
  }
  if (field.type.kind === "map" && isObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => [key, one(inner, (received as Json)[key])]);
    return entries.some(([, inner]) => inner === undefined) ? undefined : Object.fromEntries(entries);
  }
  return one(value, received);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// ── Inputs: mostly right, with noise where the two could disagree ────────────────────────────────────────────────────

type Entry = [] | [key: string, value: unknown];

function arbitraryOf(message: ProtoMessage, depth = 0): fc.Arbitrary<Json> {
  const plain = message.fields.filter((field) => field.oneof === undefined);
  // The more fields, the rarer a wrong one, so that about half of all messages are right.
  const right = depth === 0 ? 8 + 4 * message.fields.length : 80;
  const fields: fc.Arbitrary<Entry>[] = plain.map((field) => {
    const present = field.required ? 40 : depth > 2 ? 1 : 4;
    return fc.oneof(
      { weight: present, arbitrary: entry(field, depth, right) },
      { weight: 1, arbitrary: fc.constant<Entry>([]) },
    );
  });
  const arms = message.fields.filter((field) => field.oneof !== undefined);
  if (arms.length > 0) {
    const arm = fc.oneof(...arms.map((field) => entry(field, depth, right)));
    fields.push(fc.oneof({ weight: 30, arbitrary: arm }, { weight: 1, arbitrary: fc.constant<Entry>([]) }));
    fields.push(fc.oneof({ weight: 1, arbitrary: arm }, { weight: 15, arbitrary: fc.constant<Entry>([]) }));
  }
  const unknown: fc.Arbitrary<Entry> = fc.tuple(fc.constantFrom("xUnknown", "x_other"), fc.jsonValue());
  fields.push(fc.oneof({ weight: 1, arbitrary: unknown }, { weight: 9, arbitrary: fc.constant<Entry>([]) }));
  return fc.tuple(...fields).map((entries) => {
    const pairs = new Map<string, [string, unknown]>();
    for (const [key, value] of entries) if (key !== undefined) pairs.set(camel(key), [key, value]);
    return Object.fromEntries(pairs.values());
  });
}

function camel(key: string): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function entry(field: ProtoField, depth: number, right: number): fc.Arbitrary<Entry> {
  const key = fc.oneof(
    { weight: 5, arbitrary: fc.constant(field.jsonName) },
    { weight: 1, arbitrary: fc.constant(field.name) },
  );
  const single = valueArbitrary(field.type, depth);
  const good = field.repeated
    ? fc.array(single, { minLength: field.required || depth > 2 ? 1 : 0, maxLength: 2 })
    : single;
  const noise = fc.constantFrom<unknown>(null, null, "", 0, false, [], {}, 7, "noise", true, [null], 1.5, -1);
  const value = fc.oneof({ weight: right, arbitrary: good }, { weight: 1, arbitrary: noise });
  return fc.tuple(key, value);
}

function valueArbitrary(type: FieldType, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "message":
      return depth > 4
        ? fc.constant({})
        : fc.constant(null).chain(() => arbitraryOf(messages.get(type.name)!, depth + 1));
    case "enum": {
      const { values } = proto.enums.find((one) => one.name === type.name)!;
      const names = values.slice(1).flatMap(({ name, number }) => [name, name, number]);
      return fc.oneof(
        { weight: 40, arbitrary: fc.constantFrom<unknown>(...names) },
        { weight: 1, arbitrary: fc.constantFrom<unknown>("working", 42, -1, values[0]!.name, 0, 1.5) },
      );
    }
    case "map":
      return fc.dictionary(fc.constantFrom("a", "b c", "constructor"), valueArbitrary(type.value, depth + 1), {
        maxKeys: 2,
      });
    case "wellKnown":
      if (type.name === "Timestamp") return timestamp();
      return type.name === "Struct" ? fc.dictionary(fc.constantFrom("k", "toString", ""), json()) : json();
    default:
      return scalarArbitrary(type.name);
  }
}

function json(): fc.Arbitrary<unknown> {
  // Neither -0 nor keys that an object literal treats specially: the oracle rebuilds objects key by key.
  return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "p")));
}

function scalarArbitrary(name: "string" | "bytes" | "bool" | "int32"): fc.Arbitrary<unknown> {
  if (name === "string") return fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" });
  if (name === "bool") return fc.boolean();
  if (name === "int32") {
    const number = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(0, 2 ** 31, 0.5));
    return fc.oneof(number, number.map(String));
  }
  const encoded = fc.uint8Array({ maxLength: 9 }).chain((bytes) => {
    return fc.constantFrom<BufferEncoding>("base64", "base64url").map((form) => Buffer.from(bytes).toString(form));
  });
  return fc.oneof(
    { weight: 20, arbitrary: encoded },
    { weight: 1, arbitrary: fc.constantFrom("a", "a*b=", "YR==", "é") },
  );
}

function timestamp(): fc.Arbitrary<unknown> {
  const good = fc
    .tuple(
      fc.date({ min: new Date("0001-01-03"), max: new Date("9999-12-29"), noInvalidDate: true }),
      fc.constantFrom("", ".1", ".123", ".123456", ".999999999"),
      fc.constantFrom("Z", "Z", "+00:00", "+02:30", "-11:00"),
    )
    .map(([date, fraction, zone]) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`);
  const bad = fc.constantFrom("yesterday", "2026-08-01", "2026-13-01T00:00:00Z", "2026-08-01T12:00:00", "");
  return fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: bad });
}

// ── The oracle's descriptor, from the parsed proto ───────────────────────────────────────────────────────────────────

function descriptor(): ReturnType<typeof create<typeof FileDescriptorProtoSchema>> {
  return create(FileDescriptorProtoSchema, {
    name: "a2a.proto",
    package: proto.package,
    syntax: "proto3",
    dependency: ["google/protobuf/struct.proto", "google/protobuf/timestamp.proto"],
    enumType: proto.enums.map(({ name, values }) => ({
      name,
      value: values.map(({ name, number }) => ({ name, number })),
    })),
    messageType: proto.messages.map((message) => {
      const optional = message.fields.filter((field) => field.optional);
      const oneofs = [...message.oneofs, ...optional.map((field) => `_${field.name}`)];
      return {
        name: message.name,
        field: message.fields.map((field) => fieldDescriptor(message, field, oneofs)),
        nestedType: message.fields.filter((field) => field.type.kind === "map").map(mapEntry),
        oneofDecl: oneofs.map((name) => ({ name })),
      };
    }),
  });
}

function fieldDescriptor(message: ProtoMessage, field: ProtoField, oneofs: readonly string[]): FieldDescriptorProto {
  const isMap = field.type.kind === "map";
  const oneof = field.optional ? `_${field.name}` : field.oneof;
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    jsonName: field.jsonName,
    number: field.number,
    label: field.repeated || isMap ? Label.REPEATED : Label.OPTIONAL,
    ...(isMap
      ? { type: Type.MESSAGE, typeName: `.lf.a2a.v1.${message.name}.${entryName(field)}` }
      : typeOf(field.type)),
    ...(field.optional && { proto3Optional: true }),
    ...(oneof !== undefined && { oneofIndex: oneofs.indexOf(oneof) }),
  });
}

function typeOf(type: FieldType): { type: Type; typeName?: string } {
  switch (type.kind) {
    case "scalar":
      return { type: { string: Type.STRING, bytes: Type.BYTES, bool: Type.BOOL, int32: Type.INT32 }[type.name] };
    case "enum":
      return { type: Type.ENUM, typeName: `.lf.a2a.v1.${type.name}` };
    case "wellKnown":
      return { type: Type.MESSAGE, typeName: `.google.protobuf.${type.name}` };
    case "message":
      return { type: Type.MESSAGE, typeName: `.lf.a2a.v1.${type.name}` };
    default:
      return assert.fail("a map inside a map");
  }
}

function entryName(field: ProtoField): string {
  return `${field.jsonName[0]!.toUpperCase()}${field.jsonName.slice(1)}Entry`;
}

function mapEntry(field: ProtoField): object {
  assert.ok(field.type.kind === "map");
  return {
    name: entryName(field),
    options: { mapEntry: true },
    field: [
      { name: "key", jsonName: "key", number: 1, label: Label.OPTIONAL, type: Type.STRING },
      { name: "value", jsonName: "value", number: 2, label: Label.OPTIONAL, ...typeOf(field.type.value) },
    ],
  };
}

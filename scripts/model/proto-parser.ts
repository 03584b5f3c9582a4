import { lexProto, type Token } from "./proto-lexer.ts";
import {
  type FieldType,
  jsonNameOf,
  type ProtoEnum,
  type ProtoField,
  type ProtoFile,
  type ProtoMessage,
  type ProtoMethod,
  type ProtoService,
} from "./proto-schema.ts";

/** A cursor over tokens; every reader below advances it. */
interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

type OptionValue = string | OptionBlock;
interface OptionBlock {
  readonly [key: string]: OptionValue;
}

const SCALARS = new Set(["string", "bytes", "bool", "int32"]);
const WELL_KNOWN = new Map([
  ["google.protobuf.Struct", "Struct"],
  ["google.protobuf.Value", "Value"],
  ["google.protobuf.Timestamp", "Timestamp"],
  ["google.protobuf.Empty", "Empty"],
]);

/**
 * Reads a proto3 file as far as the A2A protocol needs the language: top-level messages, enums and services;
 * `optional`, `repeated`, `map<string, …>`, `oneof`; `field_behavior`, `deprecated`, `json_name`, `http`,
 * `method_signature`.
 * Anything else is an error, so that nothing of the file is passed over in silence.
 *
 * @param source - The text of the file.
 * @returns The file as data, all type names resolved.
 * @throws Error with line and reason.
 */
export function parseProto(source: string): ProtoFile {
  const cursor: Cursor = { tokens: lexProto(source), at: 0 };
  const messages: ProtoMessage[] = [];
  const enums: ProtoEnum[] = [];
  const services: ProtoService[] = [];
  let packageName = "";
  while (cursor.at < cursor.tokens.length) {
    const head = next(cursor);
    if (head.text === "syntax") {
      expect(cursor, "=");
      if (next(cursor).text !== "proto3") throw failure(head, "only proto3 is read");
      expect(cursor, ";");
    } else if (head.text === "package") {
      packageName = next(cursor).text;
      expect(cursor, ";");
    } else if (head.text === "import") {
      next(cursor);
      expect(cursor, ";");
    } else if (head.text === "message") messages.push(readMessage(cursor, head.comment));
    else if (head.text === "enum") enums.push(readEnum(cursor, head.comment));
    else if (head.text === "service") services.push(readService(cursor));
    else throw failure(head, `unexpected ${head.text}`);
  }
  return resolve({ package: packageName, messages, enums, services });
}

function next(cursor: Cursor): Token {
  const token = cursor.tokens[cursor.at++];
  if (token === undefined) throw new Error("proto: the file ends too early");
  return token;
}

function peek(cursor: Cursor): string {
  return cursor.tokens[cursor.at]?.text ?? "";
}

function expect(cursor: Cursor, text: string): Token {
  const token = next(cursor);
  if (token.text !== text) throw failure(token, `expected ${text}, found ${token.text}`);
  return token;
}

function failure(token: Token, reason: string): Error {
  return new Error(`proto line ${token.line}: ${reason}`);
}

function integer(cursor: Cursor): number {
  const token = next(cursor);
  if (!/^\d+$/.test(token.text)) throw failure(token, `expected a number, found ${token.text}`);
  return Number(token.text);
}

function readMessage(cursor: Cursor, comment: string): ProtoMessage {
  const name = next(cursor).text;
  const fields: ProtoField[] = [];
  const oneofs: string[] = [];
  expect(cursor, "{");
  while (peek(cursor) !== "}") {
    if (peek(cursor) === "oneof") {
      next(cursor);
      const oneof = next(cursor).text;
      oneofs.push(oneof);
      expect(cursor, "{");
      while (peek(cursor) !== "}") fields.push(readField(cursor, oneof));
      expect(cursor, "}");
    } else fields.push(readField(cursor, undefined));
  }
  expect(cursor, "}");
  return { name, comment, fields, oneofs };
}

function readField(cursor: Cursor, oneof: string | undefined): ProtoField {
  const head = next(cursor);
  const label = head.text === "optional" || head.text === "repeated" ? head.text : "";
  const typeToken = label === "" ? head : next(cursor);
  let type: FieldType;
  if (typeToken.text === "map") {
    expect(cursor, "<");
    expect(cursor, "string");
    expect(cursor, ",");
    type = { kind: "map", value: namedType(next(cursor).text) };
    expect(cursor, ">");
  } else type = namedType(typeToken.text);
  const name = next(cursor).text;
  expect(cursor, "=");
  const number = integer(cursor);
  const { jsonName, ...marks } = peek(cursor) === "[" ? readFieldOptions(cursor) : NO_OPTIONS;
  expect(cursor, ";");
  return {
    name,
    jsonName: jsonName ?? jsonNameOf(name),
    number,
    type,
    repeated: label === "repeated",
    optional: label === "optional",
    ...marks,
    oneof,
    comment: head.comment,
  };
}

interface FieldOptions {
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly jsonName: string | undefined;
}

const NO_OPTIONS: FieldOptions = { required: false, deprecated: false, jsonName: undefined };

function readFieldOptions(cursor: Cursor): FieldOptions {
  let { required, deprecated, jsonName } = NO_OPTIONS;
  expect(cursor, "[");
  for (;;) {
    const { token, name } = readOptionName(cursor);
    expect(cursor, "=");
    const value = next(cursor).text;
    if (name === "google.api.field_behavior" && value === "REQUIRED") required = true;
    else if (name === "deprecated" && value === "true") deprecated = true;
    else if (name === "json_name") jsonName = value;
    else throw failure(token, `unknown option ${name} = ${value}`);
    if (peek(cursor) !== ",") break;
    next(cursor);
  }
  expect(cursor, "]");
  return { required, deprecated, jsonName };
}

function readOptionName(cursor: Cursor): { token: Token; name: string } {
  const token = next(cursor);
  if (token.text !== "(") return { token, name: token.text };
  const name = next(cursor).text;
  expect(cursor, ")");
  return { token, name };
}

function readEnum(cursor: Cursor, comment: string): ProtoEnum {
  const name = next(cursor).text;
  const values: { name: string; number: number; comment: string }[] = [];
  expect(cursor, "{");
  while (peek(cursor) !== "}") {
    const token = next(cursor);
    expect(cursor, "=");
    values.push({ name: token.text, number: integer(cursor), comment: token.comment });
    expect(cursor, ";");
  }
  expect(cursor, "}");
  return { name, comment, values };
}

function readService(cursor: Cursor): ProtoService {
  const name = next(cursor).text;
  const methods: ProtoMethod[] = [];
  expect(cursor, "{");
  while (peek(cursor) !== "}") methods.push(readMethod(cursor));
  expect(cursor, "}");
  return { name, methods };
}

function readMethod(cursor: Cursor): ProtoMethod {
  const { comment } = expect(cursor, "rpc");
  const name = next(cursor).text;
  expect(cursor, "(");
  const input = next(cursor).text;
  expect(cursor, ")");
  expect(cursor, "returns");
  expect(cursor, "(");
  const serverStreaming = peek(cursor) === "stream";
  if (serverStreaming) next(cursor);
  const output = next(cursor).text;
  expect(cursor, ")");
  const http: { verb: string; path: string; body: string | undefined }[] = [];
  let signature: string | undefined;
  if (peek(cursor) === ";") {
    next(cursor);
    return { name, input, output, serverStreaming, http, signature, comment };
  }
  expect(cursor, "{");
  while (peek(cursor) !== "}") {
    expect(cursor, "option");
    const { token, name: option } = readOptionName(cursor);
    expect(cursor, "=");
    const value = readOptionValue(cursor);
    expect(cursor, ";");
    if (option === "google.api.method_signature" && typeof value === "string") signature = value;
    else if (option === "google.api.http" && typeof value === "object") {
      http.push(httpRule(token, value));
      if (typeof value["additional_bindings"] === "object") http.push(httpRule(token, value["additional_bindings"]));
    } else throw failure(token, `unknown option ${option}`);
  }
  expect(cursor, "}");
  return { name, input, output, serverStreaming, http, signature, comment };
}

function readOptionValue(cursor: Cursor): OptionValue {
  if (peek(cursor) !== "{") return next(cursor).text;
  const block: Record<string, OptionValue> = {};
  expect(cursor, "{");
  while (peek(cursor) !== "}") {
    const key = next(cursor);
    if (block[key.text] !== undefined) throw failure(key, `${key.text} twice`);
    if (peek(cursor) === ":") next(cursor);
    block[key.text] = readOptionValue(cursor);
  }
  expect(cursor, "}");
  return block;
}

function httpRule(token: Token, block: OptionBlock): { verb: string; path: string; body: string | undefined } {
  for (const verb of ["get", "post", "delete"]) {
    const path = block[verb];
    const body = block["body"];
    if (typeof path === "string") return { verb, path, body: typeof body === "string" ? body : undefined };
  }
  throw failure(token, "an http rule without get, post or delete");
}

/** Enum and message names cannot be told apart before the whole file is read: names become "message" first. */
function namedType(name: string): FieldType {
  if (SCALARS.has(name)) return { kind: "scalar", name: name as "string" };
  const known = WELL_KNOWN.get(name);
  if (known !== undefined) return { kind: "wellKnown", name: known as "Struct" };
  return { kind: "message", name };
}

function resolve(file: ProtoFile): ProtoFile {
  const enums = new Set(file.enums.map((one) => one.name));
  const messages = new Set(file.messages.map((one) => one.name));
  const resolveType = (type: FieldType): FieldType => {
    if (type.kind === "map") return { kind: "map", value: resolveType(type.value) };
    if (type.kind !== "message") return type;
    if (enums.has(type.name)) return { kind: "enum", name: type.name };
    if (!messages.has(type.name)) throw new Error(`proto: unknown type ${type.name}`);
    return type;
  };
  return {
    ...file,
    messages: file.messages.map((message) => ({
      ...message,
      fields: message.fields.map((field) => ({ ...field, type: resolveType(field.type) })),
    })),
  };
}

import type { FieldType, ProtoEnum, ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";

/**
 * Writes the TypeScript types of the ProtoJSON form of every message.
 *
 * @param file - The parsed proto.
 * @returns The text of `gen/types.ts`.
 */
export function emitTypes(file: ProtoFile): string {
  const parts = [
    "// Generated from proto/a2a.proto by `npm run generate`. Do not edit.\n",
    'import type { JsonObject, JsonValue } from "../json.ts";\n',
    ...file.enums.map(emitEnum),
    ...file.messages.map(emitMessage),
  ];
  return parts.join("\n");
}

function emitEnum(one: ProtoEnum): string {
  // The zero value means "unset" on the wire and is refused by the strict validator: no consumer has to handle it.
  const values = one.values.filter((value) => value.number !== 0);
  const wide = one.values.map((value) => JSON.stringify(value.name)).filter((_, index) => index === 0);
  const lines = values.map((value) => `  /** ${value.comment} */\n  | ${JSON.stringify(value.name)}`);
  const doc = docstring(
    "",
    `${one.comment}\n\n${wide[0]} is not part of the type: the strict validator refuses it. A value read leniently from a peer may be\nit, or any other string that this version does not know.`,
  );
  return `${doc}export type ${one.name} =\n${lines.join("\n")};\n`;
}

function emitMessage(message: ProtoMessage): string {
  const doc = docstring("", message.comment);
  const plain = message.fields.filter((field) => field.oneof === undefined);
  const [oneof] = message.oneofs;
  if (oneof === undefined) {
    return `${doc}export interface ${message.name} {\n${plain.map((field) => emitField("  ", field)).join("\n")}\n}\n`;
  }
  const arms = message.fields.filter((field) => field.oneof === oneof);
  const variants = arms.map((arm) => {
    const others = arms.filter((other) => other !== arm).map((other) => `      ${other.jsonName}?: never;`);
    const set = `${docstring("      ", describe(arm))}      ${arm.jsonName}: ${typeOf(arm.type)};`;
    return ["  | {", set, ...others, ...plain.map((field) => emitField("      ", field)), "    }"].join("\n");
  });
  return `${doc}export type ${message.name} =\n${variants.join("\n")};\n`;
}

function emitField(indent: string, field: ProtoField): string {
  const element = typeOf(field.type);
  const type = field.repeated ? `${element}[]` : element;
  return `${docstring(indent, describe(field))}${indent}${field.jsonName}${field.required ? "" : "?"}: ${type};`;
}

function describe(field: ProtoField): string {
  return field.deprecated ? `${field.comment}\n@deprecated` : field.comment;
}

/**
 * The TypeScript type of one value of a field.
 *
 * @param type - A resolved field type.
 * @returns A type expression over the generated names, JsonObject and JsonValue.
 */
export function typeOf(type: FieldType): string {
  switch (type.kind) {
    case "scalar":
      return { string: "string", bytes: "string", bool: "boolean", int32: "number" }[type.name];
    case "wellKnown":
      return { Struct: "JsonObject", Value: "JsonValue", Timestamp: "string", Empty: "Record<never, never>" }[
        type.name
      ];
    case "map":
      return `Record<string, ${typeOf(type.value)}>`;
    default:
      return type.name;
  }
}

function docstring(indent: string, text: string): string {
  if (text === "") return "";
  if (!text.includes("\n")) return `${indent}/** ${text} */\n`;
  const lines = text.split("\n").map((line) => (line === "" ? `${indent} *` : `${indent} * ${line}`));
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}

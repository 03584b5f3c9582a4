import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { FieldType, ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";

const IMPORTS = [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp];

/**
 * Writes the descriptors that gRPC reflection answers with: of our proto and of the files that it imports. Options
 * (REQUIRED marks, HTTP rules) are left out, and with them the imports that define them.
 *
 * @param file - The parsed proto.
 * @returns The text of `gen/descriptors.ts`.
 */
export function emitDescriptors(file: ProtoFile): string {
  const rows = [describe(file, "a2a.proto"), ...IMPORTS.map(({ proto }) => proto)].map(
    (one) => `  ${JSON.stringify(one.name)}:\n    "${base64Of(one)}",`,
  );
  return [
    "// Generated from proto/a2a.proto by `npm run generate`. Do not edit.\n",
    "/** File name → google.protobuf.FileDescriptorProto in base64; our own file comes first. */",
    `export const DESCRIPTORS: Readonly<Record<string, string>> = {\n${rows.join("\n")}\n};\n`,
  ].join("\n");
}

/**
 * The descriptor of one file alone.
 *
 * @param name - What reflection calls the file; no two may have one name.
 * @returns google.protobuf.FileDescriptorProto in base64.
 */
export function describeFile(file: ProtoFile, name: string): string {
  return base64Of(describe(file, name));
}

type Described = ReturnType<typeof create<typeof FileDescriptorProtoSchema>>;

function base64Of(described: Described): string {
  return Buffer.from(toBinary(FileDescriptorProtoSchema, described)).toString("base64");
}

function describe(file: ProtoFile, fileName: string): Described {
  const full = (name: string): string =>
    name.startsWith("google.") ? `.${name}` : name === "Empty" ? ".google.protobuf.Empty" : `.${file.package}.${name}`;
  return create(FileDescriptorProtoSchema, {
    name: fileName,
    package: file.package,
    syntax: "proto3",
    dependency: IMPORTS.map(({ proto }) => proto.name),
    enumType: file.enums.map(({ name, values }) => ({
      name,
      value: values.map((value) => ({ name: value.name, number: value.number })),
    })),
    messageType: file.messages.map((message) => describeMessage(message, full)),
    service: file.services.map(({ name, methods }) => ({
      name,
      method: methods.map((method) => ({
        name: method.name,
        inputType: full(method.input),
        outputType: full(method.output),
        serverStreaming: method.serverStreaming,
      })),
    })),
  });
}

type FullName = (name: string) => string;

function describeMessage(message: ProtoMessage, full: FullName): MessageInitShape<typeof DescriptorProtoSchema> {
  const optional = message.fields.filter((field) => field.optional);
  // The order that protoc has: declared oneofs, then those that stand for `optional`.
  const oneofs = [...message.oneofs, ...optional.map(({ name }) => `_${name}`)];
  return create(DescriptorProtoSchema, {
    name: message.name,
    field: message.fields.map((field) => describeField(message, field, { oneofs, full })),
    nestedType: message.fields.flatMap((field) =>
      field.type.kind === "map" ? [describeEntry(field, field.type.value, full)] : [],
    ),
    oneofDecl: oneofs.map((name) => ({ name })),
  });
}

function describeField(
  message: ProtoMessage,
  field: ProtoField,
  { oneofs, full }: { readonly oneofs: readonly string[]; readonly full: FullName },
): MessageInitShape<typeof FieldDescriptorProtoSchema> {
  const isMap = field.type.kind === "map";
  const oneof = field.optional ? `_${field.name}` : field.oneof;
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    jsonName: field.jsonName,
    number: field.number,
    label: field.repeated || isMap ? Label.REPEATED : Label.OPTIONAL,
    ...(isMap
      ? { type: Type.MESSAGE, typeName: full(`${message.name}.${entryName(field)}`) }
      : describeType(field.type, full)),
    ...(field.optional ? { proto3Optional: true } : {}),
    ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
  });
}

function describeType(type: FieldType, full: FullName): { type: Type; typeName?: string } {
  switch (type.kind) {
    case "scalar":
      return { type: { string: Type.STRING, bytes: Type.BYTES, bool: Type.BOOL, int32: Type.INT32 }[type.name] };
    case "enum":
      return { type: Type.ENUM, typeName: full(type.name) };
    case "wellKnown":
      return { type: Type.MESSAGE, typeName: `.google.protobuf.${type.name}` };
    case "message":
      return { type: Type.MESSAGE, typeName: full(type.name) };
    default:
      throw new Error("a map inside a map");
  }
}

function entryName({ name }: ProtoField): string {
  return `${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Entry`;
}

function describeEntry(
  field: ProtoField,
  value: FieldType,
  full: FullName,
): MessageInitShape<typeof DescriptorProtoSchema> {
  return create(DescriptorProtoSchema, {
    name: entryName(field),
    options: { mapEntry: true },
    field: [
      { name: "key", jsonName: "key", number: 1, label: Label.OPTIONAL, type: Type.STRING },
      { name: "value", jsonName: "value", number: 2, label: Label.OPTIONAL, ...describeType(value, full) },
    ],
  });
}

import { describeFile } from "./emit-descriptor.ts";
import type { FieldType, ProtoField, ProtoFile } from "./proto-schema.ts";

/**
 * Writes a service of gRPC and its messages as data, from which the gRPC binding reads and writes them. Data needs
 * nothing of Node, and a version of the protocol that few still speak costs little of it.
 *
 * @param file - The parsed proto, of one service.
 * @param names - `constant` is what is exported; `file` is what reflection calls the proto.
 * @returns The text of the module.
 */
export function emitTable(
  file: ProtoFile,
  names: { readonly constant: string; readonly file: string; readonly source: string; readonly schemaImport: string },
): string {
  const [service, second] = file.services;
  if (service === undefined || second !== undefined) throw new Error("a table is of one service");
  const enums = file.enums.map(({ name, values }) => {
    if (values.some(({ number }, index) => number !== index)) throw new Error(`${name}: numbers are not 0, 1, 2 …`);
    return `    ${name}: [${values.map((value) => JSON.stringify(value.name)).join(", ")}],`;
  });
  const methods = service.methods.map(
    ({ name, input, output, serverStreaming }) =>
      `    ${name}: { request: "${bare(input)}", answer: "${bare(output)}", kind: "${serverStreaming ? "stream" : "unary"}" },`,
  );
  const messages = file.messages.map(({ name, fields }) => `    ${name}: "${fields.map(rowOf).join(", ")}",`);
  return [
    `// Generated from proto/${names.source} by \`npm run generate\`. Do not edit.`,
    "",
    `import type { RpcSchema } from "${names.schemaImport}";`,
    "",
    `/** The service ${file.package}.${service.name} and its messages. */`,
    `export const ${names.constant}: RpcSchema = {`,
    `  service: "${file.package}.${service.name}",`,
    `  file: "${names.file}",`,
    `  descriptor:\n    "${describeFile(file, names.file)}",`,
    `  methods: {\n${methods.join("\n")}\n  },`,
    `  enums: {\n${enums.join("\n")}\n  },`,
    `  messages: {\n${[...messages, '    Empty: "",'].join("\n")}\n  },`,
    "};",
    "",
  ].join("\n");
}

function bare(name: string): string {
  return name.replace(/^google\.protobuf\./, "");
}

/** `3 status:TaskStatus`, `4 artifacts:Artifact[]`, `1 schemes:StringList{}`, `1 text|` for a member of a oneof. */
function rowOf(field: ProtoField): string {
  const { number, jsonName, type, repeated, optional, oneof } = field;
  if (optional) throw new Error(`${jsonName}: a table has no optional fields`);
  const value = type.kind === "map" ? type.value : type;
  const form = type.kind === "map" ? "{}" : repeated ? "[]" : "";
  if (form !== "" && !isLong(value)) throw new Error(`${jsonName}: a table has no lists or maps of numbers`);
  if (value.kind === "map") throw new Error(`${jsonName}: a map of maps`);
  const typed = value.name === "string" ? "" : `:${value.name}`;
  return `${number} ${jsonName}${typed}${form}${oneof === undefined ? "" : "|"}`;
}

/** True for what has a length on the wire, so that a list of it is never packed. */
function isLong(type: FieldType): boolean {
  return type.kind !== "enum" && !(type.kind === "scalar" && (type.name === "bool" || type.name === "int32"));
}

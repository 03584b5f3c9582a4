import type { FieldType, ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";

/**
 * Writes the binary codec: for each message one function that writes its fields and one that reads them, one statement
 * or `case` a field, straight code without tables.
 *
 * What is read is not yet checked: unset, empty and wrong values go to the validator as they came.
 *
 * @param file - The parsed proto.
 * @returns File name and text of `gen/encode.ts` and `gen/decode.ts`.
 */
export function emitBinary(file: ProtoFile): [name: string, text: string][] {
  const encode = file.messages.map(emitWriter).join("\n");
  const decode = file.messages.map(emitReader).join("\n");
  const types = file.messages.map(({ name }) => name).toSorted();
  return [
    [
      "encode.ts",
      `${HEAD}${importLine("../../../model/enum-names.ts", ["ROLE_NAMES", "TASK_STATE_NAMES"], encode)}import type { ${types.join(", ")} } from "../../../model/gen/types.ts";\n${importLine("../binary-writer.ts", ["type BinaryWriter"], encode)}${importLine("../scalars.ts", ["requireOneArm", "writeBase64", "writeEnum"], encode)}${importLine("../well-known.ts", ["writeStruct", "writeTimestamp", "writeValue"], encode)}\n${encode}`,
    ],
    [
      "decode.ts",
      `${HEAD}${importLine("../../../model/enum-names.ts", ["ROLE_NAMES", "TASK_STATE_NAMES"], decode)}${importLine("../../../model/notes.ts", ["type Loose"], decode)}${importLine("../binary-reader.ts", ["type BinaryReader"], decode)}${importLine("../scalars.ts", ["dropArms", "listOf", "objectOf", "readBase64", "readEnum"], decode)}${importLine("../well-known.ts", ["readStruct", "readTimestamp", "readValue", "setMember"], decode)}\n${decode}`,
    ],
  ];
}

const HEAD = "// Generated from proto/a2a.proto by `npm run generate`. Do not edit.\n\n";

const VARINT = 0;
const LENGTH = 2;

function importLine(path: string, names: readonly string[], body: string): string {
  const used = names.filter((name) => new RegExp(`\\b${name.replace("type ", "")}\\b`).test(body));
  if (used.length === 0) return "";
  const bare = used.map((name) => name.replace("type ", ""));
  return `import ${used.every((name) => name.startsWith("type ")) ? "type " : ""}{ ${bare.join(", ")} } from "${path}";\n`;
}

function tagOf(field: ProtoField): number {
  const { kind } = field.type;
  const isVarint =
    kind === "enum" || (field.type.kind === "scalar" && (field.type.name === "bool" || field.type.name === "int32"));
  return field.number * 8 + (isVarint && !field.repeated ? VARINT : LENGTH);
}

// ── Writers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function emitWriter(message: ProtoMessage): string {
  const unused = message.fields.length === 0 ? ["_w", "_o"] : ["w", "o"];
  const arms = message.fields.filter((field) => field.oneof !== undefined).map((field) => `o.${field.jsonName}`);
  return [
    `/** Writes the fields of a ${message.name}. */`,
    `export function write${message.name}(${unused[0]}: BinaryWriter, ${unused[1]}: ${message.name}): void {`,
    // On the wire the last one would count; JSON has them both, and is refused for it.
    ...(arms.length === 0 ? [] : [`  requireOneArm(${arms.map((arm) => `${arm} !== undefined`).join(", ")});`]),
    ...message.fields.flatMap(writeField).map((line) => `  ${line}`),
    "}",
    "",
  ].join("\n");
}

function writeField(field: ProtoField): string[] {
  const value = `o.${field.jsonName}`;
  if (field.type.kind === "map") return writeMap(field, value, field.type.value);
  if (field.repeated) {
    return [
      `if (${value} !== undefined) {`,
      `  for (const e of ${value}) {`,
      ...writeOne(field.type, tagOf(field), "e").map((line) => `    ${line}`),
      "  }",
      "}",
    ];
  }
  const lines = writeOne(field.type, tagOf(field), value);
  const present = `if (${value} !== undefined${field.optional || field.oneof !== undefined ? "" : notEmpty(field.type, value)})`;
  const [only] = lines;
  return lines.length === 1 ? [`${present} ${only}`] : [`${present} {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** The condition under which a value without presence is written at all. */
function notEmpty(type: FieldType, value: string): string {
  if (type.kind !== "scalar") return "";
  return ` && ${value} !== ${{ string: '""', bytes: '""', bool: "false", int32: "0" }[type.name]}`;
}

function writeOne(type: FieldType, tag: number, value: string): string[] {
  switch (type.kind) {
    case "scalar":
      return [
        type.name === "bytes"
          ? `writeBase64(w, ${tag}, ${value});`
          : `w.${{ string: "text", bool: "bool", int32: "int" }[type.name]}(${tag}, ${value});`,
      ];
    case "enum":
      return [`writeEnum(w, ${tag}, ${value}, ${enumTable(type.name)});`];
    case "map":
      throw new Error("a map inside a list or map");
    default:
      return [`const at = w.begin(${tag});`, `write${type.name}(w, ${value});`, "w.end(at);"];
  }
}

function writeMap(field: ProtoField, map: string, value: FieldType): string[] {
  return [
    `if (${map} !== undefined) {`,
    `  for (const key in ${map}) {`,
    `    const e = ${map}[key];`,
    "    if (e === undefined) continue;",
    `    const entry = w.begin(${tagOf(field)});`,
    "    w.text(10, key);",
    ...writeOne(value, 18, "e").map((line) => `    ${line}`),
    "    w.end(entry);",
    "  }",
    "}",
  ];
}

// ── Readers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function emitReader(message: ProtoMessage): string {
  const arms = message.fields.filter((field) => field.oneof !== undefined).map((field) => field.jsonName);
  const constant = `${message.name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()}_ARMS`;
  const known = message.fields.reduce((mask, { number }) => {
    if (number > 31) throw new Error(`${message.name}: field ${number} does not fit the mask`);
    return mask | (1 << number);
  }, 0);
  const maps = message.fields.flatMap((field) =>
    field.type.kind === "map" ? emitEntryReader(message, field, field.type.value) : [],
  );
  return [
    ...(arms.length === 0 ? [] : [`const ${constant}: readonly string[] = ${JSON.stringify(arms)};`, ""]),
    `/** Reads the fields of a ${message.name} into \`o\`. */`,
    `export function read${message.name}(r: BinaryReader, end: number, o: Loose = {}): Loose {`,
    "  while (r.at < end) {",
    "    const tag = r.tag(end);",
    "    switch (tag) {",
    ...message.fields.flatMap((field) => readField(message, field, constant)).map((line) => `      ${line}`),
    "      default:",
    `        r.skip(tag, ${known >>> 0}, end);`,
    "    }",
    "  }",
    "  return o;",
    "}",
    "",
    ...maps,
  ].join("\n");
}

function readField(message: ProtoMessage, field: ProtoField, arms: string): string[] {
  const slot = `o.${field.jsonName}`;
  const lines: string[] = [];
  if (field.oneof !== undefined) lines.push(`dropArms(o, ${arms}, "${field.jsonName}");`);
  if (field.type.kind === "map") {
    lines.push(`${slot} = read${message.name}${capital(field.jsonName)}(r, r.stop(end), objectOf(${slot}));`);
  } else if (field.repeated) {
    // What stands in a list is another element each time, never merged.
    lines.push(`${slot} = listOf(${slot}, ${readOne(field.type, "undefined")});`);
  } else lines.push(`${slot} = ${readOne(field.type, slot)};`);
  return [`case ${tagOf(field)}:`, ...lines.map((line) => `  ${line}`), "  break;"];
}

function readOne(type: FieldType, before: string): string {
  switch (type.kind) {
    case "scalar":
      if (type.name === "bytes") return "readBase64(r, end)";
      return `r.${{ string: "text", bool: "bool", int32: "int" }[type.name]}(end)`;
    case "enum":
      return `readEnum(r, end, ${enumTable(type.name)})`;
    case "wellKnown":
      return type.name === "Struct" && before !== "undefined"
        ? `readStruct(r, r.stop(end), objectOf(${before}))`
        : `read${type.name}(r, r.stop(end))`;
    case "message":
      return before === "undefined"
        ? `read${type.name}(r, r.stop(end))`
        : `read${type.name}(r, r.stop(end), objectOf(${before}))`;
    default:
      throw new Error("a map inside a list or map");
  }
}

function emitEntryReader(message: ProtoMessage, field: ProtoField, value: FieldType): string[] {
  const empty = value.kind === "scalar" ? '""' : "{}";
  return [
    `function read${message.name}${capital(field.jsonName)}(r: BinaryReader, end: number, o: Loose): Loose {`,
    '  let key = "";',
    `  let value: unknown = ${empty};`,
    "  while (r.at < end) {",
    "    const tag = r.tag(end);",
    "    if (tag === 10) key = r.text(end);",
    `    else if (tag === 18) value = ${readOne(value, "undefined")};`,
    "    else r.skip(tag, 6, end);",
    "  }",
    "  setMember(o, key, value);",
    "  return o;",
    "}",
    "",
  ];
}

function enumTable(name: string): string {
  return `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}_NAMES`;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

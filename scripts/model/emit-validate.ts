import type { FieldType, ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";
import { assertAllFiled, hasMeaningWhenEmpty, VALIDATE_FILES } from "./validate-rules.ts";

/**
 * Writes the validator: one function a message, one `case` a field, straight code without closures or tables for a
 * value that is already canonical.
 *
 * @param file - The parsed proto.
 * @returns File name and text of each `gen/validate-*.ts`.
 */
export function emitValidate(file: ProtoFile): [name: string, text: string][] {
  assertAllFiled(file);
  return Object.entries(VALIDATE_FILES).map(([name, messages]) => {
    const own = file.messages.filter((message) => messages.includes(message.name));
    const body = own.map((message) => emitMessage(message, file)).join("\n");
    return [name, `${emitImports(name, own, body)}\n${body}`];
  });
}

const RUNTIME: readonly (readonly [path: string, names: readonly string[], types: readonly string[]])[] = [
  ["../base64.ts", ["isCanonicalBase64"], []],
  [
    "../check.ts",
    [
      "fixBool",
      "fixBytes",
      "fixEnum",
      "fixInt",
      "fixIntOrZero",
      "fixList",
      "fixObject",
      "fixPresentBool",
      "fixPresentString",
      "fixString",
      "fixStrings",
      "fixTimestamp",
      "unknownKey",
    ],
    ["FieldNames"],
  ],
  ["../check-json.ts", ["checkStruct", "checkValue", "isStrings"], []],
  ["../check-message.ts", ["fillMissing", "fixArms", "refuseMissing"], ["OneofArms", "RequiredField"]],
  ["../enum-names.ts", ["ROLE_NAMES", "TASK_STATE_NAMES"], []],
  ["../notes.ts", ["under", "wrong"], ["Check", "Loose"]],
  ["../timestamp.ts", ["isCanonicalTimestamp"], []],
];

function emitImports(name: string, own: readonly ProtoMessage[], body: string): string {
  const uses = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(body);
  const lines = RUNTIME.flatMap(([path, names, types]) => {
    const used = [...names.filter(uses), ...types.filter(uses).map((type) => `type ${type}`)];
    return used.length === 0 ? [] : [`import { ${used.join(", ")} } from "${path}";`];
  });
  const ownNames = new Set(own.map((message) => message.name));
  for (const [other, messages] of Object.entries(VALIDATE_FILES)) {
    const used = messages.filter((message) => !ownNames.has(message) && uses(`check${message}`));
    if (other !== name && used.length > 0) {
      lines.push(`import { ${used.map((message) => `check${message}`).join(", ")} } from "./${other}";`);
    }
  }
  return `// Generated from proto/a2a.proto by \`npm run generate\`. Do not edit.\n\n${lines.join("\n")}\n`;
}

function emitMessage(message: ProtoMessage, file: ProtoFile): string {
  const constant = constantName(message.name);
  const required = message.fields.filter((field) => field.required);
  const [oneof] = message.oneofs;
  const arms = message.fields.filter((field) => field.oneof !== undefined);
  const out: string[] = [emitNames(message, constant)];
  if (required.length > 0) out.push(emitRequired(message, required, constant));
  if (oneof !== undefined) {
    const list = arms.map((arm) => JSON.stringify(arm.jsonName)).join(", ");
    out.push(`const ${constant}_ARMS: OneofArms = { message: "${message.name}", arms: [${list}] };`);
  }
  out.push("", ...emitFunction(message, constant, required, file));
  return out.join("\n");
}

function emitFunction(
  message: ProtoMessage,
  constant: string,
  required: readonly ProtoField[],
  file: ProtoFile,
): string[] {
  const arms = message.fields.filter((field) => field.oneof !== undefined);
  const cases = message.fields.flatMap((field) => emitCase(field, bitOf(message, field), file));
  const depth = cases.some((line) => line.includes("depth +")) ? "depth" : "_depth";
  const out = [
    `/** Checks a ${message.name} in place. */`,
    `export function check${message.name}(o: Loose, c: Check, ${depth}: number): void {`,
    ...(arms.length > 0 ? ["  const from = c.count;"] : []),
    ...(required.length + arms.length > 0 ? ["  let have = 0;"] : []),
    // The first pass looks at every field, another only at those that were moved from their snake_case spelling.
    "  for (let todo = -1; todo !== 0; ) {",
    "    let moved = 0;",
    "    for (const key in o) {",
    "      const v = o[key];",
    "      switch (key) {",
    ...cases,
    "        default:",
    `          moved |= unknownKey(o, key, ${constant}, c);`,
    "      }",
    "    }",
    "    todo = moved;",
    "  }",
  ];
  if (required.length > 0) {
    const mask = maskOf(message, required);
    const remedy = hasMeaningWhenEmpty(message)
      ? `fillMissing(o, have, ${constant}_REQUIRED)`
      : `refuseMissing(have, "${message.name}", ${constant}_REQUIRED, c)`;
    out.push(`  if ((have & ${mask}) !== ${mask}) ${remedy};`);
  }
  if (arms.length > 0) {
    out.push(`  const set = have & ${maskOf(message, arms)};`);
    out.push(`  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, ${constant}_ARMS, from, c);`);
  }
  out.push("}", "");
  return out;
}

function emitNames(message: ProtoMessage, constant: string): string {
  const aliases = message.fields
    .filter((field) => field.name !== field.jsonName)
    .map((field) => `[${JSON.stringify(field.name)}, [${JSON.stringify(field.jsonName)}, ${bitOf(message, field)}]]`);
  const map =
    aliases.length === 0
      ? "/* @__PURE__ */ new Map()"
      : `/* @__PURE__ */ new Map([\n    ${aliases.join(",\n    ")},\n  ])`;
  return `const ${constant}: FieldNames = { message: "${message.name}", aliases: ${map} };`;
}

function emitRequired(message: ProtoMessage, required: readonly ProtoField[], constant: string): string {
  const rows = required.map((field) => {
    return `  { bit: ${bitOf(message, field)}, field: "${field.jsonName}", kind: "${kindOf(field)}" },`;
  });
  return `const ${constant}_REQUIRED: readonly RequiredField[] = [\n${rows.join("\n")}\n];`;
}

function kindOf({ repeated, type }: ProtoField): string {
  if (repeated) return "list";
  if (type.kind !== "scalar") return "other";
  return type.name === "int32" ? "number" : "string";
}

function bitOf(message: ProtoMessage, field: ProtoField): number {
  return 1 << message.fields.indexOf(field);
}

function maskOf(message: ProtoMessage, fields: readonly ProtoField[]): number {
  return fields.reduce((mask, field) => mask | bitOf(message, field), 0);
}

function constantName(message: string): string {
  return message.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toUpperCase();
}

function emitCase(field: ProtoField, bit: number, file: ProtoFile): string[] {
  const track = field.required || field.oneof !== undefined;
  const lines = field.repeated ? repeatedCase(field, bit, track) : singularCase(field, bit, track, file);
  return [
    `        case ${JSON.stringify(field.jsonName)}:`,
    `          if ((todo & ${bit}) === 0) break;`,
    ...lines.map((line) => `          ${line}`),
    "          break;",
  ];
}

/** `if (fast) { fast path } else if (slow()) have |= bit;`, without the tracking where nobody asks. */
function branch(condition: string, fast: readonly string[], slow: string, bit: number, track: boolean): string[] {
  const mark = track ? [`have |= ${bit};`] : [];
  const then = [...mark, ...fast];
  if (then.length === 0) return [`if (!(${condition})) ${slow};`];
  const rest = track ? `if (${slow}) have |= ${bit};` : `${slow};`;
  return [`if (${condition}) {`, ...then.map((line) => `  ${line}`), `} else ${rest}`];
}

function repeatedCase(field: ProtoField, bit: number, track: boolean): string[] {
  const key = JSON.stringify(field.jsonName);
  if (field.type.kind === "scalar" && field.type.name === "string") {
    return branch("isStrings(v)", [], `fixStrings(o, ${key}, v, c)`, bit, track);
  }
  if (field.type.kind !== "message") throw new Error(`no rule for repeated ${field.name}`);
  const loop = [
    "for (let i = 0; i < v.length; i++) {",
    "  const e = v[i];",
    "  const notes = c.count;",
    '  if (typeof e === "object" && e !== null && !Array.isArray(e)) {',
    `    check${field.type.name}(e, c, depth + 2);`,
    '  } else wrong(c, "", "an object", e);',
    `  if (c.count !== notes) under(c, notes, ${key}, i);`,
    "}",
  ];
  return branch("Array.isArray(v) && v.length > 0", loop, `fixList(o, ${key}, v, c)`, bit, track);
}

const IS_OBJECT = 'typeof v === "object" && v !== null && !Array.isArray(v)';

function singularCase(field: ProtoField, bit: number, track: boolean, file: ProtoFile): string[] {
  const key = JSON.stringify(field.jsonName);
  const { type } = field;
  const presence = field.optional || field.oneof !== undefined;
  switch (type.kind) {
    case "scalar":
      return scalarCase(field, key, bit, track, presence);
    case "enum": {
      const names = `${constantName(type.name)}_NAMES`;
      const known =
        file.enums.find((one) => one.name === type.name)?.values.filter((value) => value.number !== 0) ?? [];
      const valid = known.map((value) => `v === "${value.name}"`).join(" || ");
      return branch(valid, [], `fixEnum(o, ${key}, v, ${names}, c)`, bit, track);
    }
    case "map":
      return mapCase(type.value, key, bit, track);
    case "message":
      return branch(IS_OBJECT, nested(`check${type.name}`, key), `fixObject(o, ${key}, v, c)`, bit, track);
    default:
      if (type.name === "Timestamp") {
        const canonical = 'typeof v === "string" && isCanonicalTimestamp(v)';
        return branch(canonical, [], `fixTimestamp(o, ${key}, v, c)`, bit, track);
      }
      if (type.name === "Struct") {
        return branch(IS_OBJECT, nested("checkStruct", key), `fixObject(o, ${key}, v, c)`, bit, track);
      }
      return [
        "if (v !== undefined) {",
        `  have |= ${bit};`,
        ...nested("checkValue", key, "v").map((line) => `  ${line}`),
        "}",
      ];
  }
}

function nested(call: string, key: string, value = "v as Loose"): string[] {
  return [
    "const notes = c.count;",
    `${call}(${value}, c, depth + 1);`,
    `if (c.count !== notes) under(c, notes, ${key});`,
  ];
}

function scalarCase(field: ProtoField, key: string, bit: number, track: boolean, presence: boolean): string[] {
  if (field.type.kind !== "scalar") throw new Error("not a scalar");
  switch (field.type.name) {
    case "string": {
      if (presence) return branch('typeof v === "string"', [], `fixPresentString(o, ${key}, v, c)`, bit, track);
      return branch('typeof v === "string" && v.length !== 0', [], `fixString(o, ${key}, v, c)`, bit, track);
    }
    case "bytes":
      return branch('typeof v === "string" && isCanonicalBase64(v)', [], `fixBytes(o, ${key}, v, c)`, bit, track);
    case "bool":
      if (!presence) return branch("v === true", [], `fixBool(o, ${key}, v, c)`, bit, track);
      return branch('typeof v === "boolean"', [], `fixPresentBool(o, ${key}, v, c)`, bit, track);
    case "int32": {
      if (presence || field.required) {
        const integer = 'typeof v === "number" && (v | 0) === v && !Object.is(v, -0)';
        return branch(integer, [], `fixInt(o, ${key}, v, c)`, bit, track);
      }
      const integer = 'typeof v === "number" && (v | 0) === v && v !== 0';
      return branch(integer, [], `fixIntOrZero(o, ${key}, v, c)`, bit, track);
    }
  }
}

function mapCase(value: FieldType, key: string, bit: number, track: boolean): string[] {
  const isString = value.kind === "scalar" && value.name === "string";
  if (!isString && value.kind !== "message") throw new Error(`no rule for map ${key}`);
  const good = isString
    ? ['if (typeof e === "string") continue;', "const notes = c.count;", 'wrong(c, "", "a string", e);']
    : [
        "const notes = c.count;",
        'if (typeof e === "object" && e !== null && !Array.isArray(e)) {',
        `  check${value.kind === "message" ? value.name : ""}(e as Loose, c, depth + 2);`,
        '} else wrong(c, "", "an object", e);',
      ];
  // A REQUIRED map may be empty; of the others an empty one is the same as none.
  const loop = [
    "const map = v as Loose;",
    ...(track ? [] : ["let empty = true;"]),
    "for (const name in map) {",
    ...(track ? [] : ["  empty = false;"]),
    "  const e = map[name];",
    ...good.map((line) => `  ${line}`),
    `  if (c.count !== notes) under(c, notes, ${key}, name);`,
    "}",
    ...(track ? [] : [`if (empty) delete o[${key}];`]),
  ];
  return branch(IS_OBJECT, loop, `fixObject(o, ${key}, v, c)`, bit, track);
}

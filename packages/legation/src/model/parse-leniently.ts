/**
 * Reads what a peer answers, leniently and in little code: a client carries this file over the network.
 *
 * It is driven by the texts in `gen/shapes.ts`. A field is `name:type`, then `[]` for a list or `{}` for a map, then its
 * rule: `!` must be there; `~` may be missing, which reads as empty with a warning; `+` the same without a warning;
 * `?` an empty value is a value; `|` one of these and no other; none: an empty value is the same as no field.
 */
import { canonicalBase64 } from "./base64.ts";
import { type EnumNames, foldEnumName, ROLE_NAMES, TASK_STATE_NAMES } from "./enum-names.ts";
import { SHAPES } from "./gen/shapes.ts";
import { MAX_JSON_DEPTH } from "./json.ts";
import { type FieldViolation, MAX_VIOLATIONS, ModelError } from "./model-error.ts";
import { isObject, type Loose, show } from "./notes.ts";
import { canonicalTimestamp } from "./timestamp.ts";

/** A message that an agent may answer with, or that is part of one. */
export type ShapeName = keyof typeof SHAPES;

/** Who is told of what. */
export interface LenientOptions {
  /** Told of everything that was tolerated or put right, at most 20 a parse; also when it throws afterwards. */
  readonly onWarning?: ((warning: FieldViolation) => void) | undefined;
  /** Told when there was a field that the protocol does not have. Such fields are left out either way. */
  readonly onUnknown?: (() => void) | undefined;
}

/**
 * Reads a message that a peer sent. What the strict validator takes is read to the same; beyond that, unknown enum
 * values are kept as strings, known misspellings folded, some REQUIRED fields may be missing, and of one field in both
 * spellings the camelCase one counts.
 *
 * @param shape - Which message.
 * @param value - Parsed JSON; not changed.
 * @param options - Who is told.
 * @returns The canonical form, a new object; free JSON (metadata, data) is shared with `value`.
 * @throws ModelError with the path of the first violation.
 * @see specification §4, §5.5, §5.7
 */
export function parseLeniently(shape: ShapeName, value: unknown, options: LenientOptions = {}): Loose {
  return readMessage(value, shape, { options, path: [], warnings: 0 });
}

/** The state of one parse: where it is, and how much was said. */
interface Place {
  readonly options: LenientOptions;
  readonly path: (string | number)[];
  warnings: number;
}

interface Field {
  readonly name: string;
  /** The spelling of the proto file. */
  readonly alias: string;
  readonly type: string;
  readonly form: string;
  readonly rule: string;
}

const compiled = new Map<string, readonly Field[]>();

function fieldsOf(shape: ShapeName): readonly Field[] {
  let fields = compiled.get(shape);
  if (fields === undefined) {
    fields = SHAPES[shape].split(" ").map((text) => {
      const [, name = "", type = "", form = "", rule = ""] = /(\w+):(\w+)(\W{2})?(\W?)/.exec(text) ?? [];
      return { name, alias: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), type, form, rule };
    });
    compiled.set(shape, fields);
  }
  return fields;
}

function readMessage(value: unknown, shape: ShapeName, place: Place): Loose {
  const fields = fieldsOf(shape);
  if (!isObject(value)) throw wrong(place, shapeText(shape), value);
  const message: Loose = {};
  for (const field of fields) {
    const { name, type, rule } = field;
    const given = value[name] ?? value[field.alias];
    place.path.push(name);
    const isUnset = given === undefined || (given === null && type !== "Value");
    const read = isUnset ? undefined : readField(given, field, place);
    if (read !== undefined && !(rule === "" && isEmpty(read, field))) message[name] = read;
    else if (rule === "!") throw violation(place, `is required: ${shapeText(shape)}`);
    else if (rule === "~" || rule === "+") {
      message[name] = emptyOf(field);
      if (rule === "~") warn(place, "missing: read as empty");
    }
    place.path.pop();
  }
  chooseArm(message, shape, place);
  const { onUnknown } = place.options;
  if (onUnknown !== undefined) {
    for (const key in value) if (!fields.some(({ name, alias }) => key === name || key === alias)) onUnknown();
  }
  return message;
}

function isEmpty(value: unknown, { form }: Field): boolean {
  if (form !== "") return Object.keys(value as object).length === 0;
  return value === "" || value === false || value === 0;
}

function emptyOf({ type, form }: Field): unknown {
  if (form === "[]") return [];
  return type === "string" ? "" : 0;
}

// Members with an empty value give way to the one that has content; {"text":""} alone is a text.
function chooseArm(message: Loose, shape: ShapeName, place: Place): void {
  const arms = fieldsOf(shape).filter(({ rule }) => rule === "|");
  if (arms.length === 0) return;
  const given = arms.map(({ name }) => name).filter((name) => name in message);
  const full = given.filter((name) => message[name] !== "" && message[name] !== null);
  const [chosen = given.find((name) => message[name] === "") ?? given[0]] = full;
  if (chosen === undefined || full.length > 1) {
    throw violation(place, `must have exactly one of ${arms.map(({ name }) => name).join(", ")}`);
  }
  for (const name of given) if (name !== chosen) delete message[name];
}

function readField(given: unknown, { type, form }: Field, place: Place): unknown {
  if (form === "[]") {
    if (!Array.isArray(given)) throw wrong(place, "an array", given);
    return given.map((item, index) => readItem(item, type, index, place));
  }
  if (form === "") return readOne(given, type, place);
  if (!isObject(given)) throw wrong(place, "an object", given);
  return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, readItem(item, type, key, place)]));
}

function readItem(item: unknown, type: string, at: string | number, place: Place): unknown {
  place.path.push(at);
  const read = readOne(item, type, place);
  place.path.pop();
  return read;
}

function readOne(given: unknown, type: string, place: Place): unknown {
  switch (type) {
    case "string":
      if (typeof given !== "string") throw wrong(place, "a string", given);
      return given;
    case "bool":
      if (typeof given !== "boolean") throw wrong(place, "true or false", given);
      return given;
    case "int32":
      return readInt(given, place);
    case "bytes":
      return readBytes(given, place);
    case "Timestamp":
      return given === "" ? undefined : readTimestamp(given, place);
    case "TaskState":
      return given === "" ? undefined : readEnum(given, TASK_STATE_NAMES, place);
    case "Role":
      return given === "" ? undefined : readEnum(given, ROLE_NAMES, place);
    case "Struct":
      if (!isObject(given)) throw wrong(place, "an object", given);
      return readJson(given, place);
    case "Value":
      return readJson(given, place);
    default:
      return readMessage(given, type as ShapeName, place);
  }
}

function readInt(given: unknown, place: Place): number {
  const number = typeof given === "string" && /^-?\d{1,10}$/.test(given) ? Number(given) : given;
  if (typeof number !== "number" || (number | 0) !== number) throw wrong(place, "a 32-bit integer", given);
  return number + 0;
}

function readBytes(given: unknown, place: Place): string {
  const canonical = typeof given === "string" ? canonicalBase64(given) : undefined;
  if (canonical === undefined) throw wrong(place, "base64", given);
  return canonical;
}

function readTimestamp(given: unknown, place: Place): string {
  const canonical = typeof given === "string" ? canonicalTimestamp(given, "utc") : undefined;
  if (canonical === undefined) throw wrong(place, "an RFC 3339 time", given);
  if (!/(Z|[+-]\d\d:\d\d)$/.test(given as string)) warn(place, `${show(given)} has no offset: read as UTC`);
  return canonical;
}

function readEnum(given: unknown, names: EnumNames, place: Place): string {
  const received = typeof given === "number" ? (names.names[given] ?? String(given)) : given;
  if (typeof received !== "string") throw wrong(place, `a ${names.word}`, given);
  if (names.names.indexOf(received) > 0) return received;
  const folded = foldEnumName(received, names);
  warn(place, folded ? `${show(received)} read as ${folded}` : `unknown ${names.word} ${show(received)} kept`);
  return folded ?? received;
}

function readJson(given: unknown, place: Place): unknown {
  if (isDeeperThan(MAX_JSON_DEPTH - place.path.length, given)) {
    throw violation(place, `nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  return given;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function shapeText(shape: ShapeName): string {
  const required = fieldsOf(shape).filter(({ rule }) => rule !== "" && rule !== "?");
  return `a ${shape} {${required.map(({ name }) => name).join(", ")}}`;
}

function wrong(place: Place, wanted: string, value: unknown): ModelError {
  return violation(place, `must be ${wanted}, got ${show(value)}`);
}

function violation(place: Place, description: string): ModelError {
  return new ModelError([{ field: fieldAt(place), description }]);
}

function warn(place: Place, description: string): void {
  place.warnings++;
  if (place.warnings <= MAX_VIOLATIONS) place.options.onWarning?.({ field: fieldAt(place), description });
}

function fieldAt({ path }: Place): string {
  return path.reduce<string>((text, at) => {
    if (typeof at === "number") return `${text}[${at}]`;
    return text === "" ? at : `${text}.${at}`;
  }, "");
}

/**
 * Reads what a peer answers, leniently and in little code: a client carries this file over the network.
 *
 * It is driven by the texts in `gen/shapes.ts`. A field is `name:type`, or `name` for a string, then `[]` for a list or `{}` for a map, then its
 * rule: `!` must be there; `~` may be missing, which reads as empty with a warning; `+` the same without a warning;
 * `?` an empty value is a value; `|` one of these and no other; none: an empty value is the same as no field.
 */
import { type EnumNames, foldEnumName, ROLE_NAMES, TASK_STATE_NAMES } from "./enum-names.ts";
import { SHAPES } from "./gen/shapes.ts";
import { MAX_JSON_DEPTH } from "./json.ts";
import { type FieldViolation, MAX_VIOLATIONS, ModelError } from "./model-error.ts";
import { isObject, type Loose, show } from "./notes.ts";

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
  readonly type: string;
  readonly form: string;
  readonly rule: string;
}

interface Shape {
  /** By either spelling of the name. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that must be there, or be filled in. */
  readonly required: readonly Field[];
  /** Names of fields of which there must be exactly one. */
  readonly arms: readonly string[];
}

const compiled = new Map<string, Shape>();

function compile(name: ShapeName): Shape {
  const fields = SHAPES[name].split(" ").map((text): Field => {
    const [, field = "", type = "string", form = "", rule = ""] = /(\w+)(?::(\w+))?(\W{2})?(\W?)/.exec(text) ?? [];
    return { name: field, type, form, rule };
  });
  const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const shape: Shape = {
    fields: new Map(fields.flatMap((field) => [field.name, snakeCase(field.name)].map((key) => [key, field]))),
    required: fields.filter(({ rule }) => /[!~+]/.test(rule)),
    arms: fields.filter(({ rule }) => rule === "|").map((field) => field.name),
  };
  compiled.set(name, shape);
  return shape;
}

function readMessage(value: unknown, name: ShapeName, place: Place): Loose {
  const shape = compiled.get(name) ?? compile(name);
  if (!isObject(value)) throw wrong(place, describe(name, shape), value);
  const message: Loose = {};
  for (const key in value) {
    const field = shape.fields.get(key);
    if (field === undefined) place.options.onUnknown?.();
    else if (key === field.name || isUnset(value[field.name], field)) readInto(message, value[key], field, place);
  }
  for (const field of shape.required) {
    if (field.name in message) continue;
    place.path.push(field.name);
    if (field.rule === "!") throw violation(place, `is required: ${describe(name, shape)}`);
    if (field.rule === "~") warn(place, "missing: read as empty");
    message[field.name] = emptyOf(field);
    place.path.pop();
  }
  if (shape.arms.length > 0) chooseArm(message, shape.arms, place);
  return message;
}

function isUnset(value: unknown, { type }: Field): boolean {
  return value === undefined || (value === null && type !== "Value");
}

function readInto(message: Loose, value: unknown, field: Field, place: Place): void {
  if (isUnset(value, field)) return;
  place.path.push(field.name);
  const read = readField(value, field, place);
  if (read !== undefined && !(field.rule === "" && isEmpty(read, field))) message[field.name] = read;
  place.path.pop();
}

function isEmpty(value: unknown, { form }: Field): boolean {
  if (form === "[]") return (value as readonly unknown[]).length === 0;
  if (form !== "") return Object.keys(value as object).length === 0;
  return value === "" || value === false || value === 0;
}

function emptyOf({ type, form }: Field): unknown {
  if (form === "[]") return [];
  return type === "string" ? "" : 0;
}

// Members with an empty value give way to the one that has content; {"text":""} alone is a text.
function chooseArm(message: Loose, arms: readonly string[], place: Place): void {
  const given = arms.filter((arm) => arm in message);
  if (given.length === 1) return;
  const full = given.filter((arm) => message[arm] !== "" && message[arm] !== null);
  const [chosen = given.find((arm) => message[arm] === "") ?? given[0]] = full;
  if (chosen === undefined || full.length > 1) throw violation(place, `must have exactly one of ${arms.join(", ")}`);
  for (const arm of given) if (arm !== chosen) delete message[arm];
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
      return expect(typeof given === "string", "a string", given, place);
    case "bool":
      return expect(typeof given === "boolean", "true or false", given, place);
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
      return readJson(expect(isObject(given), "an object", given, place), place);
    case "Value":
      return readJson(given, place);
    default:
      return readMessage(given, type as ShapeName, place);
  }
}

function readInt(given: unknown, place: Place): number {
  const number = typeof given === "string" && /^-?\d{1,10}$/.test(given) ? Number(given) : given;
  if (typeof number !== "number" || (number | 0) !== number) throw wrong(place, "a 32-bit integer", given);
  // Adding 0 turns -0, which JSON.stringify would also lose, into 0.
  return number + 0;
}

// Of base64 in any form `atob` makes bytes, or nothing; written again it is canonical.
function readBytes(given: unknown, place: Place): string {
  try {
    return btoa(atob((given as string).replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    throw wrong(place, "base64", given);
  }
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,3})?\d{0,6}(Z|[+-]\d\d:\d\d)?$/;

function readTimestamp(given: unknown, place: Place): string {
  const [, seconds = "", fraction = "", offset] = TIME.exec(String(given)) ?? [];
  const instant = Date.parse(seconds + fraction + (offset ?? "Z"));
  expect(!Number.isNaN(instant), "an RFC 3339 time", given, place);
  if (offset === "Z" && fraction.length === 4) return `${seconds}${fraction}Z`;
  if (offset === undefined) warn(place, `${show(given)} has no offset: read as UTC`);
  return new Date(instant).toISOString();
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

function describe(name: ShapeName, { required, arms }: Shape): string {
  return `a ${name} {${[...required.map((field) => field.name), ...arms].join(", ")}}`;
}

function expect<T>(isRight: boolean, wanted: string, given: T, place: Place): T {
  if (!isRight) throw wrong(place, wanted, given);
  return given;
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

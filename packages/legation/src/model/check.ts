import { canonicalBase64, isCanonicalBase64 } from "./base64.ts";
import type { EnumNames } from "./enum-names.ts";
import { guessEnumName } from "./guess-enum-name.ts";
import { MAX_JSON_DEPTH } from "./json.ts";
import { type Check, type Loose, show, violate, wrong } from "./notes.ts";
import { teachUnknownField } from "./teach.ts";
import { canonicalTimestamp } from "./timestamp.ts";

/**
 * What the generated validator calls for a field whose value is not already canonical: it is put right in place, or a
 * violation is recorded. A canonical value never comes here.
 */

/** What the generated code knows of a message by name: the spellings of its fields. */
export interface FieldNames {
  readonly message: string;
  /** snake_case → camelCase and its bit in the generated code's masks, only where the two spellings differ. */
  readonly aliases: ReadonlyMap<string, readonly [field: string, bit: number]>;
}

/**
 * Deals with a key that is not a field in camelCase: a snake_case spelling is moved, anything else is deleted.
 *
 * @returns The bit of the field that was moved here and has to be looked at, or 0.
 */
export function unknownKey(object: Loose, key: string, names: FieldNames, check: Check): number {
  if (!Object.hasOwn(object, key)) return 0;
  const value = object[key];
  delete object[key];
  const alias = names.aliases.get(key);
  if (alias === undefined) {
    if (typeof value === "object" && value !== null) refuseDeep(value, key, check);
    teachUnknownField(names.message, object, key, value, check);
    return 0;
  }
  if (value === null || value === undefined) return 0;
  const [field, bit] = alias;
  if (object[field] !== undefined && object[field] !== null) {
    violate(check, field, `given twice, as ${field} and as ${key}: send ${field} only`);
    return 0;
  }
  object[field] = value;
  return bit;
}

/** An unknown field is ignored, but not when it is a tower that would overflow the next reader's stack. */
function refuseDeep(value: object, key: string, check: Check): void {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) {
      violate(check, key, `nested deeper than ${MAX_JSON_DEPTH} levels`);
      return;
    }
    const below: object[] = [];
    for (const one of level) {
      for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) below.push(inner);
    }
    level = below;
  }
}

/** A string field that is empty or no string. @returns True when it counts as given. */
export function fixString(object: Loose, key: string, value: unknown, check: Check): boolean {
  return unset(object, key, value, value === "") ? false : wrong(check, key, "a string", value);
}

/** A field that is no string where the empty string is a value. @returns True when it counts as given. */
export function fixPresentString(object: Loose, key: string, value: unknown, check: Check): boolean {
  return unset(object, key, value, false) ? false : wrong(check, key, "a string", value);
}

/** A boolean without presence that is not true. @returns True when it counts as given. */
export function fixBool(object: Loose, key: string, value: unknown, check: Check): boolean {
  return unset(object, key, value, value === false) ? false : wrong(check, key, "true or false", value);
}

/** A boolean with presence that is none. @returns True when it counts as given. */
export function fixPresentBool(object: Loose, key: string, value: unknown, check: Check): boolean {
  return unset(object, key, value, false) ? false : wrong(check, key, "true or false", value);
}

/** A number field with presence or REQUIRED that is not an int32 yet. @returns True when it counts as given. */
export function fixInt(object: Loose, key: string, value: unknown, check: Check): boolean {
  if (unset(object, key, value, false)) return false;
  const number = typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || (number | 0) !== number) return wrong(check, key, "a 32-bit integer", value);
  // Adding 0 turns -0, which JSON.stringify would also lose, into 0.
  object[key] = number + 0;
  return true;
}

/** A number field without presence that is 0 or not an int32 yet. @returns True when it counts as given. */
export function fixIntOrZero(object: Loose, key: string, value: unknown, check: Check): boolean {
  if (!fixInt(object, key, value, check)) return false;
  return !unset(object, key, object[key], object[key] === 0);
}

/** A message or Struct field that is no object. @returns True when it counts as given. */
export function fixObject(object: Loose, key: string, value: unknown, check: Check): boolean {
  return unset(object, key, value, false) ? false : wrong(check, key, "an object", value);
}

/** A list field that is empty or no array. @returns True when it counts as given. */
export function fixList(object: Loose, key: string, value: unknown, check: Check): boolean {
  const empty = Array.isArray(value) && value.length === 0;
  return unset(object, key, value, empty) ? false : wrong(check, key, "an array", value);
}

/** A list of strings that is empty, no array, or holds something else. @returns True when it counts as given. */
export function fixStrings(object: Loose, key: string, value: unknown, check: Check): boolean {
  if (!Array.isArray(value) || value.length === 0) return fixList(object, key, value, check);
  value.forEach((element, index) => {
    if (typeof element !== "string") wrong(check, `${key}[${index}]`, "a string", element);
  });
  return true;
}

/** A time that is not in the canonical form. @returns True when it counts as given. */
export function fixTimestamp(object: Loose, key: string, value: unknown, check: Check): boolean {
  if (unset(object, key, value, value === "")) return false;
  if (typeof value !== "string") return wrong(check, key, "an RFC 3339 time", value);
  const canonical = canonicalTimestamp(value);
  if (canonical === undefined) return wrong(check, key, "an RFC 3339 time such as 2026-08-01T12:00:00.000Z", value);
  object[key] = canonical;
  return true;
}

/** Bytes that are not canonical base64. @returns True when they count as given. */
export function fixBytes(object: Loose, key: string, value: unknown, check: Check): boolean {
  if (unset(object, key, value, false)) return false;
  if (typeof value !== "string") return wrong(check, key, "base64 text", value);
  if (isCanonicalBase64(value)) return true;
  const canonical = canonicalBase64(value);
  if (canonical === undefined) violate(check, key, "not base64: only A-Z a-z 0-9 + / (or - _) and = at the end");
  else object[key] = canonical;
  return true;
}

/** An enum value that is not a valid name. @returns True when it counts as given. */
export function fixEnum(object: Loose, key: string, value: unknown, names: EnumNames, check: Check): boolean {
  if (unset(object, key, value, value === "")) return false;
  if (typeof value === "number" && value > 0) {
    const name = names.names[value];
    if (name !== undefined) {
      object[key] = name;
      return true;
    }
  }
  if (typeof value !== "string" && typeof value !== "number") {
    return wrong(check, key, `one of ${validNames(names)}`, value);
  }
  refuseEnum(key, value, names, check);
  return true;
}

function refuseEnum(key: string, value: string | number, names: EnumNames, check: Check): void {
  const guess = typeof value === "string" ? guessEnumName(value, names) : undefined;
  const hint = guess === undefined ? "" : `did you mean ${guess}? `;
  violate(check, key, `unknown ${names.word} ${show(value)}: ${hint}must be one of ${validNames(names)}`);
}

function validNames(names: EnumNames): string {
  return names.names.slice(1).join(", ");
}

function unset(object: Loose, key: string, value: unknown, empty: boolean): boolean {
  if (value !== null && value !== undefined && !empty) return false;
  delete object[key];
  return true;
}

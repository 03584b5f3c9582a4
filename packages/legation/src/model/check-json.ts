import { MAX_JSON_DEPTH } from "./json.ts";
import { type Check, type Loose, under, violate } from "./notes.ts";

/**
 * Looks through a free JSON object (metadata, params, header): depth and values, nothing else. Keys are never touched,
 * so `__proto__` stays an own key. A key whose value is undefined is deleted, as JSON.stringify would.
 */
export function checkStruct(object: Loose, check: Check, depth: number): void {
  if (depth > MAX_JSON_DEPTH) {
    violate(check, "", `nested deeper than ${MAX_JSON_DEPTH} levels`);
    return;
  }
  let notes = check.count;
  for (const key in object) {
    const value = object[key];
    if (typeof value === "string" || typeof value === "boolean" || value === null) continue;
    if (typeof value === "object") {
      if (Array.isArray(value)) checkList(value, check, depth + 1);
      else checkStruct(value as Loose, check, depth + 1);
    } else if (typeof value !== "number" || value - value !== 0) {
      if (value === undefined) delete object[key];
      else violate(check, "", `${notJson(value)} is not JSON`);
    }
    if (check.count !== notes) {
      under(check, notes, "", key);
      notes = check.count;
    }
  }
}

/** Looks through any JSON value; null is a value. */
export function checkValue(value: unknown, check: Check, depth: number): void {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) checkList(value, check, depth);
    else checkStruct(value as Loose, check, depth);
  } else if (!isJsonScalar(value)) violate(check, "", `${notJson(value)} is not JSON`);
}

/** Tells whether a value is a list of at least one string and nothing else. */
export function isStrings(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  for (let index = 0; index < value.length; index++) if (typeof value[index] !== "string") return false;
  return true;
}

function checkList(list: readonly unknown[], check: Check, depth: number): void {
  if (depth > MAX_JSON_DEPTH) {
    violate(check, "", `nested deeper than ${MAX_JSON_DEPTH} levels`);
    return;
  }
  let notes = check.count;
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (typeof value === "string") continue;
    checkValue(value, check, depth + 1);
    if (check.count !== notes) {
      under(check, notes, "", index);
      notes = check.count;
    }
  }
}

/** A number minus itself is 0 unless it is NaN or infinite. */
function isJsonScalar(value: unknown): boolean {
  if (typeof value === "number") return value - value === 0;
  return typeof value === "string" || typeof value === "boolean" || value === null;
}

function notJson(value: unknown): string {
  return typeof value === "number" ? String(value) : typeof value;
}

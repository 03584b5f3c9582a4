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
  for (const key in object) {
    const value = object[key];
    if (typeof value === "string") continue;
    if (typeof value === "object") {
      if (value === null) continue;
      const notes = check.notes.length;
      if (Array.isArray(value)) checkList(value, check, depth + 1);
      else checkStruct(value as Loose, check, depth + 1);
      if (check.notes.length !== notes) under(check, notes, "", key);
    } else if (!isJsonScalar(value)) {
      if (value === undefined) delete object[key];
      else {
        const notes = check.notes.length;
        violate(check, "", `${notJson(value)} is not JSON`);
        under(check, notes, "", key);
      }
    }
  }
}

/** Looks through any JSON value; null is a value. */
export function checkValue(value: unknown, check: Check, depth: number): void {
  if (typeof value === "string" || value === null) return;
  if (Array.isArray(value)) checkList(value, check, depth);
  else if (typeof value === "object") checkStruct(value as Loose, check, depth);
  else if (!isJsonScalar(value)) violate(check, "", `${notJson(value)} is not JSON`);
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
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (typeof value === "string" || value === null) continue;
    const notes = check.notes.length;
    checkValue(value, check, depth + 1);
    if (check.notes.length !== notes) under(check, notes, "", index);
  }
}

/** Subtracting a number from itself is 0 unless it is NaN or infinite. */
function isJsonScalar(value: unknown): boolean {
  return typeof value === "number" ? value - value === 0 : typeof value === "boolean";
}

function notJson(value: unknown): string {
  return typeof value === "number" ? String(value) : typeof value;
}

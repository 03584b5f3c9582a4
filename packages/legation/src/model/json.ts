/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. A key that is absent reads as undefined; undefined is never a value. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** How deep JSON may be nested. Guards against stack overflow in every recursive reader and writer. */
export const MAX_JSON_DEPTH = 100;

/**
 * Tells whether a value is a JSON object: not null, not an array, not a class instance such as Date or Map.
 *
 * @param value - Anything.
 * @returns True for plain objects and objects without a prototype. The values inside are not looked at.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/**
 * Says why a value is not JSON, or undefined when it is.
 *
 * JSON.stringify drops undefined and functions and turns NaN into null without a word; what passes here is carried
 * exactly. Cycles show up as too deep.
 *
 * @param value - Anything.
 * @param maxDepth - How many levels of objects and arrays are allowed; {@link MAX_JSON_DEPTH} by default.
 * @returns A reason such as `NaN is not JSON`, with the path inside the value, or undefined.
 */
export function whyNotJson(value: unknown, maxDepth: number = MAX_JSON_DEPTH): string | undefined {
  return findFault(value, "", maxDepth);
}

function findFault(value: unknown, path: string, left: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : fault(path, `${value} is not JSON`);
    case "object":
      break;
    default:
      return fault(path, `${typeof value} is not JSON`);
  }
  if (value === null) return undefined;
  if (left === 0) return fault(path, "nested too deep");
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findFault(value[index], `${path}[${index}]`, left - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return fault(path, `${Object.prototype.toString.call(value)} is not JSON`);
  for (const key of Object.keys(value)) {
    const found = findFault(value[key], path === "" ? key : `${path}.${key}`, left - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fault(path: string, reason: string): string {
  return path === "" ? reason : `${path}: ${reason}`;
}

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
  const found = findFault(value, maxDepth);
  return found === undefined || found.path === "" ? found?.reason : `${found.path}: ${found.reason}`;
}

/** The path grows on the way back from a fault, so that a value without one costs no text. */
interface Fault {
  readonly path: string;
  readonly reason: string;
}

function findFault(value: unknown, left: number): Fault | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: "", reason: `${value} is not JSON` };
    case "object":
      break;
    default:
      return { path: "", reason: `${typeof value} is not JSON` };
  }
  if (value === null) return undefined;
  if (left === 0) return { path: "", reason: "nested too deep" };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findFault(value[index], left - 1);
      if (found !== undefined) return within(`[${index}]`, found);
    }
    return undefined;
  }
  if (!isJsonObject(value)) return { path: "", reason: `${Object.prototype.toString.call(value)} is not JSON` };
  for (const key of Object.keys(value)) {
    const found = findFault(value[key], left - 1);
    if (found !== undefined) return within(key, found);
  }
  return undefined;
}

function within(step: string, { path, reason }: Fault): Fault {
  const isMember = path !== "" && !path.startsWith("[");
  return { path: isMember ? `${step}.${path}` : step + path, reason };
}

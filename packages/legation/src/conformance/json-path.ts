/** Reading JSON of unknown shape: what is not there is undefined, nothing throws. */
import { isJsonObject, type JsonObject } from "../model/json.ts";

/**
 * The value at a path.
 *
 * @param path names and indexes joined by dots, `status.message.parts.0.text`
 * @returns undefined where a step of the path does not exist
 */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** The string at a path, undefined where there is none. */
export function textAt(root: unknown, path: string): string | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? value : undefined;
}

/** The objects of the list at a path; none where there is no list. */
export function objectsAt(root: unknown, path: string): readonly JsonObject[] {
  const value = valueAt(root, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A value as JSON, cut to a length that a report can hold. */
export function show(value: unknown, maxLength = 400): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

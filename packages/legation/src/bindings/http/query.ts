/**
 * Queries, read and written as §11.5 says.
 *
 * A plus sign is a space, as forms and URLSearchParams write it, and stays a plus where a time stands, for a time zone
 * is often pasted unencoded.
 */
import { invalidField } from "../../operations/errors.ts";

/** How a field of a request is read from a query. Numbers and enum names are left to the validator. */
export type QueryField = "string" | "number" | "boolean" | "enum" | "timestamp";

/**
 * The value of one parameter, by its name in lower case.
 *
 * @returns the decoded value of the first, undefined where there is none or it cannot be decoded
 */
export function queryValue(query: string, name: string): string | undefined {
  for (const pair of query.split("&")) {
    const cut = pair.indexOf("=");
    if ((cut === -1 ? pair : pair.slice(0, cut)).toLowerCase() !== name) continue;
    return cut === -1 ? "" : decode(pair.slice(cut + 1), false);
  }
  return undefined;
}

/**
 * Reads a query into the JSON form of a request; both spellings of a name count, unknown parameters do not, and an
 * empty value is unset.
 *
 * @param query without the question mark
 * @param fields camelCase name → how to read it
 * @throws INVALID_PARAMS for an undecodable value, two different values of one field, or a boolean that is none
 */
export function parseQuery(query: string, fields: Readonly<Record<string, QueryField>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (query === "") return values;
  for (const pair of query.split("&")) {
    const cut = pair.indexOf("=");
    const name = camelCase(cut === -1 ? pair : pair.slice(0, cut));
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) continue;
    const text = cut === -1 ? "" : decode(pair.slice(cut + 1), kind === "timestamp");
    if (text === undefined) throw invalidField(name, "is not valid percent-encoding of UTF-8");
    if (text === "") continue;
    const value = read(name, kind, text);
    if (values[name] !== undefined && values[name] !== value)
      throw invalidField(name, "is given twice with different values");
    values[name] = value;
  }
  return values;
}

function read(name: string, kind: QueryField, text: string): unknown {
  if (kind === "boolean") {
    if (text === "true") return true;
    if (text === "false") return false;
    throw invalidField(name, `${JSON.stringify(text)} is no boolean; use true or false`);
  }
  // Enum numbers are numbers in ProtoJSON; in a query they can only look like one.
  return kind === "enum" && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function camelCase(name: string): string {
  return name.includes("_") ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

function decode(text: string, plusStays: boolean): string | undefined {
  return percentDecode(plusStays ? text : text.replaceAll("+", " "));
}

/** Percent-decodes UTF-8; undefined where it is malformed. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Writes a query from the fields of a request that are set; `""` where none is, else with the question mark. */
export function encodeQuery(request: object, fields: readonly string[]): string {
  let query = "";
  for (const field of fields) {
    const value = (request as Record<string, unknown>)[field];
    if (value === undefined || value === "") continue;
    query += `${query === "" ? "?" : "&"}${field}=${encodeURIComponent(String(value))}`;
  }
  return query;
}

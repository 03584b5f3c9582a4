import { MAX_VIOLATIONS } from "./model-error.ts";

/**
 * Findings of one validation and where they are.
 *
 * A note is recorded with the path relative to the object at hand; each caller on the way up puts its own segment in
 * front (`under`), so that no path exists until something is found.
 */

/** An object whose fields are not yet known to be right. */
export interface Loose {
  [key: string]: unknown;
}

/** One finding: a violation, or a warning about something that was put right. */
export interface Note {
  field: string;
  readonly description: string;
  readonly warning: boolean;
}

/** Tells an object from everything else, arrays included. */
export function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The state of one validation. */
export interface Check {
  readonly notes: Note[];
  /** `notes.length`, as a field of its own: the generated code reads it around every nested value. */
  count: number;
  violations: number;
  warnings: number;
}

/** Records a violation. */
export function violate(check: Check, field: string, description: string): void {
  check.violations++;
  if (check.violations <= MAX_VIOLATIONS) check.count = check.notes.push({ field, description, warning: false });
}

/** Records a warning: the value was put right or kept as it is. */
export function warn(check: Check, field: string, description: string): void {
  check.warnings++;
  if (check.warnings <= MAX_VIOLATIONS) check.count = check.notes.push({ field, description, warning: true });
}

/** Puts a field's name, and an index or key, in front of the paths of all notes from `from` on. */
export function under(check: Check, from: number, field: string, at?: number | string): void {
  const segment = at === undefined ? field : `${field}${segmentOf(at)}`;
  for (let index = from; index < check.notes.length; index++) {
    const note = check.notes[index];
    if (note === undefined) continue;
    note.field =
      note.field === "" ? segment : /^[.[]/.test(note.field) ? segment + note.field : `${segment}.${note.field}`;
  }
}

function segmentOf(at: number | string): string {
  if (typeof at === "number") return `[${at}]`;
  return /^[A-Za-z_][\w-]{0,63}$/.test(at) ? `.${at}` : `[${JSON.stringify(at.slice(0, 64))}]`;
}

/** A short text of a value for a message: never more than a few dozen characters of what was received. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : typeof value;
}

/** Records that a value has the wrong type. @returns True: the field was given. */
export function wrong(check: Check, field: string, wanted: string, value: unknown): true {
  violate(check, field, `must be ${wanted}, got ${show(value)}`);
  return true;
}

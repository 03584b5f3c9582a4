import { type Check, type Loose, violate } from "./notes.ts";
import { teachMissing, teachNoArm } from "./teach.ts";

/** A REQUIRED field: its bit in the generated code's mask, and what its value is. */
export interface RequiredField {
  readonly bit: number;
  readonly field: string;
  readonly kind: "list" | "string" | "number" | "other";
}

/** Records a violation for each REQUIRED field that was not given. */
export function refuseMissing(have: number, message: string, required: readonly RequiredField[], check: Check): void {
  for (const { bit, field, kind } of required) {
    if ((have & bit) === 0) violate(check, field, teachMissing(message, field, kind === "list"));
  }
}

/** Gives each REQUIRED field that was not given its empty value, where that has a meaning: the last page of a list. */
export function fillMissing(object: Loose, have: number, required: readonly RequiredField[]): void {
  for (const { bit, field, kind } of required) {
    if ((have & bit) === 0) object[field] = kind === "list" ? [] : kind === "string" ? "" : 0;
  }
}

/** The members of a oneof. */
export interface OneofArms {
  readonly message: string;
  readonly arms: readonly string[];
}

/**
 * Deals with a oneof of which not exactly one member is given.
 *
 * Members with an empty value (`""`, `data: null`) give way to the one that has content; `{"text":""}` alone is a text.
 *
 * @param from - How many notes there were before this object: one that has already been explained is not reported again.
 */
export function fixArms(object: Loose, oneof: OneofArms, from: number, check: Check): void {
  const given = oneof.arms.filter((arm) => object[arm] !== undefined);
  const full = given.filter((arm) => object[arm] !== "" && object[arm] !== null);
  const rest = full.length > 0 ? full : given.filter((arm) => object[arm] !== null);
  const [chosen] = rest;
  if (chosen !== undefined && rest.length === 1) {
    for (const arm of given) if (arm !== chosen) delete object[arm];
    return;
  }
  if (given.length > 1) {
    violate(check, "", `has ${given.join(" and ")}: give exactly one of ${oneof.arms.join(", ")}`);
  } else if (given.length === 0 && !check.notes.slice(from).some((note) => !note.warning)) {
    violate(check, "", teachNoArm(oneof.message, oneof.arms));
  }
}

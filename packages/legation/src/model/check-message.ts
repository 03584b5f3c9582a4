import { type Check, type Loose, violate, warn } from "./notes.ts";
import { teachMissing, teachNoArm } from "./teach.ts";

/** A REQUIRED field: its bit in the generated code's mask, and what stands in for it where it may be missing. */
export interface RequiredField {
  readonly bit: number;
  readonly field: string;
  /** The empty value of the field's type, or undefined when nothing can stand in for it. */
  readonly fill: "string" | "list" | "object" | "zero" | undefined;
  /** Also when strict: the field's empty value is meaningful (the last page of a list). */
  readonly always: boolean;
}

/** Deals with REQUIRED fields that were not given: filled where leniency allows it, otherwise a violation each. */
export function fixMissing(
  object: Loose,
  have: number,
  message: string,
  required: readonly RequiredField[],
  check: Check,
): void {
  for (const { bit, field, fill, always } of required) {
    if ((have & bit) !== 0) continue;
    if (fill === undefined || (!always && !check.lenient)) {
      violate(check, field, teachMissing(message, field, fill));
      continue;
    }
    object[field] = emptyValue(fill);
    if (!always) warn(check, field, "missing: read as empty");
  }
}

function emptyValue(fill: "string" | "list" | "object" | "zero"): unknown {
  if (fill === "string") return "";
  if (fill === "zero") return 0;
  return fill === "list" ? [] : {};
}

/** The members of a oneof, and whether a peer's object without any of them is tolerated. */
export interface OneofArms {
  readonly message: string;
  readonly arms: readonly string[];
  readonly noneWhenLenient: boolean;
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
  } else if (given.length === 0 && check.lenient && oneof.noneWhenLenient) {
    warn(check, "", `of a kind that is not known: none of ${oneof.arms.join(", ")}`);
  } else if (given.length === 0 && !check.notes.slice(from).some((note) => !note.warning)) {
    violate(check, "", teachNoArm(oneof.message, oneof.arms));
  }
}

import { type FieldViolation, ModelError } from "./model-error.ts";
import { type Check, isObject, type Loose } from "./notes.ts";

/**
 * From unknown to the protocol's objects: `parseX` validates and normalises IN PLACE and returns the same object.
 *
 * The result is the canonical ProtoJSON form: camelCase names, enum names, standard base64, UTC times with three digits,
 * no unset, empty or unknown fields (REQUIRED ones and those with presence excepted). An object that is already
 * canonical is not written to. On an error the object is left half normalised.
 *
 * This is for what reaches a server and for what is our own. What a peer's server answers is read by `parseLeniently`.
 *
 * @see specification §4, §5.5, §5.7
 */
export interface ParseOptions {
  /** Told of fields that look as if they had a meaning, at most 20 a parse; not called when it throws. */
  readonly onWarning?: (warning: FieldViolation) => void;
}

/** A check of one message, in place. */
export type Checker = (object: Loose, check: Check, depth: number) => void;

/**
 * Runs a generated check over a value; the `parseX` functions are this with their own check.
 *
 * @param value - Parsed JSON.
 * @param options - See {@link ParseOptions}.
 * @param checker - The generated check.
 * @param extra - Rules beyond the proto, run when the check found no violation.
 * @returns `value`.
 * @throws ModelError with the path of each violation.
 */
export function parseWith(value: unknown, options: ParseOptions | undefined, checker: Checker, extra?: Checker): Loose {
  const check: Check = { notes: [], count: 0, violations: 0, warnings: 0 };
  if (!isObject(value)) throw new ModelError([{ field: "", description: "must be a JSON object" }]);
  checker(value, check, 1);
  if (extra !== undefined && check.violations === 0) extra(value, check, 1);
  if (check.count > 0) settle(check, options);
  return value;
}

function settle(check: Check, options: ParseOptions | undefined): void {
  if (check.violations > 0) {
    const violations = check.notes.filter((note) => !note.warning);
    throw new ModelError(violations.map(({ field, description }) => ({ field, description })));
  }
  const onWarning = options?.onWarning;
  if (onWarning !== undefined) for (const { field, description } of check.notes) onWarning({ field, description });
}

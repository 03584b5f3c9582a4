/** One thing that is wrong with a value, and where. */
export interface FieldViolation {
  /** The path of the field, such as `message.parts[0].text`; empty for the value itself. */
  readonly field: string;
  /** What is wrong and what would be right, such as `unknown state "working", did you mean TASK_STATE_WORKING`. */
  readonly description: string;
}

/** How many violations one error carries at most. Guards against answers that a hostile body makes huge. */
export const MAX_VIOLATIONS = 20;

/**
 * Says that a value is not what the protocol's data model demands.
 *
 * The message names the first violation; all that were found, up to {@link MAX_VIOLATIONS}, are in `violations`.
 * It knows nothing of the wire: what becomes of it (INVALID_PARAMS, INVALID_AGENT_RESPONSE) is the caller's choice.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** What is wrong, in the order of the proto's fields; never empty. */
  readonly violations: readonly FieldViolation[];

  /** @param violations - At least one. */
  constructor(violations: readonly FieldViolation[]) {
    super(summary(violations));
    this.violations = violations;
  }
}

function summary(violations: readonly FieldViolation[]): string {
  const [first] = violations;
  if (first === undefined) return "invalid value";
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  return `${first.field === "" ? "" : `${first.field}: `}${first.description}${more}`;
}

/** Reads an error as it lies on the wire, without correcting anything. */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { objectsAt, textAt, valueAt } from "./json-path.ts";
import type { BindingName } from "./raw-reply.ts";

/** An error of either binding. */
export interface WireError {
  /** JSON-RPC `error.code`, REST `error.code`; undefined where it is no number. */
  readonly code: number | undefined;
  /** REST `error.status`. */
  readonly status: string | undefined;
  readonly message: string | undefined;
  /** `error.data` or `error.details`, whatever they are. */
  readonly rawDetails: unknown;
  /** The objects among them. */
  readonly details: readonly JsonObject[];
  /** `reason` and `domain` of the ErrorInfo. */
  readonly reason: string | undefined;
  readonly domain: string | undefined;
  /** The violations of the BadRequest. */
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  readonly httpStatus: number;
}

const PREFIX = "type.googleapis.com/google.rpc.";

/**
 * The error in an answer.
 *
 * @returns undefined where the answer is no error: a REST status below 400, a JSON-RPC response without `error`
 */
export function readError(binding: BindingName, json: unknown, httpStatus: number): WireError | undefined {
  const error = valueAt(json, "error");
  if (binding === "rest" ? httpStatus < 400 && error === undefined : error === undefined && httpStatus < 400) {
    return undefined;
  }
  const rawDetails = valueAt(error, binding === "rest" ? "details" : "data");
  const details = Array.isArray(rawDetails) ? rawDetails.filter(isJsonObject) : [];
  const info = details.find((detail) => detail["@type"] === `${PREFIX}ErrorInfo`);
  const bad = details.find((detail) => detail["@type"] === `${PREFIX}BadRequest`);
  const code = valueAt(error, "code");
  return {
    code: typeof code === "number" ? code : undefined,
    status: textAt(error, "status"),
    message: textAt(error, "message"),
    rawDetails,
    details,
    reason: textAt(info, "reason"),
    domain: textAt(info, "domain"),
    violations: objectsAt(bad, "fieldViolations").map((violation) => ({
      field: textAt(violation, "field") ?? "",
      description: textAt(violation, "description") ?? "",
    })),
    httpStatus,
  };
}

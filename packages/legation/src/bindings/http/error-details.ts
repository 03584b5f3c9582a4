/**
 * The details of an error: ErrorInfo and BadRequest in the ProtoJSON form that JSON-RPC `error.data` and REST
 * `error.details` share, written strictly and read leniently.
 *
 * @see specification §3.3.2, §9.5, §11.6
 */
import {
  type A2AError,
  ERROR_DOMAIN,
  ERROR_TABLE,
  type ErrorCode,
  type FieldViolation,
} from "../../operations/errors.ts";

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";

/** The details of an error as a JSON array. Its cause never appears. */
export function encodeDetails(error: A2AError): string {
  const details: unknown[] = [
    { "@type": ERROR_INFO, reason: error.code, domain: ERROR_DOMAIN, metadata: error.metadata },
  ];
  if (error.violations.length > 0) details.push({ "@type": BAD_REQUEST, fieldViolations: error.violations });
  return JSON.stringify(details);
}

/** What could be read from the details that a peer sent. */
export interface ErrorDetails {
  /** The code that the reason names; undefined where there is none or none that we know. */
  readonly code: ErrorCode | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
}

/**
 * Reads details in any shape seen in the wild: an array or one object, with or without `@type`.
 *
 * @param data `error.data` or `error.details` of a peer; anything
 */
export function decodeDetails(data: unknown): ErrorDetails {
  let code: ErrorCode | undefined;
  const metadata: Record<string, string> = {};
  const violations: FieldViolation[] = [];
  for (const item of Array.isArray(data) ? data : [data]) {
    if (!isObject(item)) continue;
    if (typeof item["reason"] === "string") {
      code ??= codeOfReason(item["reason"]);
      if (isObject(item["metadata"])) copyStrings(item["metadata"], metadata);
    }
    for (const violation of Array.isArray(item["fieldViolations"]) ? item["fieldViolations"] : []) {
      if (isObject(violation))
        violations.push({ field: text(violation["field"]), description: text(violation["description"]) });
    }
  }
  return { code, metadata, violations };
}

/** The code that a reason names; a trailing `_ERROR`, which some peers keep, is dropped. */
export function codeOfReason(reason: string): ErrorCode | undefined {
  const name = reason.replace(/_ERROR$/, "");
  for (const candidate of [reason, name]) if (Object.hasOwn(ERROR_TABLE, candidate)) return candidate as ErrorCode;
  return undefined;
}

function copyStrings(from: Record<string, unknown>, to: Record<string, string>): void {
  for (const [key, value] of Object.entries(from)) {
    if (key !== "__proto__" && typeof value === "string") to[key] = value;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Errors on the gRPC binding: a status, and a google.rpc.Status with ErrorInfo, BadRequest and RetryInfo in
 * `grpc-status-details-bin`; read leniently.
 *
 * @see specification §10.6, §5.4
 */
import {
  A2AError,
  ERROR_DOMAIN,
  ERROR_TABLE,
  type ErrorCode,
  type FieldViolation,
  type GrpcStatusName,
} from "../../operations/errors.ts";
import { decodeDetails } from "../http/error-details.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { detailObjects, TYPE_PREFIX } from "./detail-objects.ts";

/** The names of the statuses that we send or read; the last four are never those of an {@link A2AError}. */
type StatusName = GrpcStatusName | "OK" | "CANCELLED" | "UNKNOWN" | "DEADLINE_EXCEEDED";

/** The statuses by number. */
export const STATUS: Readonly<Record<StatusName, number>> = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

/** The number of the status that an error is sent with. */
export function statusOf(code: ErrorCode): number {
  return STATUS[ERROR_TABLE[code].grpc];
}

/**
 * Longest message and largest details that are sent. They travel as trailers, which clients refuse when they are large:
 * those of Java from 8 KiB on, everything together.
 */
const MAX_MESSAGE_CHARS = 1_000;
const MAX_DETAIL_BYTES = 3_500;

const writer = new BinaryWriter();

/** The value of `grpc-message`: the text in percent-encoding. */
export function encodeMessage(message: string): string {
  // encodeURI leaves ASCII as it is where it may stand in a URL; what it escapes beyond need is read all the same.
  return encodeURI(shorten(message).toWellFormed());
}

/** The value of `grpc-status-details-bin` before its base64. Violations that do not fit are left out from the end. */
export function encodeDetails(error: A2AError, status: number): Buffer {
  for (let violations = error.violations; ; violations = violations.slice(0, -1)) {
    const bytes = writer.collect(false, writeStatus, { error, status, violations });
    if (bytes.length <= MAX_DETAIL_BYTES || violations.length === 0) return bytes;
  }
}

interface Details {
  readonly error: A2AError;
  readonly status: number;
  readonly violations: readonly FieldViolation[];
}

function writeStatus(w: BinaryWriter, { error, status, violations }: Details): void {
  // The same as in the trailers: clients made with grpc-go take another one for a broken answer.
  w.int(8, status);
  w.text(18, shorten(error.message));
  writeAny(w, "ErrorInfo", () => {
    w.text(10, error.code);
    w.text(18, ERROR_DOMAIN);
    for (const [key, value] of Object.entries(error.metadata)) {
      const entry = w.begin(26);
      w.text(10, key);
      w.text(18, shorten(value));
      w.end(entry);
    }
  });
  if (violations.length > 0) writeAny(w, "BadRequest", () => writeViolations(w, violations));
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined && isTemporary(error.code)) {
    writeAny(w, "RetryInfo", () => {
      const delay = w.begin(10);
      w.int(8, Math.max(1, Math.ceil(retryAfterSeconds)));
      w.end(delay);
    });
  }
}

function writeAny(w: BinaryWriter, name: string, writeFields: () => void): void {
  const any = w.begin(26);
  w.text(10, TYPE_PREFIX + name);
  const value = w.begin(18);
  writeFields();
  w.end(value);
  w.end(any);
}

function writeViolations(w: BinaryWriter, violations: readonly FieldViolation[]): void {
  for (const { field, description } of violations) {
    const one = w.begin(10);
    w.text(10, field);
    w.text(18, shorten(description));
    w.end(one);
  }
}

// The errors after which the HTTP bindings send Retry-After.
function isTemporary(code: ErrorCode): boolean {
  return code === "RATE_LIMITED" || code === "UNAVAILABLE";
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
}

/** Which error a status means where no reason says more; the same as for a REST body. */
const BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [STATUS.INVALID_ARGUMENT, "INVALID_PARAMS"],
  [STATUS.NOT_FOUND, "TASK_NOT_FOUND"],
  [STATUS.FAILED_PRECONDITION, "UNSUPPORTED_OPERATION"],
  [STATUS.UNIMPLEMENTED, "UNSUPPORTED_OPERATION"],
  [STATUS.UNAUTHENTICATED, "UNAUTHENTICATED"],
  [STATUS.PERMISSION_DENIED, "PERMISSION_DENIED"],
  [STATUS.RESOURCE_EXHAUSTED, "RATE_LIMITED"],
  [STATUS.UNAVAILABLE, "UNAVAILABLE"],
]);

/** What a call ended with. */
export interface ReceivedStatus {
  readonly code: number;
  readonly message: string;
  /** `grpc-status-details-bin`; undefined where there is none. */
  readonly details: Buffer | undefined;
  /** `www-authenticate` among the trailers. */
  readonly challenge?: string | undefined;
}

/** The name of a status; undefined for a number that is never sent with an {@link A2AError}. */
export function statusName(code: number): GrpcStatusName | undefined {
  return Object.values(ERROR_TABLE).find(({ grpc }) => STATUS[grpc] === code)?.grpc;
}

/** Tells which error a status without a reason means; undefined leaves it to the status. */
export type StatusReader = (status: GrpcStatusName | undefined, message: string) => ErrorCode | undefined;

/** The error of a peer: by the reason of an ErrorInfo, then by what `read` says, then by the status. */
export function decodeStatus(
  { code, message, details: bytes, challenge }: ReceivedStatus,
  read?: StatusReader,
): A2AError {
  const objects = bytes === undefined ? [] : detailObjects(bytes);
  const details = decodeDetails(objects);
  const named = details.code ?? read?.(statusName(code), message);
  const known = named ?? BY_STATUS.get(code) ?? "INTERNAL";
  const metadata = { ...details.metadata };
  if (named === undefined && known === "INTERNAL") metadata["grpcStatus"] = String(code);
  if (challenge !== undefined && known === "UNAUTHENTICATED") metadata["wwwAuthenticate"] = challenge.slice(0, 2_000);
  const delay = objects.map(({ retryDelay }) => retryDelay).find((text) => typeof text === "string");
  return new A2AError(known, message === "" ? "the agent gave no reason" : message, {
    metadata,
    violations: details.violations,
    retryAfterSeconds: delay === undefined ? undefined : Number.parseInt(String(delay), 10),
  });
}

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
import { codeOfReason } from "../http/error-details.ts";
import { BinaryReader } from "./binary-reader.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { setMember } from "./well-known.ts";

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

const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

const writer = new BinaryWriter();

/** The value of `grpc-message`: the text in percent-encoding. */
export function encodeMessage(message: string): string {
  // encodeURI leaves ASCII as it is where it may stand in a URL; what it escapes beyond need is read all the same.
  return encodeURI(shorten(message).toWellFormed());
}

/** The value of `grpc-status-details-bin` before its base64. Violations that do not fit are left out from the end. */
export function encodeDetails(error: A2AError): Buffer {
  for (let violations = error.violations; ; violations = violations.slice(0, -1)) {
    const bytes = writer.collect(false, writeStatus, { error, violations });
    if (bytes.length <= MAX_DETAIL_BYTES || violations.length === 0) return bytes;
  }
}

interface Details {
  readonly error: A2AError;
  readonly violations: readonly FieldViolation[];
}

function writeStatus(w: BinaryWriter, { error, violations }: Details): void {
  w.int(8, statusOf(error.code));
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

/** The error of a peer: by the reason of an ErrorInfo, then by the status. */
export function decodeStatus({ code, message, details, challenge }: ReceivedStatus): A2AError {
  const read = details === undefined ? NOTHING : readDetails(details);
  const known = read.code ?? BY_STATUS.get(code) ?? "INTERNAL";
  const metadata = { ...read.metadata };
  if (read.code === undefined && known === "INTERNAL") metadata["grpcStatus"] = String(code);
  if (challenge !== undefined && known === "UNAUTHENTICATED") metadata["wwwAuthenticate"] = challenge.slice(0, 2_000);
  return new A2AError(known, message === "" ? "the agent gave no reason" : message, {
    metadata,
    violations: read.violations,
    retryAfterSeconds: read.retryAfterSeconds,
  });
}

interface ReadDetails {
  code: ErrorCode | undefined;
  readonly metadata: Record<string, string>;
  readonly violations: FieldViolation[];
  retryAfterSeconds: number | undefined;
}

const NOTHING: ReadDetails = { code: undefined, metadata: {}, violations: [], retryAfterSeconds: undefined };

function readDetails(bytes: Buffer): ReadDetails {
  const found: ReadDetails = { code: undefined, metadata: {}, violations: [], retryAfterSeconds: undefined };
  try {
    const r = new BinaryReader(bytes);
    eachField(r, r.length, (tag, end) => {
      if (tag !== 26) return false;
      readAny(r, end, found);
      return true;
    });
  } catch {
    // Details help; an error whose details are broken is still that error.
  }
  return found;
}

function readAny(r: BinaryReader, end: number, found: ReadDetails): void {
  let type = "";
  eachField(r, end, (tag, stop) => {
    if (tag === 10) type = r.textTo(stop);
    else if (tag !== 18) return false;
    else if (type === `${TYPE_PREFIX}ErrorInfo`) readErrorInfo(r, stop, found);
    else if (type === `${TYPE_PREFIX}BadRequest`) readBadRequest(r, stop, found);
    else if (type === `${TYPE_PREFIX}RetryInfo`) readRetryInfo(r, stop, found);
    else return false;
    return true;
  });
}

function readErrorInfo(r: BinaryReader, end: number, found: ReadDetails): void {
  eachField(r, end, (tag, stop) => {
    if (tag === 10) found.code ??= codeOfReason(r.textTo(stop));
    else if (tag === 26) readPair(r, stop, (key, value) => setMember(found.metadata, key, value));
    else return false;
    return true;
  });
}

function readBadRequest(r: BinaryReader, end: number, found: ReadDetails): void {
  eachField(r, end, (tag, stop) => {
    if (tag !== 10) return false;
    readPair(r, stop, (field, description) => found.violations.push({ field, description }));
    return true;
  });
}

function readRetryInfo(r: BinaryReader, end: number, found: ReadDetails): void {
  eachField(r, end, (tag, stop) => {
    if (tag !== 10) return false;
    while (r.at < stop) {
      const inner = r.tag(stop);
      if (inner === 8) found.retryAfterSeconds = Math.max(0, Number(r.long(stop)));
      else r.skip(inner, 0, stop);
    }
    return true;
  });
}

function readPair(r: BinaryReader, end: number, tell: (first: string, second: string) => void): void {
  let first = "";
  let second = "";
  eachField(r, end, (tag, stop) => {
    if (tag === 10) first = r.textTo(stop);
    else if (tag === 18) second = r.textTo(stop);
    else return false;
    return true;
  });
  tell(first, second);
}

/** Goes through the fields that have a length; `take` says whether it read one, the others are skipped. */
function eachField(r: BinaryReader, end: number, take: (tag: number, stop: number) => boolean): void {
  while (r.at < end) {
    const tag = r.tag(end);
    if ((tag & 7) !== 2) {
      r.skip(tag, 0, end);
      continue;
    }
    const stop = r.stop(end);
    if (!take(tag, stop)) r.at = stop;
  }
}

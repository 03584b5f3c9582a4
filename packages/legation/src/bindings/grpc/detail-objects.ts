/** Reads the details of a google.rpc.Status into the objects that the HTTP bindings have for them. */
import { BinaryReader } from "./binary-reader.ts";
import { setMember } from "./well-known.ts";

/** What stands in front of the name of a type in `@type`. */
export const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

/** One detail in its ProtoJSON form; of types other than ErrorInfo, BadRequest and RetryInfo the `@type` alone. */
export type DetailObject = Record<string, unknown>;

/**
 * The details in `grpc-status-details-bin`.
 *
 * @returns those in front of the first that cannot be read: details help, and an error whose details are broken is
 *   still that error
 */
export function detailObjects(bytes: Buffer): readonly DetailObject[] {
  const found: DetailObject[] = [];
  try {
    const r = new BinaryReader(bytes);
    eachField(r, r.length, (tag, end) => {
      if (tag !== 26) return false;
      found.push(readAny(r, end));
      return true;
    });
  } catch {
    // See above.
  }
  return found;
}

type Read = (r: BinaryReader, end: number, into: DetailObject) => void;

const READERS: ReadonlyMap<string, Read> = new Map([
  [`${TYPE_PREFIX}ErrorInfo`, readErrorInfo],
  [`${TYPE_PREFIX}BadRequest`, readBadRequest],
  [`${TYPE_PREFIX}RetryInfo`, readRetryInfo],
]);

function readAny(r: BinaryReader, end: number): DetailObject {
  const object: DetailObject = {};
  eachField(r, end, (tag, stop) => {
    if (tag === 10) object["@type"] = r.textTo(stop);
    else if (tag !== 18) return false;
    else {
      const read = READERS.get(String(object["@type"]));
      if (read === undefined) return false;
      read(r, stop, object);
    }
    return true;
  });
  return object;
}

function readErrorInfo(r: BinaryReader, end: number, into: DetailObject): void {
  const metadata: Record<string, string> = {};
  into["metadata"] = metadata;
  eachField(r, end, (tag, stop) => {
    if (tag === 10) into["reason"] = r.textTo(stop);
    else if (tag === 18) into["domain"] = r.textTo(stop);
    else if (tag === 26) readPair(r, stop, (key, value) => setMember(metadata, key, value));
    else return false;
    return true;
  });
}

function readBadRequest(r: BinaryReader, end: number, into: DetailObject): void {
  const violations: object[] = [];
  into["fieldViolations"] = violations;
  eachField(r, end, (tag, stop) => {
    if (tag !== 10) return false;
    readPair(r, stop, (field, description) => violations.push({ field, description }));
    return true;
  });
}

function readRetryInfo(r: BinaryReader, end: number, into: DetailObject): void {
  eachField(r, end, (tag, stop) => {
    if (tag !== 10) return false;
    while (r.at < stop) {
      const inner = r.tag(stop);
      if (inner === 8) into["retryDelay"] = `${r.long(stop)}s`;
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

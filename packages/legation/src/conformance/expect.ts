/** What checks say when they are not satisfied. */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { ERROR_MAPPINGS, type ExpectedError } from "./error-mappings.ts";
import { show } from "./json-path.ts";
import type { BindingName, RawReply } from "./raw-reply.ts";
import type { Reply } from "./wire.ts";
import type { WireError } from "./wire-error.ts";

/** The agent did something else than it must. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

/** The agent cannot be brought into the state that a check needs: it is skipped, with this reason. */
export class Inapplicable extends Error {
  override readonly name = "Inapplicable";
}

/** Fails unless `holds`. */
export function expect(holds: boolean, expected: string, got: unknown): asserts holds {
  if (!holds) throw new Mismatch(expected, show(got));
}

/** Fails unless the two are the same as JSON. */
export function expectEqual(what: string, got: unknown, expected: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    throw new Mismatch(`${what} ${show(expected)}`, show(got));
  }
}

/** The result of an operation that must succeed. */
export function expectResult({ error, result, status, text }: Reply): JsonObject {
  if (error !== undefined || status < 200 || status > 299 || !isJsonObject(result)) {
    throw new Mismatch("a result", `${status} ${show(text)}`);
  }
  return result;
}

/** Anything that can hold an error. */
export interface MayFail {
  readonly status: number;
  readonly error: WireError | undefined;
}

/**
 * Fails unless the answer is this error, by the rules of its binding: the code on JSON-RPC; status, body and
 * ErrorInfo on HTTP+JSON; status and ErrorInfo on gRPC.
 */
export function expectError(binding: BindingName, reply: MayFail & Partial<RawReply>, name: ExpectedError): WireError {
  const { error, status } = reply;
  const mapping = ERROR_MAPPINGS[name];
  if (error === undefined) throw new Mismatch(`the error ${name}`, `${status} ${show(reply.text ?? "no error")}`);
  if (binding === "jsonrpc") {
    if (error.code !== mapping.jsonRpc) throw new Mismatch(`${name}, error.code ${mapping.jsonRpc}`, shown(error));
    return error;
  }
  if (binding === "grpc") {
    if (error.status !== mapping.status) throw new Mismatch(`${name}, status ${mapping.status}`, shown(error));
  } else if (status !== mapping.http) {
    throw new Mismatch(`${name}, status ${mapping.http}`, shown(error));
  }
  if (mapping.isA2A && error.reason !== name) throw new Mismatch(`an ErrorInfo with reason ${name}`, shown(error));
  return error;
}

function shown({ httpStatus, status, code, reason, message }: WireError): string {
  return `${status ?? httpStatus}, error.code ${code}, reason ${reason ?? "none"}: ${message ?? "no message"}`;
}

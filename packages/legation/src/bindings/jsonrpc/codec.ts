/**
 * JSON-RPC 2.0 envelopes: read strictly with words that help, written by putting texts together.
 *
 * @see specification §9.3, §9.5
 */
import { A2AError } from "../../operations/errors.ts";

/** A request as its envelope says it. */
export interface Envelope {
  /** The id as JSON text, exactly as it came; undefined for a notification. */
  readonly id: string | undefined;
  readonly method: string;
  /** As it came; an empty object where it was absent. */
  readonly params: object;
}

/**
 * Reads a request.
 *
 * @param text the body
 * @param seen told the id as soon as it is known, so that the refusal of a bad envelope can carry it
 * @throws PARSE_ERROR for bad JSON, INVALID_REQUEST for a bad envelope, INVALID_PARAMS for params by position
 */
export function parseEnvelope(text: string, seen: (id: string | undefined) => void): Envelope {
  const body = parseJson(text);
  if (Array.isArray(body)) {
    throw new A2AError("INVALID_REQUEST", "a batch is not supported; send each request as an object of its own");
  }
  if (typeof body !== "object" || body === null) {
    throw new A2AError(
      "INVALID_REQUEST",
      'the body is not an object; send {"jsonrpc":"2.0","id":1,"method":…,"params":…}',
    );
  }
  const { id: rawId, jsonrpc, method, params } = body as Record<string, unknown>;
  if (jsonrpc === undefined && method === undefined) throw bareBody(body);
  const id = readId(rawId, text);
  seen(id);
  if (jsonrpc !== "2.0") throw new A2AError("INVALID_REQUEST", 'jsonrpc must be "2.0"');
  if (typeof method !== "string") throw new A2AError("INVALID_REQUEST", "method must be a string");
  if (params === undefined || params === null) return { id, method, params: {} };
  if (typeof params !== "object" || Array.isArray(params)) {
    throw new A2AError("INVALID_PARAMS", "params must be an object with the fields of the request by name");
  }
  return { id, method, params };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the body, so it stays here.
    throw new A2AError(
      "PARSE_ERROR",
      text.trim() === "" ? "the body is empty; send a JSON-RPC request" : "the body is not valid JSON",
    );
  }
}

function bareBody(body: object): A2AError {
  if (!("message" in body)) return new A2AError("INVALID_REQUEST", 'jsonrpc must be "2.0"');
  return new A2AError(
    "INVALID_REQUEST",
    'this is the body of POST /message:send; here it goes into a JSON-RPC request: {"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":…}}',
  );
}

function readId(id: unknown, text: string): string | undefined {
  switch (typeof id) {
    case "undefined":
      return undefined;
    case "string":
      return JSON.stringify(id);
    case "number":
      return Number.isSafeInteger(id) ? String(id) : numberAsWritten(id, text);
    default:
      if (id === null) return "null";
      throw new A2AError("INVALID_REQUEST", "id must be a string, a number or null");
  }
}

// A number that a double cannot hold, 12345678901234567890, must come back digit by digit: its source text is looked
// up by a second parse, which only such ids pay for.
function numberAsWritten(id: number, text: string): string {
  const sources = new Map<unknown, string>();
  type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;
  const keep: Reviver = function (key, value, context) {
    if (key === "id" && context?.source !== undefined) sources.set(this, context.source);
    return value;
  };
  try {
    const root: unknown = JSON.parse(text, keep as (key: string, value: unknown) => unknown);
    return sources.get(root) ?? JSON.stringify(id);
  } catch {
    // Nested too deep for a reviver; the validator refuses such a request anyway.
    return JSON.stringify(id);
  }
}

/** What stands before a result: {@link RESULT_END} closes it. One per request, shared by all events of a stream. */
export function resultStart(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

/** What stands after a result. */
export const RESULT_END = "}";

/** A request as JSON text. */
export function encodeRequest(id: number, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/**
 * The wire of a gRPC interface without any code of ours: requests written by protobuf-es, calls by node:http2, answers
 * read by protobuf-es.
 */

import { Inapplicable } from "../../src/conformance/expect.ts";
import { objectsAt, textAt, valueAt } from "../../src/conformance/json-path.ts";
import type { Reply, RequestOptions, Wire } from "../../src/conformance/wire.ts";
import type { WireError } from "../../src/conformance/wire-error.ts";
import type { WireStream } from "../../src/conformance/wire-stream.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MethodName } from "../../src/operations/methods.ts";
import { METHOD_MESSAGES } from "../grpc/method-messages.ts";
import { decodeByOracle, encodeByOracle, messageNamed } from "../grpc/oracle.ts";
import { callRaw, type RawAnswer } from "../grpc/raw-call.ts";

/** Opens the wire of `http://127.0.0.1:4000`. What protobuf cannot carry, or only HTTP knows, is `Inapplicable`. */
export function openOracleWire(url: string): Wire {
  const { host } = new URL(url);
  async function exchange(method: MethodName, params: JsonObject, options: RequestOptions = {}): Promise<RawAnswer> {
    const headers = Object.entries(options.headers ?? {}).map(([name, value]) => [name, value ?? ""]);
    const [request] = METHOD_MESSAGES[method];
    return callRaw(host, method, carried(request, params), { headers: Object.fromEntries(headers) });
  }
  return {
    binding: "grpc",
    url: host,
    tenant: "",
    lastExchange: undefined,
    async call(method, params, options): Promise<Reply> {
      const answer = await exchange(method, params, options);
      const error = errorOf(answer);
      const [message] = answer.messages;
      const result = error === undefined && message !== undefined ? decoded(method, message) : undefined;
      const text = JSON.stringify(result ?? { ...error, httpStatus: undefined });
      return { status: answer.http, header: headerOf(answer), text, json: result ?? error, result, error };
    },
    async stream(method, params, options): Promise<WireStream> {
      const answer = await exchange(method, params, options);
      const error = errorOf(answer);
      const frames = answer.messages.map((message) => {
        const json = decoded(method, message);
        return { id: undefined, event: undefined, data: JSON.stringify(json), json, payload: json, error: undefined };
      });
      return {
        status: answer.http,
        header: headerOf(answer),
        error,
        isStream: frames.length > 0,
        next: async () => frames.shift(),
        rest: async () => frames.splice(0),
        close: async () => undefined,
      };
    },
    raw: () => Promise.reject(new Inapplicable("the test writes a request of HTTP by hand")),
  };
}

function carried(name: string, params: JsonObject): Buffer {
  try {
    return encodeByOracle(messageNamed(name), params);
  } catch (thrown) {
    throw new Inapplicable(`protobuf cannot carry the request: ${String(thrown)}`);
  }
}

// Protobuf has no presence for the fields that a list always has: what is not there is empty, never missing.
function decoded(method: MethodName, message: Buffer): JsonObject {
  const [, answer] = METHOD_MESSAGES[method];
  const json = decodeByOracle(messageNamed(answer), message) as JsonObject;
  return method === "ListTasks" ? { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0, ...json } : json;
}

function headerOf({ headers, trailers }: RawAnswer): (name: string) => string | undefined {
  return (name) => (headers[name] ?? trailers[name])?.toString();
}

function errorOf({ status, message, details, http }: RawAnswer): WireError | undefined {
  if (status === 0) return undefined;
  const objects = objectsAt(details, "details");
  const info = objects.find((one) => textAt(one, "reason") !== undefined);
  const violations = objects.map((one) => valueAt(one, "fieldViolations")).find(Array.isArray);
  return {
    code: status,
    status: String(status),
    message,
    rawDetails: details,
    details: objects,
    reason: textAt(info, "reason"),
    domain: textAt(info, "domain"),
    violations: (violations ?? []) as WireError["violations"],
    httpStatus: http,
  };
}

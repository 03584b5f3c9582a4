/** The wire of a gRPC interface, as the conformance checks want it. */
import { openRawGrpc, type RawGrpc, type RawStatus } from "../bindings/grpc/raw-transport.ts";
import { Inapplicable } from "../conformance/expect.ts";
import type { Reply, RequestOptions, Wire, WireOptions } from "../conformance/wire.ts";
import type { WireError } from "../conformance/wire-error.ts";
import type { Frame, WireStream } from "../conformance/wire-stream.ts";
import type { JsonObject } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import { ERROR_TABLE } from "../operations/errors.ts";
import type { MethodName } from "../operations/methods.ts";

/**
 * Opens the wire. What a check writes that protobuf cannot carry makes the check inapplicable, and so does a request
 * that is written by hand for HTTP.
 */
export function openGrpcWire(options: WireOptions): Wire {
  return new GrpcWire(options);
}

class GrpcWire implements Wire {
  readonly binding = "grpc";
  readonly url: string;
  readonly tenant: string;
  lastExchange: string | undefined;
  readonly #options: WireOptions;
  readonly #calls: RawGrpc;

  constructor(options: WireOptions) {
    this.#options = options;
    this.url = options.url;
    this.tenant = options.tenant;
    this.#calls = openRawGrpc(options.url, options.signal);
    options.signal.addEventListener("abort", () => void this.#calls.close(), { once: true });
  }

  async call(method: MethodName, params: JsonObject, options: RequestOptions = {}): Promise<Reply> {
    const metadata = await this.#begin(method, params, options);
    const { error, result, header } = await carried(() => this.#calls.unary(method, this.#full(params), metadata));
    const text = JSON.stringify(error ?? result);
    this.#end(error, text);
    return {
      status: httpStatusOf(error),
      header,
      text,
      json: error ?? result,
      result,
      error: error && wireError(error),
    };
  }

  async stream(method: MethodName, params: JsonObject, options: RequestOptions = {}): Promise<WireStream> {
    const metadata = await this.#begin(method, params, options);
    const stream = await carried(() => this.#calls.stream(method, this.#full(params), metadata));
    const first = await stream.next();
    const early = first !== undefined && "error" in first ? first.error : undefined;
    if (early !== undefined) this.#end(early, JSON.stringify(early));
    let ready = early === undefined ? first : undefined;
    const next = async (): Promise<Frame | undefined> => {
      const found = ready ?? (early === undefined ? await stream.next() : undefined);
      ready = undefined;
      return found === undefined ? undefined : frameOf(found);
    };
    return {
      status: httpStatusOf(early),
      header: stream.header,
      error: early && wireError(early),
      isStream: early === undefined,
      next,
      async rest() {
        const all: Frame[] = [];
        for (let frame = await next(); frame !== undefined; frame = await next()) all.push(frame);
        return all;
      },
      async close() {
        stream.close();
      },
    };
  }

  raw(): Promise<never> {
    return Promise.reject(new Inapplicable("the check writes a request of HTTP by hand"));
  }

  #full(params: JsonObject): JsonObject {
    const { tenant } = this.#options;
    return tenant === "" ? params : { tenant, ...params };
  }

  async #begin(method: MethodName, params: JsonObject, options: RequestOptions): Promise<Record<string, string>> {
    const { extensions, credentials } = this.#options;
    const { headers = {}, caller = "usual" } = options;
    this.lastExchange = `${method} ${JSON.stringify(params).slice(0, 1_000)}`;
    const metadata: Record<string, string> = {};
    const usual: Record<string, string | undefined> = {
      "a2a-version": "1.0",
      ...(extensions.length === 0 ? {} : { "a2a-extensions": extensions.join(",") }),
      ...(await credentials(caller)),
      ...headers,
    };
    for (const [name, value] of Object.entries(usual)) {
      const lower = name.toLowerCase();
      if (value !== undefined && lower !== "accept" && lower !== "content-type") metadata[lower] = value;
    }
    return metadata;
  }

  #end(error: RawStatus | undefined, text: string): void {
    this.lastExchange = `${this.lastExchange ?? ""}\n${error?.name ?? "OK"} ${text.slice(0, 1_000)}`;
  }
}

async function carried<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof ModelError) throw new Inapplicable(`protobuf cannot carry the request: ${thrown.message}`);
    throw thrown;
  }
}

function wireError(error: RawStatus): WireError {
  const { code, name, message, details } = error;
  const info = details.find(({ reason }) => typeof reason === "string");
  const bad = details.find(({ fieldViolations }) => Array.isArray(fieldViolations));
  return {
    code,
    status: name,
    message,
    rawDetails: details,
    details: details as readonly JsonObject[],
    reason: info?.["reason"] as string | undefined,
    domain: info?.["domain"] as string | undefined,
    violations: (bad?.["fieldViolations"] ?? []) as WireError["violations"],
    httpStatus: httpStatusOf(error),
  };
}

/** The status of HTTP that means the same: checks of what is alike on all bindings compare by it. */
function httpStatusOf(error: RawStatus | undefined): number {
  if (error === undefined) return 200;
  // A message over the limit: RESOURCE_EXHAUSTED is what every tool of gRPC expects, the reason tells it from a rate.
  if (error.code === 8 && error.details.some(({ reason }) => reason === "INVALID_REQUEST")) return 413;
  const row = Object.values(ERROR_TABLE).find(({ grpc }) => grpc === error.name);
  return row?.http ?? 500;
}

function frameOf(found: { readonly event: object } | { readonly error: RawStatus }): Frame {
  const json = "event" in found ? found.event : found.error;
  return {
    id: undefined,
    event: undefined,
    data: JSON.stringify(json),
    json,
    payload: "event" in found ? (found.event as JsonObject) : undefined,
    error: "error" in found ? wireError(found.error) : undefined,
  };
}

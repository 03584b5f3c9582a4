/**
 * The raw wire of one interface: requests are written by hand and answers are read as they are, so that no client's
 * leniency stands between an agent and its judge.
 */
import type { Fetch, FetchResponse } from "../bindings/http/outgoing.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { MethodName } from "../operations/methods.ts";
import type { BindingName, RawReply } from "./raw-reply.ts";
import { restRequest } from "./rest-route.ts";
import { readError, type WireError } from "./wire-error.ts";
import { openStream, type WireStream } from "./wire-stream.ts";

/** Who sends a request: the usual caller, a second one, or nobody, without credentials. */
export type Caller = "usual" | "other" | "nobody";

/** What a check may say of one request. */
export interface RequestOptions {
  /** Beside or instead of the usual ones; undefined leaves one out. Lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default "usual". */
  readonly caller?: Caller | undefined;
}

/** A request that is written by hand. */
export interface RawRequest extends RequestOptions {
  /** Default POST. */
  readonly method?: string | undefined;
  /** Below the URL of the interface, query included; default none. */
  readonly path?: string | undefined;
  readonly body?: string | undefined;
}

/** The answer to an operation. */
export interface Reply extends RawReply {
  /** What the operation gave; undefined for an error. */
  readonly result: unknown;
  /** The error; undefined for a result. */
  readonly error: WireError | undefined;
}

/** One interface of an agent. */
export interface Wire {
  readonly binding: BindingName;
  /** URL of the interface, without a slash at its end. */
  readonly url: string;
  /** Of the interface; `call` and `stream` send it by themselves, what is written by hand must. `""` for none. */
  readonly tenant: string;
  /** Carries out an operation, one that streams too: then only its plain answer is read. */
  call(method: MethodName, params: JsonObject, options?: RequestOptions): Promise<Reply>;
  /** Opens a stream; an error instead of a stream is in `error`. */
  stream(method: MethodName, params: JsonObject, options?: RequestOptions): Promise<WireStream>;
  raw(request: RawRequest): Promise<RawReply>;
  /** The last request and its answer in one line each, for reports. */
  readonly lastExchange: string | undefined;
}

/** What a wire is made of. */
export interface WireOptions {
  readonly binding: BindingName;
  readonly url: string;
  readonly tenant: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Extensions that the card requires; sent with every request. */
  readonly extensions: readonly string[];
  /** Credentials of a caller. */
  readonly credentials: (caller: Caller) => Promise<Readonly<Record<string, string>>>;
}

/** Longest answer that is read: guards the judge against an agent that never stops. */
const MAX_REPLY_CHARS = 16 * 1024 * 1024;

/** Opens the wire of an interface. Nothing is sent yet. */
export function openWire(options: WireOptions): Wire {
  return new HttpWire(options);
}

class HttpWire implements Wire {
  readonly #options: WireOptions;
  readonly binding: BindingName;
  readonly url: string;
  readonly tenant: string;
  lastExchange: string | undefined;
  #sent = 0;

  constructor(options: WireOptions) {
    this.#options = options;
    this.binding = options.binding;
    this.url = options.url.replace(/\/+$/, "");
    this.tenant = options.tenant;
  }

  async call(method: MethodName, params: JsonObject, options: RequestOptions = {}): Promise<Reply> {
    const raw = await this.raw({ ...this.#encode(method, params), ...this.#withAccept(options, "") });
    return { ...raw, ...this.#outcome(raw) };
  }

  async stream(method: MethodName, params: JsonObject, options: RequestOptions = {}): Promise<WireStream> {
    const response = await this.#send({
      ...this.#encode(method, params),
      ...this.#withAccept(options, "text/event-stream, "),
    });
    if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) {
      const raw = await this.#read(response);
      return openStream({ binding: this.binding, head: raw, plain: this.#outcome(raw).error ?? null });
    }
    return openStream({ binding: this.binding, head: headOf(response), body: response.body });
  }

  async raw(request: RawRequest): Promise<RawReply> {
    return this.#read(await this.#send(request));
  }

  /** Accept as a client of the binding would send it. */
  #withAccept(options: RequestOptions, stream: string): RequestOptions {
    const json = this.binding === "rest" ? "application/a2a+json, application/json" : "application/json";
    return { ...options, headers: { accept: stream + json, ...options.headers } };
  }

  #encode(method: MethodName, params: JsonObject): RawRequest {
    const { tenant } = this.#options;
    const full = tenant === "" ? params : { tenant, ...params };
    if (this.binding === "rest") {
      const { verb, path, query, body } = restRequest(method, full, tenant);
      return { method: verb, path: path + query, body: body === undefined ? undefined : JSON.stringify(body) };
    }
    this.#sent += 1;
    return { body: JSON.stringify({ jsonrpc: "2.0", id: this.#sent, method, params: full }) };
  }

  #outcome({ json, status }: RawReply): { result: unknown; error: WireError | undefined } {
    const error = readError(this.binding, json, status);
    if (error !== undefined) return { result: undefined, error };
    const result = this.binding === "rest" ? json : isJsonObject(json) ? json["result"] : undefined;
    return { result, error: undefined };
  }

  async #send(request: RawRequest): Promise<FetchResponse> {
    const { method = "POST", path = "", body } = request;
    const headers = await this.#headers(request, body !== undefined);
    this.lastExchange = `${method} ${path === "" ? "/" : path}${body === undefined ? "" : ` ${body.slice(0, 1_000)}`}`;
    return this.#options.fetch(this.url + path, {
      method,
      headers,
      redirect: "manual",
      signal: this.#options.signal,
      ...(body === undefined ? {} : { body }),
    });
  }

  async #headers({ headers, caller = "usual" }: RequestOptions, hasBody: boolean): Promise<Record<string, string>> {
    const { extensions, credentials, binding } = this.#options;
    const usual: Record<string, string | undefined> = {
      "a2a-version": "1.0",
      ...(extensions.length === 0 ? {} : { "a2a-extensions": extensions.join(",") }),
      ...(hasBody ? { "content-type": binding === "rest" ? "application/a2a+json" : "application/json" } : {}),
      ...(await credentials(caller)),
      ...headers,
    };
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(usual)) if (value !== undefined) sent[name] = value;
    return sent;
  }

  async #read(response: FetchResponse): Promise<RawReply> {
    const text = await readAll(response);
    this.lastExchange = `${this.lastExchange ?? ""}\n${response.status} ${text.slice(0, 1_000)}`;
    return { ...headOf(response), text, json: parseJson(text) };
  }
}

function headOf(response: FetchResponse): Pick<RawReply, "status" | "header"> {
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined };
}

async function readAll({ body }: FetchResponse): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_REPLY_CHARS) {
      await reader.cancel();
      return text;
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

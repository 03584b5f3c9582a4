/**
 * The client side of HTTP: one request by a structural `fetch`, every failure of the connection as a LocalError, every
 * body bounded.
 */
import { A2AError, LocalError } from "../../operations/errors.ts";

/** The part of the web's `fetch` that a transport uses; the global one and undici's fit. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What a transport asks `fetch` for. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly redirect: "manual";
}

/** What a transport reads of a response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: FetchBody | null;
}

/** A body as the web's streams give it. */
export interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The longest answer that is read into memory: guards against a peer that never stops. */
export const DEFAULT_MAX_RESPONSE_BYTES: number = 64 * 1024 * 1024;

/** Failures before anything was sent: the agent cannot have acted, and another interface may be tried. */
const NOTHING_SENT: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EACCES",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_INVALID_URL",
];

/**
 * Sends a request.
 *
 * @throws LocalError UNREACHABLE (metadata `url`, `cause`, and `sent`: `no` where the agent cannot have seen it),
 *   TIMEOUT or ABORTED by the signal, NOT_AN_AGENT for a redirect
 */
export async function send(fetch: Fetch, url: string, init: FetchInit): Promise<FetchResponse> {
  let response: FetchResponse;
  try {
    response = await fetch(url, init);
  } catch (thrown) {
    throw connectionError(thrown, url, init.signal, "opening");
  }
  const { status } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    await discard(response);
    const location = response.headers.get("location") ?? "another URL";
    // Followed, it would carry the caller's credentials to a place that the card does not name.
    throw new LocalError(
      "NOT_AN_AGENT",
      `${shown(url)} redirects to ${shown(location)} (HTTP ${status}); the agent card must name the final URL`,
      { metadata: { url: shown(url), status: String(status) } },
    );
  }
  return response;
}

/**
 * Says what happened to a connection, and what to check; it shows no credentials.
 *
 * @param thrown by `fetch`, or by the reader of a body
 * @param url what was asked for
 * @param signal of the call
 * @param phase `opening` where no answer has come yet
 */
export function connectionError(
  thrown: unknown,
  url: string,
  signal: AbortSignal | undefined,
  phase?: "opening",
): LocalError {
  if (thrown instanceof LocalError) return thrown;
  if (signal?.aborted === true) {
    const timeout = (signal.reason as { readonly name?: unknown } | undefined)?.name === "TimeoutError";
    const [code, text] = timeout ? (["TIMEOUT", "timed out"] as const) : (["ABORTED", "was aborted"] as const);
    return new LocalError(code, `the call to ${shown(url)} ${text}`, { metadata: { url: shown(url) }, cause: thrown });
  }
  const code = causeCode(thrown);
  const sent = NOTHING_SENT.includes(code) || isTls(code) ? "no" : "unknown";
  // http spoken to https, or the reverse, looks like any broken connection; a time limit does not.
  const isMuddle = phase === "opening" && sent === "unknown" && !code.includes("TIMEOUT");
  const check = isMuddle ? "; check the port, and whether it speaks http or https" : "";
  return new LocalError("UNREACHABLE", `${shown(url)} cannot be reached: ${advice(code)}${check}`, {
    metadata: { url: shown(url), cause: code, sent },
    cause: thrown,
  });
}

function advice(code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return "nothing listens there (ECONNREFUSED); is the agent running?";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host name does not resolve (${code})`;
    default:
      if (isTls(code)) return `its certificate is refused (${code})`;
      if (code.includes("TIMEOUT")) return `it did not answer in time (${code})`;
      return code === "" ? "the connection failed" : `the connection failed (${code})`;
  }
}

function isTls(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ALTNAME/.test(code);
}

function causeCode(thrown: unknown): string {
  for (let error = thrown, depth = 0; depth < 5 && typeof error === "object" && error !== null; depth++) {
    const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown };
    if (typeof code === "string") return code;
    error = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return "";
}

/** A URL for a message: without the user, the password and the query, where secrets may be. */
export function shown(url: string): string {
  const bare = url.replace(/[?#].*$/s, "").replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
  return bare.length > 200 ? `${bare.slice(0, 200)}…` : bare;
}

/**
 * Reads a whole body as UTF-8.
 *
 * @throws INVALID_AGENT_RESPONSE when it is longer than `maxBytes` or not UTF-8, LocalError as {@link send} does
 */
export async function readText(
  response: FetchResponse,
  url: string,
  limits: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decodeUtf8(decoder, undefined, url);
      if (value === undefined) continue;
      bytes += value.byteLength;
      if (bytes > limits.maxBytes) {
        throw new A2AError("INVALID_AGENT_RESPONSE", `${shown(url)} answered with more than ${limits.maxBytes} bytes`);
      }
      text += decodeUtf8(decoder, value, url);
    }
  } catch (thrown) {
    reader.cancel().catch(() => undefined);
    if (thrown instanceof A2AError) throw thrown;
    throw connectionError(thrown, url, limits.signal);
  }
}

function decodeUtf8(decoder: TextDecoder, chunk: Uint8Array | undefined, url: string): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new A2AError("INVALID_AGENT_RESPONSE", `${shown(url)} answered with bytes that are not UTF-8`, { cause });
  }
}

/** Lets a body go that nobody reads, so that the connection is free again. */
export async function discard(response: FetchResponse): Promise<void> {
  await response.body
    ?.getReader()
    .cancel()
    .catch(() => undefined);
}

/** Seconds of a Retry-After header; undefined where there is none or it is a date in the past. */
export function retryAfter(response: FetchResponse): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return seconds > 0 ? seconds : undefined;
}

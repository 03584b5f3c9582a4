/**
 * Requests to addresses that strangers gave: webhooks, cards, key sets. Nothing inside of a network can be reached with
 * it, by whatever name; no redirect is followed; no proxy of the environment is used; time and size have limits.
 */
import { Agent, request, fetch as undiciFetch } from "undici";
import type { PushAnswer, PushRequest } from "../engine/push-options.ts";
import { type AddressRules, createAddressGuard } from "./address-rules.ts";
import { AddressRefused, createPinnedConnect, type Resolve, resolveBySystem } from "./pinned-connect.ts";

/** Options of {@link createSafeDialler}. */
export interface SafeDiallerOptions extends AddressRules {
  /** Resolves names; by the system when absent. */
  readonly resolve?: Resolve | undefined;
}

/** What {@link SafeDialler.fetch} takes. */
export interface SafeFetchInit {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** From the first look at the name to the last byte of the body; default 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Of the body; default 1 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Calls what strangers name. */
export interface SafeDialler extends AsyncDisposable {
  /** Why a URL may not be called, as far as its text tells; for registrations. */
  refuseUrl(url: URL): string | undefined;
  /** The deliver port of the engine: one POST, whose answer is read no further than its head. */
  deliver(request: PushRequest): Promise<PushAnswer>;
  /**
   * A `fetch` under the same rules, for cards and key sets. A redirect is answered as it came.
   *
   * @throws AddressRefused, and what a fetch throws
   */
  fetch(url: string | URL, init?: SafeFetchInit): Promise<Response>;
  close(): Promise<void>;
}

/** What is read of an answer that nobody needs, so that its connection can be used again. */
const IGNORED_BODY_BYTES = 16_384;
const USER_AGENT = "legation";
const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1_048_576;

/**
 * Makes a dialler. Its connections are its own.
 *
 * @param options what the operator opens; without any: public addresses, https, the ports of the web
 * @throws LocalError CONFIGURATION for a network that is none
 */
export function createSafeDialler(options: SafeDiallerOptions = {}): SafeDialler {
  const guard = createAddressGuard(options);
  const agent = new Agent({
    connect: createPinnedConnect(guard, options.resolve ?? resolveBySystem),
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16_384,
    allowH2: false,
  });

  function refuse(url: URL): void {
    const why = guard.refuseUrl(url);
    if (why !== undefined) throw new AddressRefused(`${url.hostname} is not called: ${why}`);
  }

  async function deliver({ url, headers, body, timeoutMs, signal }: PushRequest): Promise<PushAnswer> {
    refuse(new URL(url));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: "POST",
        headers: { ...headers, "user-agent": USER_AGENT },
        body,
        signal: limit,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      // The status is the answer. A body without end, or one that drips, costs its connection and nothing else.
      await answer.body.dump({ limit: IGNORED_BODY_BYTES, signal: limit }).catch(() => undefined);
      const retryAfter = answer.headers["retry-after"];
      return { status: answer.statusCode, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
    } catch (failed) {
      if (limit.aborted && !signal.aborted) throw new Error(`no answer within ${timeoutMs} ms`, { cause: failed });
      throw new Error(describe(failed), { cause: failed });
    }
  }

  async function safeFetch(url: string | URL, init: SafeFetchInit = {}): Promise<Response> {
    refuse(new URL(url));
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, signal, ...rest } = init;
    const timeout = AbortSignal.timeout(timeoutMs);
    const answer = await undiciFetch(url, {
      ...(rest.method === undefined ? {} : { method: rest.method }),
      ...(rest.body === undefined ? {} : { body: rest.body }),
      headers: { "user-agent": USER_AGENT, ...rest.headers },
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      dispatcher: agent,
    });
    return limited(answer as unknown as Response, maxBytes);
  }

  const close = (): Promise<void> => agent.destroy();
  return { refuseUrl: guard.refuseUrl, deliver, fetch: safeFetch, close, [Symbol.asyncDispose]: close };
}

/** The same answer, whose body fails when it is longer. */
function limited(answer: Response, maxBytes: number): Response {
  if (answer.body === null) return answer;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new Error(`answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(limit), { status, statusText, headers });
}

/** What went wrong, without what was sent. */
function describe(failed: unknown): string {
  if (!(failed instanceof Error)) return String(failed);
  const { code } = failed as NodeJS.ErrnoException;
  return code === undefined || failed.message.includes(code) ? failed.message : `${failed.message} (${code})`;
}

/**
 * Requests to addresses that strangers gave: webhooks, cards, key sets. Nothing inside of a network can be reached with
 * it, by whatever name; no redirect is followed; no proxy of the environment is used; time and size have limits.
 */
import { Agent, fetch as undiciFetch } from "undici";
import type { PushAnswer, PushRequest } from "../engine/push-options.ts";
import { type AddressRules, createAddressGuard } from "./address-rules.ts";
import { AddressRefused, createPinnedConnect } from "./pinned-connect.ts";
import { type Destination, post } from "./post.ts";
import { createResolve, type Resolve } from "./resolve-names.ts";

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
  /** From the first look at the name to the last byte of the body; default 15,000, infinite for none. */
  readonly timeoutMs?: number | undefined;
  /** Of the body, when it is unpacked; default 1 MiB. */
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

const USER_AGENT = "legation";
const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1_048_576;
const MAX_DESTINATIONS = 1_000;

/**
 * Makes a dialler. Its connections are its own.
 *
 * @param options what the operator opens; without any: public addresses, https, the ports of the web
 * @throws LocalError CONFIGURATION for a network that is none
 */
export function createSafeDialler(options: SafeDiallerOptions = {}): SafeDialler {
  const guard = createAddressGuard(options);
  const agent = new Agent({
    connect: createPinnedConnect(guard, options.resolve ?? createResolve()),
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16_384,
    // Whoever calls says how long.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });

  const destinations = new Map<string, Destination>();

  function refuse(url: URL): void {
    const why = guard.refuseUrl(url);
    if (why !== undefined) throw new AddressRefused(`${url.hostname} is not called: ${why}`);
  }

  /** Where a URL leads. What its text says does not change, so it is looked at once; its addresses are looked at always. */
  function destinationOf(text: string): Destination {
    let found = destinations.get(text);
    if (found === undefined) {
      const url = new URL(text);
      refuse(url);
      found = { origin: url.origin, path: url.pathname + url.search };
      if (destinations.size >= MAX_DESTINATIONS) destinations.clear();
      destinations.set(text, found);
    }
    return found;
  }

  async function deliver(push: PushRequest): Promise<PushAnswer> {
    try {
      return await post(agent, destinationOf(push.url), push);
    } catch (failed) {
      throw failed instanceof AddressRefused ? failed : new Error(describe(failed), { cause: failed });
    }
  }

  async function safeFetch(url: string | URL, init: SafeFetchInit = {}): Promise<Response> {
    refuse(new URL(url));
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, signal, ...rest } = init;
    const signals = Number.isFinite(timeoutMs) ? [AbortSignal.timeout(timeoutMs)] : [];
    if (signal !== undefined) signals.push(signal);
    const answer = await undiciFetch(url, {
      ...(rest.method === undefined ? {} : { method: rest.method }),
      ...(rest.body === undefined ? {} : { body: rest.body }),
      headers: { "user-agent": USER_AGENT, ...rest.headers },
      redirect: "manual",
      signal: AbortSignal.any(signals),
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

/** The outside worker's side of a deferred task, over HTTP. */
import { type Fetch, readText, retryAfter, send } from "../bindings/http/outgoing.ts";
import { globalFetch } from "../bindings/http/transport.ts";
import { decodeErrorBody } from "../bindings/rest/errors.ts";
import { DEFERRED_PATH, type DeferredReport, type DeferredStanding } from "../operations/deferred-report.ts";
import { createDeferredTask, type DeferredTask } from "../operations/deferred-task.ts";
import { A2AError, LocalError } from "../operations/errors.ts";

/** Options of {@link deferredTask}. */
export interface DeferredTaskOptions {
  /** Called in place of the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** How often a report that did not get through is sent again, default 10: an agent that restarts loses no worker. */
  readonly attempts?: number | undefined;
  /** Ends everything that the worker waits for. */
  readonly signal?: AbortSignal | undefined;
}

const ATTEMPTS = 10;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Takes a deferred task into the hands of its worker, in whichever process that runs. Nothing is sent before the first
 * report; a report that did not get through is sent again under the same id, so that it counts once.
 *
 * @param url base URL of the host, as the card's interfaces have it
 * @param token what `task.defer()` gave; a secret, which no error of this shows
 * @throws LocalError CONFIGURATION for a URL that is none; its calls throw LocalError UNREACHABLE, TIMEOUT and ABORTED
 *   beside what {@link DeferredTask} says
 */
export function deferredTask(url: string, token: string, options: DeferredTaskOptions = {}): DeferredTask {
  if (!URL.canParse(url)) {
    throw new LocalError("CONFIGURATION", `${JSON.stringify(url)} is no URL; give the base URL of the agent's host`);
  }
  const target = url.replace(/\/+$/, "") + DEFERRED_PATH;
  return createDeferredTask(async (report, signal) => {
    const signals = [options.signal, signal].filter((given) => given !== undefined);
    const ends = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    for (let attempt = 1; ; attempt++) {
      try {
        return await post(target, token, { report, signal: ends, fetch: options.fetch ?? globalFetch });
      } catch (failed) {
        if (attempt > (options.attempts ?? ATTEMPTS) || !mayPass(failed)) throw failed;
        await pause(pauseMs(failed, attempt), ends);
      }
    }
  });
}

async function post(
  url: string,
  token: string,
  call: { readonly report: DeferredReport; readonly signal: AbortSignal | undefined; readonly fetch: Fetch },
): Promise<DeferredStanding> {
  const { report, signal, fetch } = call;
  const response = await send(fetch, url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(report),
    redirect: "manual",
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await readText(response, url, { maxBytes: MAX_BYTES, signal });
  const body = parsed(text);
  if (response.status === 200 && body !== undefined) return body as DeferredStanding;
  const error = decodeErrorBody(body, response.status, retryAfter(response));
  if (error !== undefined) throw error;
  throw new LocalError(
    "NOT_AN_AGENT",
    `${url} takes no reports (HTTP ${response.status}); give the base URL of the host`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for what another attempt may get through. */
function mayPass(failed: unknown): boolean {
  if (failed instanceof A2AError) return failed.code === "UNAVAILABLE" || failed.code === "RATE_LIMITED";
  return failed instanceof LocalError && failed.code === "UNREACHABLE";
}

/** Exponential with full jitter, and never sooner than the host asked for. */
function pauseMs(failed: unknown, attempt: number): number {
  const floorMs = failed instanceof A2AError ? (failed.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(floorMs, Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(new LocalError("ABORTED", "the worker was told to stop", { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

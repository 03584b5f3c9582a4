/** Makes agents: values that do nothing until a host, a fetch runtime or a test takes them. */
import type { Store } from "../engine/store.ts";
import { LocalError } from "../operations/errors.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createFetchRuntime, type FetchOptions, type FetchRuntime } from "./fetch-runtime.ts";

/** An agent. Give it to `serve`, to `pair` in a test, or to a runtime that calls `fetch`. */
export interface Agent {
  readonly name: string;
  readonly version: string;
  /** What it was made of. */
  readonly options: AgentOptions;
  /**
   * Answers one request, for runtimes that speak fetch: Hono, Next, Workers, Bun, Deno. The first call opens the store
   * and begins to run what is due.
   *
   * @param request below `options.basePath`
   */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
  /**
   * Runs what is due in the store and resolves when nothing is: for a scheduled call of a serverless runtime, where a
   * process may have died in the middle of a task.
   *
   * @param options `timeoutMs` bounds the wait, default 30,000; what is not done then stays due
   */
  drain(options?: { readonly store?: Store | undefined; readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Makes an agent from what it is and what it does.
 *
 * `onTask` makes it answer with tasks, `onMessage` with messages, both make a hybrid. The agent is inert: nothing is
 * opened, started or listened to here.
 *
 * @throws LocalError CONFIGURATION for options that can make no agent
 * @see specification §3.1.1, §4.4.1
 */
export function createAgent(options: AgentOptions): Agent {
  assertOptions(options);
  const frozen = Object.freeze({ ...options });
  let runtime: FetchRuntime | undefined;
  const runtimeOnce = (): FetchRuntime => {
    runtime ??= createFetchRuntime(frozen);
    return runtime;
  };
  return {
    name: frozen.name,
    version: frozen.version,
    options: frozen,
    fetch: (request, fetchOptions = {}) => runtimeOnce().fetch(request, fetchOptions),
    drain: (drainOptions = {}) => runtimeOnce().drain(drainOptions),
  };
}

function assertOptions(options: AgentOptions): void {
  for (const field of ["name", "description", "version"] as const) {
    if (typeof options[field] === "string" && options[field].trim() !== "") continue;
    throw new LocalError("CONFIGURATION", `an agent needs a ${field}; give createAgent({ ${field}: "…" })`);
  }
  if (options.onTask === undefined && options.onMessage === undefined) {
    throw new LocalError(
      "CONFIGURATION",
      `agent ${options.name} has neither onTask nor onMessage; give it one of them`,
    );
  }
  const { url } = options;
  if (url === undefined) return;
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === "https:" || protocol === "http:") return;
  throw new LocalError(
    "CONFIGURATION",
    `url ${JSON.stringify(url)} of agent ${options.name} is not absolute; give https://…`,
  );
}

/** An agent in a runtime that speaks fetch: one mount per store, made at the first request. */
import { createFetchHandler, type FetchHandler } from "../bindings/http/fetch.ts";
import type { Store } from "../engine/store.ts";
import type { Principal } from "../operations/call.ts";
import type { AgentOptions } from "./agent-options.ts";
import { callerRequired } from "./caller-required.ts";
import { mountAgents } from "./mount.ts";
import type { ServerCompat } from "./server-compat.ts";

/** What comes with a request. */
export interface FetchOptions {
  /** Path of the agent in the application, `/agents/planner`; the first request of a store decides. */
  readonly basePath?: string | undefined;
  /** Keeps the runtime alive for work that goes on after the answer. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Where tasks are kept; one in memory, shared by all calls without one, when absent. */
  readonly store?: Store | undefined;
  /** Who calls, where the application has authenticated the caller; without it an agent that is locked answers 401. */
  readonly principal?: Principal | undefined;
  /** Serves another version of the protocol beside 1.0; the first request of a store decides. */
  readonly compat?: ServerCompat | undefined;
}

/** An agent as a fetch runtime uses it. */
export interface FetchRuntime {
  fetch(request: Request, options: FetchOptions): Promise<Response>;
  drain(options: { readonly store?: Store | undefined; readonly timeoutMs?: number | undefined }): Promise<void>;
}

interface Mounted {
  readonly store: Store;
  readonly handle: FetchHandler;
  /** Work that goes on. */
  readonly pending: Set<Promise<void>>;
}

const DRAIN_TIMEOUT_MS = 30_000;
/** A drain has nothing to be told by: it looks that often. */
const DRAIN_POLL_MS = 20;

/** Makes the runtime of one agent. */
export function createFetchRuntime(agent: AgentOptions): FetchRuntime {
  const mounts = new WeakMap<Store, Promise<Mounted>>();
  let memory: Promise<Store> | undefined;

  async function storeOrMemory(store: Store | undefined): Promise<Store> {
    if (store !== undefined) return store;
    memory ??= createMemory();
    return memory;
  }

  async function mounted(store: Store | undefined, options: StartOptions = {}): Promise<Mounted> {
    const chosen = await storeOrMemory(store);
    let found = mounts.get(chosen);
    if (found === undefined) {
      found = start(agent, chosen, options);
      mounts.set(chosen, found);
      // A store that could not be opened is tried again by the next request.
      found.catch(() => mounts.delete(chosen));
    }
    return found;
  }

  return {
    async fetch(request, { basePath, waitUntil, store, principal, compat }) {
      const { origin } = new URL(request.url);
      const { handle, pending } = await mounted(store, { basePath, origin, compat });
      const base = basePath?.replace(/\/$/, "");
      const response = await handle(request, { basePath: base, principal });
      if (waitUntil !== undefined && pending.size > 0) waitUntil(Promise.all(pending));
      return response ?? new Response(null, { status: 404 });
    },
    async drain({ store, timeoutMs = DRAIN_TIMEOUT_MS }) {
      const until = performance.now() + timeoutMs;
      const { store: opened } = await mounted(store);
      while (performance.now() < until && (await isBusy(opened, agent.name))) {
        await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
      }
    },
  };
}

async function createMemory(): Promise<Store> {
  const { createMemoryStore } = await import("../stores/memory/store.ts");
  return createMemoryStore();
}

type StartOptions = Pick<FetchOptions, "basePath" | "compat"> & { readonly origin?: string };

async function start(agent: AgentOptions, store: Store, options: StartOptions): Promise<Mounted> {
  const { basePath, origin, compat } = options;
  const pending = new Set<Promise<void>>();
  const onWork = (done: Promise<void>): void => {
    pending.add(done);
    done.finally(() => pending.delete(done));
  };
  const mount = mountAgents([agent], {
    store,
    basePath: basePath?.replace(/\/$/, ""),
    origin: () => origin,
    onWork,
    compat,
    http: { authenticate: callerRequired(agent) },
  });
  await mount.start();
  return { store, handle: createFetchHandler(mount.handler), pending };
}

async function isBusy(store: Store, agent: string): Promise<boolean> {
  const due = await store.nextDue([agent]);
  return (due !== undefined && due <= Date.now()) || (await store.holders()).length > 0;
}

/** Serves an agent from a Hono application, on Node, Bun, Deno, Workers and wherever else Hono runs. */
import type { Store } from "../../engine/store.ts";
import type { Principal } from "../../operations/call.ts";
import type { Agent } from "../../server/agent.ts";
import type { ServerCompat } from "../../server/server-compat.ts";

/** The part of Hono's context that is read; structural, so that Hono is no dependency. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request;
    /** The pattern of the route, `/planner/*`. */
    readonly routePath: string;
  };
}

/** Settings of {@link createHonoHandler}, for the contexts of one application. */
export interface HonoOptions<Context extends HonoContext> {
  /**
   * Path of the agent, `/planner`; what the card names. Default: the pattern of the route without its `/*`, which is
   * right as long as it holds no parameters.
   */
  readonly basePath?: string | undefined;
  /** Where tasks are kept: a store, or one per request (the environment of a Worker); in memory when absent. */
  readonly store?: Store | ((context: Context) => Store) | undefined;
  /** Serves another version of the protocol beside 1.0: `v0_3()` of legation/v0_3. */
  readonly compat?: ServerCompat | undefined;
  /** Who calls, where a middleware in front has told. An agent that declares security needs it: it answers 401 without. */
  readonly principal?: ((context: Context) => Principal | undefined) | undefined;
}

/**
 * Makes a handler for a route that ends in `/*`: `app.all("/planner/*", createHonoHandler(planner))`. It answers every
 * request below that route, the card too, and never calls the next handler.
 *
 * Where the runtime has `executionCtx.waitUntil` (Workers), work that goes on after an answer is given to it; a task that
 * waits longer needs `agent.drain` on a schedule. Bodies must not have been read by a middleware in front.
 *
 * @param agent serves at the root of the route
 * @param options where tasks are kept, and who calls
 * @returns a Hono handler; it rejects only when the store cannot be opened
 * @see specification §5, §8.2
 */
export function createHonoHandler<Context extends HonoContext>(
  agent: Agent,
  options: HonoOptions<Context> = {},
): (context: Context) => Promise<Response> {
  return (context) => {
    const { store, principal, compat } = options;
    return agent.fetch(context.req.raw, {
      basePath: options.basePath ?? basePathOf(context.req.routePath),
      store: typeof store === "function" ? store(context) : store,
      principal: principal?.(context),
      waitUntil: waitUntilOf(context),
      compat,
    });
  };
}

function basePathOf(routePath: string): string {
  return routePath.replace(/\/\*$/, "").replace(/\/$/, "");
}

/** Hono's `executionCtx` throws where the runtime has none. */
function waitUntilOf(context: HonoContext): ((work: Promise<unknown>) => void) | undefined {
  try {
    const { executionCtx } = context as { readonly executionCtx?: { waitUntil(work: Promise<unknown>): void } };
    return executionCtx === undefined ? undefined : (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined;
  }
}

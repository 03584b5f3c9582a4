/** Serves agents from an Express application. */
import type { Principal } from "../../operations/call.ts";
import type { Agent } from "../../server/agent.ts";
import { type InsideOptions, mountInside } from "../node/mount-inside.ts";
import { assertNodeVersion } from "../node/node-version.ts";
import { type ExpressMiddleware, type ExpressRequest, textOfParsed } from "./express-middleware.ts";

/** Settings of {@link createExpressAgents}. */
export interface ExpressAgentsOptions extends InsideOptions {
  /** The path under which the middleware is mounted, `/planner`; what the cards name. Default: the root. */
  readonly basePath?: string | undefined;
  /**
   * Who calls, where a middleware in front has told: `(request) => request.user`. An agent that declares security needs
   * it, and answers 401 where it gives nobody; of several agents all do as soon as one declares security.
   */
  readonly principal?: ((request: ExpressRequest) => Principal | undefined) | undefined;
}

/** Agents that run inside an Express application. */
export interface ExpressAgents extends AsyncDisposable {
  /** `app.use(basePath, middleware)`. It answers everything below; `next` is never called. */
  readonly middleware: ExpressMiddleware;
  /** Streams are told UNAVAILABLE, running turns have their grace, then the store is closed. Call it before the server closes. */
  close(): Promise<void>;
}

/**
 * Runs agents for an application of Express, or of anything that takes `(request, response, next)` on node:http:
 *
 *     const planner = await createExpressAgents(agent, { basePath: "/planner", store: "sqlite:./planner.db" });
 *     app.use("/planner", planner.middleware);
 *
 * Works before and after `express.json()`; after it, the body is serialised once more and a body that the parser refuses
 * never arrives here. Mount it before parsers where you can.
 *
 * @param agents one agent, or several with names of their own, which stand below the base path at a path each
 * @param options where they stand, where tasks are kept, and who calls
 * @throws LocalError CONFIGURATION for a wrong store, a card that would be untrue, or security that nobody checks
 * @see specification §5, §8.2
 */
export async function createExpressAgents(
  agents: Agent | readonly Agent[],
  options: ExpressAgentsOptions = {},
): Promise<ExpressAgents> {
  assertNodeVersion();
  const inside = await mountInside(agents, {
    ...options,
    basePath: (options.basePath ?? "").replace(/\/$/, ""),
    tellsWhoCalls: options.principal !== undefined,
    remedy: "give createExpressAgents a principal",
  });
  return {
    middleware: (request, response) =>
      inside.carry(request, response, { principal: options.principal?.(request), text: textOfParsed(request) }),
    close: () => inside.close(),
    [Symbol.asyncDispose]: () => inside.close(),
  };
}

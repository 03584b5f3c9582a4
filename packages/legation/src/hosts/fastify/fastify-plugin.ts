/** Serves agents from a Fastify application. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineSettings } from "../../engine/defaults.ts";
import type { Store } from "../../engine/store.ts";
import type { Principal } from "../../operations/call.ts";
import { LocalError } from "../../operations/errors.ts";
import type { Interceptor } from "../../operations/interceptor.ts";
import type { Agent } from "../../server/agent.ts";
import { callerRequired } from "../../server/caller-required.ts";
import { type Mount, mountAgents } from "../../server/mount.ts";
import type { ServerCompat } from "../../server/server-compat.ts";
import { createHolder, isDeadHolder } from "../node/holder.ts";
import { createServerLog, type Logger } from "../node/log.ts";
import { createNodeListener } from "../node/node-listener.ts";
import { assertNodeVersion } from "../node/node-version.ts";
import { openStore } from "../node/open-store.ts";
import { createServePush, type ServePush, type WiredPush } from "../node/serve-push.ts";

/** The part of a Fastify request that is read; structural, so that Fastify is no dependency. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
}

/** The part of a Fastify reply that is used. */
export interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** The part of a Fastify instance that is used. */
export interface FastifyInstance {
  /** Path in front of the plugin, `register(plugin, { prefix })`. */
  readonly prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: never, payload: never, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  addHook(name: "preClose", hook: () => Promise<void>): unknown;
  route(route: {
    method: string | readonly string[];
    url: string;
    handler: (request: never, reply: never) => unknown;
  }): unknown;
}

/** Settings of {@link createFastifyPlugin}. */
export interface FastifyOptions {
  /** Where tasks are kept: `memory:` (default), `sqlite:./agent.db`, `postgres://…`, or a store. */
  readonly store?: string | Store | undefined;
  /**
   * Who calls, where a hook of the application has told: `(request) => request.user`. An agent that declares security
   * needs it, and answers 401 where it gives nobody; of several agents all do as soon as one declares security.
   */
  readonly principal?: ((request: FastifyRequest) => Principal | undefined) | undefined;
  /** Around every operation, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** A logger as pino has it, such as `app.log`; JSON lines on stderr when absent, nothing when false. */
  readonly log?: Logger | false | undefined;
  /** What all replicas share, so that a page token of one is good on another. */
  readonly secret?: string | undefined;
  /** How webhooks are called; false: they are not, and no card declares them. */
  readonly push?: ServePush | false | undefined;
  /** Serves another version of the protocol beside 1.0: `v0_3()` of legation/v0_3. */
  readonly compat?: ServerCompat | undefined;
  /** The tenants that exist; absent accepts any name, `""` is the one without. */
  readonly tenants?: readonly string[] | undefined;
  /** Settings of the engine that differ from the defaults. */
  readonly settings?: Partial<EngineSettings> | undefined;
  /** Longest request body in bytes, default 10 MiB; Fastify's own `bodyLimit` does not apply here. */
  readonly maxBodyBytes?: number | undefined;
  /** Ends running turns after this time when the application closes, in ms; default 10,000. */
  readonly graceMs?: number | undefined;
}

/** A Fastify plugin: `(instance) => Promise<void>`. */
export type FastifyPlugin = (instance: FastifyInstance) => Promise<void>;

/** All that Fastify routes by itself: the binding says 405 to those that it does not take. */
const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Makes a plugin: `app.register(createFastifyPlugin(planner, { store: "sqlite:./planner.db" }), { prefix: "/planner" })`.
 *
 * The plugin opens the store and begins to run what is due when the application gets ready, and ends its turns when the
 * application closes. Its content type parsers are its own; hooks of the application (authentication) run before it.
 * Schemas, serialisers and `onSend` hooks do not: it writes its answers itself.
 *
 * @param agents one agent, or several with names of their own, which stand below the prefix at a path each; the prefix
 *   holds no parameters
 * @param options where tasks are kept, and who calls
 * @throws LocalError CONFIGURATION when it is registered, for a wrong store or a card that would be untrue
 * @see specification §5, §8.2
 */
export function createFastifyPlugin(agents: Agent | readonly Agent[], options: FastifyOptions = {}): FastifyPlugin {
  assertNodeVersion();
  const list = (Array.isArray(agents) ? agents : [agents]) as readonly Agent[];
  return async (instance) => {
    const basePath = instance.prefix.replace(/\/$/, "");
    const push = options.push === false ? undefined : createServePush(options.push ?? {});
    const mount = await mountFor(list, basePath, options, push);
    await mount.start();
    const { carry, stop } = createNodeListener(mount.handler);
    instance.addHook("preClose", async () => {
      // Before the engine lets go of them, so that the last words of a stream are the binding's.
      stop();
      await mount.stop(options.graceMs === undefined ? {} : { graceMs: options.graceMs });
      await push?.dialler.close();
    });
    // The body is read by the binding, which knows its limits and how to refuse it.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser("*", (_request, _payload, done) => done(null));
    const handler = (request: FastifyRequest, reply: FastifyReply): void => {
      const principal = options.principal?.(request);
      reply.hijack();
      carry(request.raw, reply.raw, { url: below(request.raw.url ?? "/", basePath), principal });
    };
    for (const url of ["/", "/*"]) instance.route({ method: METHODS, url, handler });
  };
}

/** What stands behind the prefix, with a slash in front even where it is nothing but a query. */
function below(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

async function mountFor(
  agents: readonly Agent[],
  basePath: string,
  options: FastifyOptions,
  push: WiredPush | undefined,
): Promise<Mount> {
  const locked = agents.map((agent) => callerRequired(agent.options)).find((check) => check !== undefined);
  if (locked !== undefined && options.principal === undefined) {
    throw new LocalError(
      "CONFIGURATION",
      "an agent declares securityRequirements, but nothing tells who calls; give createFastifyPlugin a principal",
    );
  }
  const { store = "memory:", interceptors, secret, settings, maxBodyBytes, tenants, compat } = options;
  return mountAgents(
    agents.map((agent) => agent.options),
    {
      store: typeof store === "object" ? store : await openStore(store),
      basePath,
      interceptors,
      secret,
      settings,
      log: createServerLog(options.log),
      holder: createHolder(),
      isDead: isDeadHolder,
      compat,
      push: push?.options,
      keySet: push?.keySet,
      http: { authenticate: locked, maxBodyBytes, tenants },
    },
  );
}

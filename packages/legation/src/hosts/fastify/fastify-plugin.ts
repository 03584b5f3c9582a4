/** Serves agents from a Fastify application. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../operations/call.ts";
import type { Agent } from "../../server/agent.ts";
import { type InsideOptions, mountInside } from "../node/mount-inside.ts";
import { assertNodeVersion } from "../node/node-version.ts";

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

/** Settings of {@link createFastifyPlugin}. Fastify's own `bodyLimit` does not apply: `maxBodyBytes` does. */
export interface FastifyOptions extends InsideOptions {
  /**
   * Who calls, where a hook of the application has told: `(request) => request.user`. An agent that declares security
   * needs it, and answers 401 where it gives nobody; of several agents all do as soon as one declares security.
   */
  readonly principal?: ((request: FastifyRequest) => Principal | undefined) | undefined;
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
  return async (instance) => {
    const basePath = instance.prefix.replace(/\/$/, "");
    const inside = await mountInside(agents, {
      ...options,
      basePath,
      tellsWhoCalls: options.principal !== undefined,
      remedy: "give createFastifyPlugin a principal",
    });
    const { carry } = inside;
    instance.addHook("preClose", () => inside.close());
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

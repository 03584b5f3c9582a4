/**
 * Puts agents on a store: one engine for all of them, a service and an HTTP handler for each. Hosts, `agent.fetch` and
 * the tests stand on it.
 */
import type { HttpBindingOptions } from "../bindings/http/binding-options.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import { createJsonRpcHandler } from "../bindings/jsonrpc/handler.ts";
import { JSON_RPC_BINDING } from "../bindings/jsonrpc/names.ts";
import { createRestHandler } from "../bindings/rest/handler.ts";
import { REST_BINDING } from "../bindings/rest/names.ts";
import { type Clock, systemClock } from "../engine/clock.ts";
import type { EngineSettings } from "../engine/defaults.ts";
import { Engine } from "../engine/engine.ts";
import type { PushOptions } from "../engine/push-options.ts";
import type { Store } from "../engine/store.ts";
import { newUuidV7 } from "../engine/uuid.ts";
import type { AgentCard } from "../model/gen/types.ts";
import { DEFERRED_PATH } from "../operations/deferred-report.ts";
import { LocalError } from "../operations/errors.ts";
import { intercept } from "../operations/intercept.ts";
import type { Interceptor } from "../operations/interceptor.ts";
import type { Service } from "../operations/service.ts";
import { assertTenantName } from "../operations/tenant.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createAgentRunner } from "./agent-runner.ts";
import { assertHonest, challengeOf, createCard, type Wiring } from "./card.ts";
import { createCardHandler } from "./card-handler.ts";
import { createDeferredHandler } from "./deferred-handler.ts";
import { extensionEvents, hookEvents } from "./extension-events.ts";
import { extensionMethods } from "./extension-methods.ts";
import { pluginsOf } from "./extension-stamps.ts";
import { createKeySetHandler, KEY_SET_PATH } from "./key-set-handler.ts";
import { createPageTokens } from "./page-token.ts";
import { hooksOf } from "./push-operations.ts";
import { agentPaths, createRouter, type TotalHandler, tenantOfPath } from "./router.ts";
import type { ServerCompat } from "./server-compat.ts";
import type { ServerLog } from "./server-log.ts";
import { TaskService } from "./task-service.ts";

/** What agents are put on. */
export interface MountOptions {
  readonly store: Store;
  /** Settings of the engine that differ from the defaults. */
  readonly settings?: Partial<EngineSettings> | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  readonly log?: ServerLog | undefined;
  /** Name of this process in leases, unlike every other's. */
  readonly holder?: string | undefined;
  /** Tells whether the process of a holder is known to be dead, so that its tasks are taken over at once. */
  readonly isDead?: ((holder: string) => boolean) | undefined;
  /** What all replicas share; page tokens are good on all of them then, and after a restart. */
  readonly secret?: string | undefined;
  /** Longest a blocking send waits, in ms; as long as it takes when absent. */
  readonly blockingMs?: number | undefined;
  /** Address of the host, for cards of agents without a `url` where no HTTP request tells it. */
  readonly origin?: (() => string | undefined) | undefined;
  /** Path in front of everything, without a slash at its end; for the URLs in the card. */
  readonly basePath?: string | undefined;
  /**
   * Address of gRPC, `host:port`, for the card of an agent that is called at this origin; undefined where the agent is
   * not served over gRPC. The host serves it: one agent by {@link MountedAgent.service} and {@link MountedAgent.binding},
   * several by `agentsByTenant`, which their cards name as tenants.
   */
  readonly grpc?: ((agent: AgentOptions, origin: string) => string | undefined) | undefined;
  /** Around every operation of every agent, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Authentication and limits of the HTTP bindings. */
  readonly http?: Pick<HttpBindingOptions, "authenticate" | "maxBodyBytes" | "heartbeatMs" | "tenants"> | undefined;
  /** How webhooks are called; absent: the agents declare none and refuse them. */
  readonly push?: PushOptions | undefined;
  /** Serves another version of the protocol beside 1.0; a plug-in. */
  readonly compat?: ServerCompat | undefined;
  /** The public keys by which receivers of webhooks know this host, served at its well-known path. */
  readonly keySet?: (() => Promise<object>) | undefined;
  /** Told of the work that goes on after an answer. */
  readonly onWork?: ((done: Promise<void>) => void) | undefined;
}

/** One agent on its host. */
export interface MountedAgent {
  readonly options: AgentOptions;
  /** Path below the base path; `""` for the only agent. */
  readonly path: string;
  /** The operations without any binding. */
  readonly service: Service;
  /** What its bindings are told: who may call, limits, log. */
  readonly binding: HttpBindingOptions;
  /** The card as a caller at this origin sees it, or a caller for a tenant. */
  card(origin: string, tenant?: string): AgentCard;
}

/** Agents on a store, not yet running. */
export interface Mount {
  readonly engine: Engine;
  readonly agents: readonly MountedAgent[];
  readonly bindings: readonly string[];
  /** Answers every request below the base path. */
  readonly handler: TotalHandler;
  /** Opens the store and begins to run what is due. */
  start(): Promise<void>;
  /** Ends running turns within the grace time; their tasks go on elsewhere, or at the next start. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

const BINDINGS: readonly string[] = [JSON_RPC_BINDING, REST_BINDING];

/**
 * Puts agents on a store.
 *
 * @param agents at least one, with names of their own
 * @throws LocalError CONFIGURATION for agents whose cards would be invalid or untrue
 */
export function mountAgents(agents: readonly AgentOptions[], options: MountOptions): Mount {
  for (const tenant of options.http?.tenants ?? []) if (tenant !== "") assertTenantName(tenant);
  const paths = agentPaths(agents.map(({ name }) => name));
  const stopping = new AbortController();
  const log = options.log ?? (() => undefined);
  const engine: Engine = new Engine({
    store: options.store,
    agents: agents.map((agent) => createAgentRunner(agent, () => engine)),
    settings: { ...deadlinesOf(agents), ...options.settings },
    log,
    clock: options.clock,
    newId: options.newId,
    holder: options.holder,
    isDead: options.isDead,
    push: pushOf(options, agents),
  });
  const shared: SharedParts = {
    engine,
    log,
    pageTokens: createPageTokens(options.secret),
    // In the order of time, so that what is made together is written to one place of an index.
    newId: options.newId ?? (() => newUuidV7((options.clock ?? systemClock).now())),
    signal: stopping.signal,
    blockingMs: options.blockingMs,
    onWork: options.onWork,
  };
  const mounted = agents.map((agent, index) => mountAgent(agent, paths[index] ?? "", options, shared));
  const madeAt = (options.clock ?? systemClock).now();
  return {
    engine,
    agents: mounted,
    bindings: BINDINGS,
    handler: withHostPaths(
      new Map([
        [DEFERRED_PATH, createDeferredHandler(() => engine.deferrals, { maxBodyBytes: options.http?.maxBodyBytes })],
        ...(options.keySet === undefined ? [] : [[KEY_SET_PATH, createKeySetHandler(options.keySet)] as const]),
      ]),
      createRouter(mounted.map((agent) => ({ path: agent.path, handlers: handlersOf(agent, options, madeAt) }))),
    ),
    start: () => engine.start(),
    async stop(stopOptions) {
      stopping.abort();
      await engine.stop(stopOptions);
    },
  };
}

type SharedParts = Omit<ConstructorParameters<typeof TaskService>[0], "options" | "card">;

function mountAgent(agent: AgentOptions, path: string, options: MountOptions, shared: SharedParts): MountedAgent {
  const wiring: Wiring = { bindings: BINDINGS, push: hooksOf(agent, shared.engine.hooks) !== undefined };
  assertHonest(agent, wiring);
  const basePath = `${options.basePath ?? ""}${path}`;
  const card = (origin: string, tenant?: string): AgentCard => {
    const grpcTenant = path === "" ? undefined : tenantOfPath(path);
    const wired = { ...wiring, grpc: options.grpc?.(agent, origin), grpcTenant };
    const made = createCard(agent, wired, baseUrlOf(agent, origin, basePath), tenant);
    return options.compat?.card(made) ?? made;
  };
  // A wrong card must stop the start, not the first caller.
  card(NO_ORIGIN);
  const parts = { ...shared, options: agent, card: () => card(options.origin?.() ?? NO_ORIGIN) };
  const plugins = pluginsOf(agent.extensions);
  const events = extensionEvents(plugins);
  const interceptors = options.interceptors ?? [];
  const service = intercept(new TaskService(parts), events === undefined ? interceptors : [...interceptors, events]);
  const binding = {
    ...bindingOf(agent, options, shared.log),
    extraMethod: extensionMethods(plugins, service, interceptors),
    rpcServices: options.compat?.createRpcServices?.({ service, card }),
  };
  return { options: agent, path, service, binding, card };
}

function pushOf({ push, compat }: MountOptions, agents: readonly AgentOptions[]): PushOptions | undefined {
  if (push === undefined) return undefined;
  const tell = hookEvents(new Map(agents.map(({ name, extensions }) => [name, pluginsOf(extensions)])));
  return { ...push, tell, shapes: { ...compat?.pushShapes, ...push.shapes } };
}

/** What the host itself serves beside its agents, by path; every other request takes no detour. */
function withHostPaths(paths: ReadonlyMap<string, HttpHandler>, otherwise: TotalHandler): TotalHandler {
  const ask = async (handler: HttpHandler, request: HttpRequest): Promise<HttpResponse> =>
    (await handler(request)) ?? (await otherwise(request));
  return (request) => {
    const handler = paths.get(request.path);
    return handler === undefined ? otherwise(request) : ask(handler, request);
  };
}

/** Stands in a card that nobody has asked for over HTTP yet. */
const NO_ORIGIN = "http://localhost";

function baseUrlOf(agent: AgentOptions, origin: string, basePath: string): string {
  const base = agent.url ?? origin + basePath;
  return base.endsWith("/") ? base.slice(0, -1) : base;
}

function bindingOf(agent: AgentOptions, options: MountOptions, log: ServerLog): HttpBindingOptions {
  const challenge = challengeOf(agent);
  return {
    ...options.http,
    challenge: () => challenge,
    log: ({ level, binding, operation, error }) =>
      log({ level, event: "request.failed", binding, operation, error: error.cause ?? error, ...error.metadata }),
  };
}

function handlersOf(agent: MountedAgent, options: MountOptions, madeAt: number): TotalHandlers {
  return [
    createCardHandler(agent.card, madeAt, options.http?.tenants),
    ...(options.compat === undefined ? [] : [options.compat.createHandler(agent)]),
    createJsonRpcHandler(agent.service, agent.binding),
    createRestHandler(agent.service, agent.binding),
  ];
}

type TotalHandlers = Parameters<typeof createRouter>[0][number]["handlers"];

/** The deadlines of all agents of an engine, which must agree as there is one engine. */
function deadlinesOf(agents: readonly AgentOptions[]): Partial<EngineSettings> {
  const found: { inactivityMs?: number; totalMs?: number } = {};
  for (const { name, deadlines } of agents) {
    for (const key of ["inactivityMs", "totalMs"] as const) {
      const given = deadlines?.[key];
      if (given === undefined) continue;
      if (found[key] !== undefined && found[key] !== given) {
        throw new LocalError(
          "CONFIGURATION",
          `agent ${name} has deadlines.${key} ${given} and another of this host ${found[key]}; they share one, or take a host each`,
        );
      }
      found[key] = given;
    }
  }
  return found;
}

/** Puts agents on a port: the place where store, engine, bindings and host come together. */
import { formatGrpcAddress } from "../../bindings/grpc/address.ts";
import { createGrpcHandler, type GrpcHandler } from "../../bindings/grpc/handler.ts";
import { GRPC_BINDING } from "../../bindings/grpc/names.ts";
import { createGrpcSessions } from "../../bindings/grpc/sessions.ts";
import type { HttpHandler, HttpRequest } from "../../bindings/http/exchange.ts";
import type { Clock } from "../../engine/clock.ts";
import type { EngineSettings } from "../../engine/defaults.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Outbox } from "../../engine/push-outbox.ts";
import type { Store } from "../../engine/store.ts";
import type { Principal } from "../../operations/call.ts";
import { createDeferredTask, type DeferredTask } from "../../operations/deferred-task.ts";
import { LocalError } from "../../operations/errors.ts";
import type { Interceptor } from "../../operations/interceptor.ts";
import type { SafeDialler } from "../../outbound/safe-dialler.ts";
import type { Agent } from "../../server/agent.ts";
import type { AgentOptions } from "../../server/agent-options.ts";
import { agentsByTenant } from "../../server/agents-by-tenant.ts";
import { type Mount, type MountedAgent, type MountOptions, mountAgents } from "../../server/mount.ts";
import type { ServerCompat } from "../../server/server-compat.ts";
import type { ServerLog } from "../../server/server-log.ts";
import { withCors } from "./cors.ts";
import { createHolder, isDeadHolder } from "./holder.ts";
import { type Http2Door, type Listening, listen, type TlsOptions } from "./listen.ts";
import { createServerLog, type Logger } from "./log.ts";
import { assertNodeVersion } from "./node-version.ts";
import { openStore } from "./open-store.ts";
import { createOutbound, type Outbound, type OutboundRules } from "./outbound.ts";
import { createServePush, type ServePush } from "./serve-push.ts";

/** Options of {@link serve}. */
export interface ServeOptions {
  /** 0 takes a free one, which is the default. */
  readonly port?: number | undefined;
  /** Address or name to bind; 127.0.0.1 by default, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Where tasks are kept: `memory:` (default; ends with the process), `sqlite:./agent.db`, `postgres://…`, or a store. */
  readonly store?: string | Store | undefined;
  /** A logger as pino has it; JSON lines on stderr when absent, nothing when false. */
  readonly log?: Logger | false | undefined;
  /** Tells who calls; throws an A2AError UNAUTHENTICATED or PERMISSION_DENIED. Absent: everybody is one anonymous owner. */
  readonly authenticate?: ((request: HttpRequest) => Promise<Principal>) | undefined;
  /** Around every operation, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Around the answer to every HTTP request, cards included: what a gateway does, or a test that breaks answers. */
  readonly wrap?: ((handler: HttpHandler) => HttpHandler) | undefined;
  /**
   * Origins of web pages that may call the agents from a browser, `https://app.example.com`; `*` is every one. Absent:
   * pages of the host's own origin alone.
   */
  readonly cors?: readonly string[] | undefined;
  /** What all replicas share, so that a page token of one is good on another. */
  readonly secret?: string | undefined;
  /** Longest a blocking send waits, in ms; as long as it takes when absent (§3.2.2). */
  readonly blockingMs?: number | undefined;
  /** The time of tasks, for tests and for stories that take hours; that of the machine when absent. */
  readonly clock?: Clock | undefined;
  /** How webhooks are called; false: they are not, and no card declares them. */
  readonly push?: ServePush | false | undefined;
  /** What {@link Host.outbound} may call beside the public web. Webhooks have rules of their own, in `push`. */
  readonly outbound?: OutboundRules | undefined;
  /** Serves another version of the protocol beside 1.0: `v0_3()` of legation/v0_3. */
  readonly compat?: ServerCompat | undefined;
  /** Settings of the engine that differ from the defaults. */
  readonly settings?: Partial<EngineSettings> | undefined;
  /** Longest request body in bytes, default 10 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long a request may take to arrive, in ms, default 300,000; 0 is as long as it takes. */
  readonly requestMs?: number | undefined;
  /** Time between the comments that keep an idle stream open, default 15,000. */
  readonly heartbeatMs?: number | undefined;
  /** The tenants that exist; absent accepts any name, `""` is the one without. */
  readonly tenants?: readonly string[] | undefined;
  /** Certificate and key as PEM texts, for all bindings; absent: cleartext, for this machine or behind a proxy. */
  readonly tls?: TlsOptions | undefined;
  /**
   * gRPC on the same port, which is the default. False: not. `url` is the address that the card names,
   * `agents.example.com:443`; it is needed where the agent has a public `url`, for a proxy that carries HTTP may not
   * carry gRPC. `wrap` stands around every call, as the other `wrap` does over HTTP.
   */
  readonly grpc?:
    | boolean
    | { readonly url?: string | undefined; readonly wrap?: ((handler: GrpcHandler) => GrpcHandler) | undefined }
    | undefined;
}

/** Agents on a port. */
export interface Host extends AsyncDisposable {
  /** `http://127.0.0.1:4000`, without a slash at its end. Several agents stand below it, one path each. */
  readonly url: string;
  readonly port: number;
  /** The agents with their paths, cards and operations. */
  readonly agents: readonly MountedAgent[];
  /** The engine below, for what operators do: retry, restart or fail a held task. */
  readonly engine: Engine;
  /** The webhooks of all tasks, for operators: what is behind or given up, and how to try it again. Undefined without push. */
  readonly outbox: Outbox | undefined;
  /** Calls what strangers name: agents and key sets whose addresses came with a message or a card. */
  readonly outbound: Outbound;
  /** Lets a task in AUTH_REQUIRED go on. TASK_NOT_FOUND, UNSUPPORTED_OPERATION when it waits for nothing. */
  authorize(taskId: string, token?: string): Promise<void>;
  /**
   * A deferred task in the hands of a worker in this process.
   *
   * @param token what `task.defer()` gave
   */
  deferred(token: string): DeferredTask;
  /**
   * Stops: streams are told UNAVAILABLE, running turns have `graceMs` (default 10,000), the rest goes on at the next
   * start. Resolves when port and store are free.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

/**
 * Serves agents over JSON-RPC, HTTP+JSON and gRPC on one port, with their cards at the well-known path. Several agents
 * get a path each, made of their names; over gRPC, which has no path to tell them by, the same name is the tenant that
 * their cards give. The process goes on until `close`; no signal is caught.
 *
 * @param agents one agent, or several with names of their own
 * @throws LocalError CONFIGURATION (node too old, wrong store URL, a card that would be invalid or untrue), PORT_IN_USE
 * @see specification §5, §8
 */
export async function serve(agents: Agent | readonly Agent[], options: ServeOptions = {}): Promise<Host> {
  assertNodeVersion();
  const list = isList(agents) ? agents : [agents];
  assertServable(list, options);
  const log = createServerLog(options.log);
  const store = typeof options.store === "object" ? options.store : await openStore(options.store ?? "memory:");
  let listening: Listening | undefined;
  const push = options.push === false ? undefined : createServePush(options.push ?? {});
  const outbound = createOutbound(options.outbound);
  const mount = mountOf(list, options, {
    store,
    log,
    origin: () => listening?.url,
    push: push?.options,
    keySet: push?.keySet,
  });
  await mount.start();
  try {
    listening = await listen(handlerOf(mount, options), {
      port: options.port,
      host: options.host,
      tls: options.tls,
      requestMs: options.requestMs,
      http2: grpcDoor(mount, options),
      onError: (error) =>
        log({ level: "error", event: "request.failed", error: error.cause ?? error, ...error.metadata }),
    });
  } catch (thrown) {
    await mount.stop({ graceMs: 0 });
    throw thrown;
  }
  const { url } = listening;
  log({
    level: "info",
    event: "host.listening",
    url,
    bindings: options.grpc === false ? mount.bindings : [...mount.bindings, GRPC_BINDING],
    store: store.name,
    notWired: notWired(list, options),
  });
  return hostOf(mount, listening, { dialler: push?.dialler, outbound });
}

function handlerOf({ handler }: Mount, { wrap, cors }: ServeOptions): HttpHandler {
  const wrapped = wrap?.(handler) ?? handler;
  return cors === undefined ? wrapped : withCors(wrapped, cors);
}

/** What this host does not offer, for the line at the start. */
function notWired(agents: readonly Agent[], options: ServeOptions): readonly string[] {
  const missing = options.push === false ? ["push notifications (push: false)"] : [];
  if (options.grpc === false) missing.push("gRPC (grpc: false)");
  else if (publicGrpc(options) === undefined && agents.some((agent) => agent.options.url !== undefined)) {
    missing.push("gRPC in the card (an agent has a public url; give serve() grpc: { url } as well)");
  }
  return missing;
}

/** gRPC for connections of HTTP/2 on the port of the host. */
function grpcDoor(mount: Mount, { grpc, requestMs }: ServeOptions): Http2Door | undefined {
  const [agent, second] = mount.agents;
  if (grpc === false || agent === undefined) return undefined;
  const { service, binding } = second === undefined ? agent : agentsByTenant(mount.agents);
  const handler = createGrpcHandler(service, { ...binding, requestMs });
  return createGrpcSessions((typeof grpc === "object" ? grpc.wrap?.(handler) : undefined) ?? handler);
}

function publicGrpc({ grpc }: ServeOptions): string | undefined {
  return typeof grpc === "object" ? grpc.url : undefined;
}

/** The address of gRPC that a card names to a caller at this origin. */
function grpcAddress(options: ServeOptions, agent: AgentOptions, origin: string): string | undefined {
  if (options.grpc === false) return undefined;
  const given = publicGrpc(options);
  if (given !== undefined) return given;
  if (agent.url !== undefined) return undefined;
  const { protocol, hostname, port } = new URL(origin);
  const isTls = protocol === "https:";
  return formatGrpcAddress(`${hostname}:${port === "" ? (isTls ? 443 : 80) : port}`, isTls);
}

function isList(agents: Agent | readonly Agent[]): agents is readonly Agent[] {
  return Array.isArray(agents);
}

function assertServable(agents: readonly Agent[], options: ServeOptions): void {
  if (agents.length === 0)
    throw new LocalError("CONFIGURATION", "there is no agent to serve; give serve() at least one");
  const locked = agents.find((agent) => (agent.options.securityRequirements ?? []).length > 0);
  if (locked === undefined || options.authenticate !== undefined) return;
  throw new LocalError(
    "CONFIGURATION",
    `agent ${locked.name} declares securityRequirements, but nothing checks them; give serve() an authenticate, or remove them`,
  );
}

function mountOf(
  agents: readonly Agent[],
  options: ServeOptions,
  own: Pick<MountOptions, "push" | "keySet"> & {
    readonly store: Store;
    readonly log: ServerLog;
    readonly origin: () => string | undefined;
  },
): Mount {
  const {
    authenticate,
    maxBodyBytes,
    heartbeatMs,
    tenants,
    clock,
    settings,
    secret,
    blockingMs,
    interceptors,
    compat,
  } = options;
  return mountAgents(
    agents.map((agent) => agent.options),
    {
      ...own,
      holder: createHolder(),
      isDead: isDeadHolder,
      clock,
      settings,
      secret,
      blockingMs,
      interceptors,
      compat,
      http: { authenticate, maxBodyBytes, heartbeatMs, tenants },
      grpc: (agent, origin) => grpcAddress(options, agent, origin),
    },
  );
}

function hostOf(
  mount: Mount,
  listening: Listening,
  { dialler, outbound }: { readonly dialler: SafeDialler | undefined; readonly outbound: Outbound },
): Host {
  let closing: Promise<void> | undefined;
  async function shutDown(graceMs: number | undefined): Promise<void> {
    const grace = graceMs === undefined ? {} : { graceMs };
    // Together: streams end when the engine lets go of them, the engine's grace runs while requests are answered.
    await Promise.all([listening.close(grace), mount.stop(grace)]);
    await Promise.all([dialler?.close(), outbound.close()]);
  }
  function close(closeOptions: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    closing ??= shutDown(closeOptions.graceMs);
    return closing;
  }
  return {
    url: listening.url,
    port: listening.port,
    agents: mount.agents,
    engine: mount.engine,
    outbox: mount.engine.hooks?.outbox,
    outbound,
    authorize: (taskId, token) => mount.engine.authorize(taskId, token),
    deferred: (token) => createDeferredTask((report, signal) => mount.engine.deferrals.report(token, report, signal)),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

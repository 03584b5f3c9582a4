/** An agent and a client of it in one process, without a socket but for gRPC, for tests of agents. */
import { grpcTransport } from "../bindings/grpc/grpc-transport.ts";
import { createFetchHandler, type FetchHandler } from "../bindings/http/fetch.ts";
import type { Client } from "../client/client.ts";
import { type ClientCompat, connect } from "../client/connect.ts";
import type { EngineSettings } from "../engine/defaults.ts";
import type { Engine } from "../engine/engine.ts";
import type { Store } from "../engine/store.ts";
import { ANONYMOUS, type Principal } from "../operations/call.ts";
import { createDeferredTask, type DeferredTask } from "../operations/deferred-task.ts";
import type { Agent } from "../server/agent.ts";
import { type Mount, mountAgents } from "../server/mount.ts";
import type { ServerCompat } from "../server/server-compat.ts";
import type { ServerLog } from "../server/server-log.ts";
import { createMemoryStore } from "../stores/memory/store.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { type GrpcDoor, openGrpcDoor } from "./grpc-door.ts";
import { createInProcessFetch } from "./in-process-fetch.ts";
import { createPairPush, type PairPush } from "./pair-push.ts";
import { createPower, type Power } from "./power.ts";

/** Options of {@link pair}. */
export interface PairOptions {
  /** Where tasks are kept; in memory by default. It is closed with the pair. */
  readonly store?: Store | undefined;
  /** The binding of the client; JSON-RPC by default. gRPC takes a port of this machine, and needs @grpc/grpc-js. */
  readonly binding?: "jsonrpc" | "rest" | "grpc" | undefined;
  /** Settings of the engine that differ from the defaults. */
  readonly settings?: Partial<EngineSettings> | undefined;
  /** The clock of the engine; by default one that stands still until `clock.advance`. */
  readonly clock?: FakeClock | undefined;
  /** Where webhooks lead, such as a receiver of legation/push; without it none are called, and no card declares them. */
  readonly push?: PairPush | undefined;
  /** Who the client is; nobody in particular by default. */
  readonly principal?: Principal | undefined;
  readonly log?: ServerLog | undefined;
  /** Another version of the protocol on both sides, `v0_3()` of legation/v0_3: the client then speaks that one. */
  readonly compat?: (ServerCompat & ClientCompat) | undefined;
  /** Makes ids; give a counter for ids that are the same in each run. */
  readonly newId?: (() => string) | undefined;
}

/** An agent and its client. */
export interface Pair extends AsyncDisposable {
  readonly client: Client;
  /** Engine time; the client has the time of the machine. */
  readonly clock: FakeClock;
  /** The engine that lives now. */
  readonly engine: Engine;
  /** Base URL under which `fetch` reaches the agent. */
  readonly url: string;
  /** Reaches the agent over HTTP without a socket; anything else is not found. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Kills the agent as `kill -9` does, and starts it again on the same store: nothing is said to anybody, connections
   * break, what was not committed is gone, leases of the dead are ended. Code of a handler that waits for something
   * outside of the task handle cannot be killed inside a living process: it goes on, and nothing it says is heard.
   */
  crash(): Promise<void>;
  /** Authorises a task that waits in AUTH_REQUIRED. */
  authorize(taskId: string, token?: string): Promise<void>;
  /** A deferred task in the hands of a worker. @param token what `task.defer()` gave */
  deferred(token: string): DeferredTask;
  /** Stops the agent and closes the store. */
  close(): Promise<void>;
}

const URL_OF_PAIR = "http://agent.test";
const BINDINGS = { jsonrpc: "JSONRPC", rest: "HTTP+JSON", grpc: "GRPC" } as const;

/** One life of the agent. */
interface Life {
  readonly mount: Mount;
  readonly power: Power;
  readonly handle: FetchHandler;
}

/**
 * Puts an agent on a store and connects a client to it.
 *
 * @param agent what is tested
 * @throws LocalError CONFIGURATION for an agent that cannot start
 */
export async function pair(agent: Agent, options: PairOptions = {}): Promise<Pair> {
  const { principal = ANONYMOUS } = options;
  const store = options.store ?? createMemoryStore();
  const clock = options.clock ?? createFakeClock();
  const door: GrpcDoor | undefined = options.binding === "grpc" ? await openGrpcDoor() : undefined;

  async function begin(): Promise<Life> {
    const power = createPower(store, clock);
    const { settings, log, newId, compat } = options;
    const push = options.push === undefined ? undefined : createPairPush(options.push, power);
    const http = { authenticate: async () => principal };
    const grpc = (): string | undefined => door?.address;
    const stage = { store: power.store, clock: power.clock, settings, log, newId, http, grpc, compat, push };
    const mount = mountAgents([agent.options], stage);
    await mount.start();
    for (const mounted of mount.agents) door?.open(mounted);
    return { mount, power, handle: createFetchHandler(mount.handler) };
  }

  let life = await begin();
  const fetch = createInProcessFetch(() => ({ handle: life.handle, signal: life.power.signal }));
  const client = await connect(URL_OF_PAIR, {
    fetch,
    prefer: [BINDINGS[options.binding ?? "jsonrpc"]],
    ...(options.compat === undefined ? {} : { compat: options.compat, versions: options.compat.versions }),
    ...(door === undefined ? {} : { transports: { GRPC: grpcTransport() } }),
  });

  async function close(): Promise<void> {
    await client.close();
    await door?.close();
    await life.mount.stop({ graceMs: 0 });
    life.power.cut();
    await store.close();
  }

  return {
    client,
    clock,
    url: URL_OF_PAIR,
    fetch,
    get engine() {
      return life.mount.engine;
    },
    async crash() {
      life.power.cut();
      door?.cut();
      for (const holder of await store.holders()) await store.expire(holder);
      life = await begin();
    },
    authorize: (taskId, token) => life.mount.engine.authorize(taskId, token),
    deferred: (token) =>
      createDeferredTask((report, signal) => life.mount.engine.deferrals.report(token, report, signal)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

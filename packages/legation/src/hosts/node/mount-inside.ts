/** Agents inside somebody else's application on node:http: what Express and Fastify share. */
import type { EngineSettings } from "../../engine/defaults.ts";
import type { Store } from "../../engine/store.ts";
import { LocalError } from "../../operations/errors.ts";
import type { Interceptor } from "../../operations/interceptor.ts";
import type { Agent } from "../../server/agent.ts";
import { callerRequired } from "../../server/caller-required.ts";
import { mountAgents } from "../../server/mount.ts";
import type { ServerCompat } from "../../server/server-compat.ts";
import { createHolder, isDeadHolder } from "./holder.ts";
import { createServerLog, type Logger } from "./log.ts";
import { createNodeListener, type NodeListener } from "./node-listener.ts";
import { openStore } from "./open-store.ts";
import { createServePush, type ServePush } from "./serve-push.ts";

/** Settings of agents inside an application. */
export interface InsideOptions {
  /** Where tasks are kept: `memory:` (default), `sqlite:./agent.db`, `postgres://…`, or a store. */
  readonly store?: string | Store | undefined;
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
  /** Longest request body in bytes, default 10 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Ends running turns after this time when the application closes, in ms; default 10,000. */
  readonly graceMs?: number | undefined;
}

/** What the host of the application adds. */
export interface InsidePlace extends InsideOptions {
  /** Path in front of the agents, without a slash at its end. */
  readonly basePath: string;
  /** Whether the application tells who calls. */
  readonly tellsWhoCalls: boolean;
  /** What to do where it has to and does not. */
  readonly remedy: string;
}

/** Agents that run inside an application. */
export interface Inside extends Pick<NodeListener, "carry"> {
  /** Streams are told UNAVAILABLE, running turns have their grace, then the store is closed. */
  close(): Promise<void>;
}

/**
 * Opens the store, begins to run what is due, and gives what carries requests in and responses out.
 *
 * @throws LocalError CONFIGURATION for a wrong store, a card that would be untrue, or security that nobody checks
 */
export async function mountInside(agents: Agent | readonly Agent[], place: InsidePlace): Promise<Inside> {
  const list = (Array.isArray(agents) ? agents : [agents]) as readonly Agent[];
  const locked = list.map((agent) => callerRequired(agent.options)).find((check) => check !== undefined);
  if (locked !== undefined && !place.tellsWhoCalls) {
    throw new LocalError(
      "CONFIGURATION",
      `an agent declares securityRequirements, but nothing tells who calls; ${place.remedy}`,
    );
  }
  const push = place.push === false ? undefined : createServePush(place.push ?? {});
  const { store = "memory:", basePath, interceptors, secret, settings, maxBodyBytes, tenants, compat } = place;
  const mount = mountAgents(
    list.map((agent) => agent.options),
    {
      store: typeof store === "object" ? store : await openStore(store),
      basePath,
      interceptors,
      secret,
      settings,
      log: createServerLog(place.log),
      holder: createHolder(),
      isDead: isDeadHolder,
      compat,
      push: push?.options,
      keySet: push?.keySet,
      http: { authenticate: locked, maxBodyBytes, tenants },
    },
  );
  await mount.start();
  const { carry, stop } = createNodeListener(mount.handler);
  return {
    carry,
    async close() {
      // Before the engine lets go of them, so that the last words of a stream are the binding's.
      stop();
      await mount.stop(place.graceMs === undefined ? {} : { graceMs: place.graceMs });
      await push?.dialler.close();
    },
  };
}

/** Replicas for the guarantee tests: processes that are killed, stopped and continued for real. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { EngineSettings } from "../../src/engine/defaults.ts";
import type { PushSettings } from "../../src/engine/push-options.ts";
import { type Cleanup, NODE_FLAGS } from "../cli/rehearsal-process.ts";
import type { Fault } from "./fault-store.ts";

const SERVER = path.join(import.meta.dirname, "replica-server.ts");

/** What a replica is started with; crosses over as JSON. */
export interface ReplicaSettings {
  /** Name of the agent in {@link ./replica-agents.ts}. */
  readonly agent: string;
  /** Version of its code; default "1". */
  readonly version?: string;
  readonly store: string;
  /** File that counts the effects of steps. */
  readonly effects: string;
  readonly port?: number;
  readonly engine?: Partial<EngineSettings>;
  /** Settings of its webhooks, which may be on this machine; default: they are tried again soon. */
  readonly push?: Partial<PushSettings>;
  /** True: its log goes to stderr, which {@link Replica.stderr} has. */
  readonly log?: boolean;
}

/** One replica that is up. */
export interface Replica {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Resolves with the signal or the status that it ended with. */
  readonly gone: Promise<string | number>;
  readonly stderr: () => string;
  arm(fault: Fault): Promise<void>;
  /** What it holds in memory once everything is collected that can be, and its RSS. */
  measure(): Promise<{ readonly heldMb: number; readonly rssMb: number }>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** A graceful stop. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Ends what was started for a whole file. `after` of node:test called within a test ends it with that test.
 *
 * @param after of node:test, at the top of a file.
 */
export function endingWith(after: (clean: () => Promise<void>) => void): Cleanup {
  const all: (() => unknown)[] = [];
  after(async () => {
    for (const clean of all.reverse()) await clean();
  });
  return { after: (clean) => void all.push(clean) };
}

/** Starts a replica and waits until it serves; it ends with the test at the latest. */
export async function startReplica(t: Cleanup, settings: ReplicaSettings): Promise<Replica> {
  const child = fork(SERVER, [JSON.stringify(settings)], {
    execArgv: [...NODE_FLAGS, "--expose-gc"],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  const gone = once(child, "exit").then(([code, signal]) => (signal ?? code) as string | number);
  t.after(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const [first] = await Promise.race([
    once(child, "message") as Promise<[{ readonly url: string }]>,
    gone.then((how) => Promise.reject(new Error(`the replica ended with ${how} before it listened: ${stderr}`))),
  ]);
  return {
    url: first.url,
    port: Number(new URL(first.url).port),
    child,
    gone,
    stderr: () => stderr,
    async arm(fault) {
      const armed = once(child, "message");
      child.send({ arm: fault });
      await armed;
    },
    async measure() {
      const measured = once(child, "message") as Promise<[{ readonly heldMb: number; readonly rssMb: number }]>;
      child.send({ measure: true });
      return (await measured)[0];
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
    async stop(graceMs = 5_000) {
      child.send({ stop: { graceMs } });
      await gone;
    },
  };
}

/** A server in a process of its own, and what its processor and its disk did. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ControlMessage } from "./control.ts";
import { cpuMicrosOf } from "./processor-time.ts";

/** Who serves: this package, the limit, the official SDK. */
export type Contender = "ours" | "bare" | "sdk";

/** What node says of its SQLite, and of the SDK's bus when a task has more than ten subscribers, is known. */
const QUIET = ["--disable-warning=ExperimentalWarning", "--disable-warning=MaxListenersExceededWarning"];

/** Where profiles are written when a run is asked for them. */
export interface ProcessOptions {
  /** Folder for --cpu-prof; absent for none. */
  readonly profileTo?: string | undefined;
  /** Name of the program; that of the contender when absent. */
  readonly program?: string | undefined;
}

/** A started server. */
export class ServerProcess implements AsyncDisposable {
  readonly contender: Contender;
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #nextId = 1;

  private constructor(contender: Contender, child: ChildProcess, port: number) {
    this.contender = contender;
    this.#child = child;
    this.port = port;
    child.on("message", (message: { id?: number; result?: unknown; error?: string }) => {
      const waiting = this.#waiting.get(message.id ?? 0);
      this.#waiting.delete(message.id ?? 0);
      if (message.error === undefined) waiting?.resolve(message.result);
      else waiting?.reject(new Error(`${contender}: ${message.error}`));
    });
  }

  /** Starts a server; resolves when it listens. */
  static async start(contender: Contender, setup: object, options: ProcessOptions = {}): Promise<ServerProcess> {
    const profile = options.profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profileTo}`];
    const child = fork(path.join(import.meta.dirname, `${options.program ?? contender}.ts`), [JSON.stringify(setup)], {
      execArgv: [...QUIET, "--conditions=legation-source", "--expose-gc", ...profile],
    });
    const started = once(child, "message") as Promise<[{ port: number }]>;
    const [{ port }] = await Promise.race([started, once(child, "exit").then(() => failed(contender))]);
    return new ServerProcess(contender, child, port);
  }

  /** Asks the server for something by name. */
  ask(name: string, input?: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const message: ControlMessage = { id, name, input };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send(message);
    });
  }

  /** Time on a processor, of all threads, in µs. */
  cpuMicros(): number {
    return cpuMicrosOf(this.#child.pid ?? 0);
  }

  /** Bytes that went to the disk for this process since its start. */
  writtenBytes(): number {
    const io = readFileSync(`/proc/${this.#child.pid}/io`, "utf8");
    return Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? 0);
  }

  /** Kills it as a crash would, so that nothing is said in farewell. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }
}

function failed(contender: Contender): never {
  throw new Error(`the server of ${contender} ended before it listened`);
}

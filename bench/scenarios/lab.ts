/** What a scenario works with: servers and files that are gone when it is over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startPostgres, type TestServer } from "../../packages/legation/test/stores/postgres-server.ts";
import type { Reply } from "../load/connection.ts";
import type { BareStream } from "../servers/bare.ts";
import type { ServerSetup } from "../servers/behaviour.ts";
import { Postgres } from "../servers/postgres.ts";
import { type Contender, ServerProcess } from "../servers/server-process.ts";
import { CannotMeasure } from "./cannot-measure.ts";

/** Settings of a run that scenarios heed. */
export interface LabOptions {
  /** True does a tenth of the work: for a look, not for a result. */
  readonly quick: boolean;
  readonly profileTo?: string | undefined;
}

/** Belongs to one scenario of one run. */
export class Lab implements AsyncDisposable {
  readonly options: LabOptions;
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), "legation-bench-"));
  readonly #servers: ServerProcess[] = [];
  readonly #schemas: Postgres[] = [];
  #postgres: TestServer | undefined;
  #files = 0;

  constructor(options: LabOptions) {
    this.options = options;
  }

  /** A tenth of a number in a quick run. */
  scaled(count: number): number {
    return this.options.quick ? Math.max(1, Math.round(count / 10)) : count;
  }

  /** The URL of a store: a new file for `sqlite`. */
  store(kind: "memory" | "sqlite"): string {
    return kind === "memory" ? "memory:" : `sqlite:${path.join(this.#folder, `${++this.#files}.db`)}`;
  }

  /**
   * A PostgreSQL that waits for its disk, alone for this scenario unless DATABASE_URL names one.
   *
   * @throws CannotMeasure
   */
  async postgres(): Promise<Postgres> {
    this.#postgres ??= await startPostgres({ durable: true });
    if (this.#postgres === undefined) throw new CannotMeasure("no PostgreSQL can be had here: set DATABASE_URL");
    const { dsn, pid } = this.#postgres;
    const postgres = new Postgres(dsn, `bench_${process.pid}_${++this.#files}`, pid);
    this.#schemas.push(postgres);
    return postgres;
  }

  start(contender: Contender, setup: ServerSetup): Promise<ServerProcess> {
    return this.#start(contender, setup, contender);
  }

  /** Starts what calls webhooks. */
  startSender(contender: Contender): Promise<ServerProcess> {
    return this.#start(contender, { contender }, "push");
  }

  /** Starts what tells how long a webhook waits. */
  startPushDelays(): Promise<ServerProcess> {
    return this.#start("ours", {}, "push-delays");
  }

  async #start(contender: Contender, setup: object, program: string): Promise<ServerProcess> {
    const { profileTo } = this.options;
    const profiled = contender === "ours" && profileTo !== undefined ? { profileTo } : {};
    const server = await ServerProcess.start(contender, setup, { ...profiled, program });
    this.#servers.push(server);
    return server;
  }

  /** Starts the limit with an answer of ours. */
  async startBare(sample: Reply, stream?: Omit<BareStream, "frames">): Promise<ServerProcess> {
    const server = await this.start("bare", { behaviour: "echo", store: "memory:" });
    const frames = sample.body.split(/(?<=\n\n)/);
    const headers = writtenHeaders(sample.head);
    await server.ask(
      "answer",
      stream === undefined ? { headers, body: sample.body } : { headers, stream: { ...stream, frames } },
    );
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
    for (const schema of this.#schemas) await schema[Symbol.asyncDispose]();
    await this.#postgres?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The headers that a server gives to node, not those that node writes by itself. */
function writtenHeaders(head: string): string[] {
  const own = /^(date|connection|keep-alive|content-length|transfer-encoding)$/i;
  return head
    .split("\r\n")
    .slice(1)
    .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
    .filter(([name]) => !own.test(name))
    .flat();
}

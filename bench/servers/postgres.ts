/** A PostgreSQL under measurement. */
import { readFileSync } from "node:fs";
import pg from "pg";
import { cpuMicrosOf } from "./processor-time.ts";

/** One schema of it; it is dropped where the server stays. */
export class Postgres implements AsyncDisposable {
  /** Of a store. */
  readonly url: string;
  readonly #dsn: string;
  readonly #schema: string;
  readonly #pid: number | undefined;

  constructor(dsn: string, schema: string, pid: number | undefined) {
    this.url = `${dsn}${dsn.includes("?") ? "&" : "?"}schema=${schema}`;
    this.#dsn = dsn;
    this.#schema = schema;
    this.#pid = pid;
  }

  /** Time on a processor of all its processes, in µs; undefined where it is not ours to look at. */
  cpuMicros(): number | undefined {
    if (this.#pid === undefined) return undefined;
    const children = readFileSync(`/proc/${this.#pid}/task/${this.#pid}/children`, "utf8").trim().split(" ");
    return [this.#pid, ...children.map(Number)].reduce((sum, pid) => sum + timeOf(pid), timeOfEnded(this.#pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#pid !== undefined) return;
    const client = new pg.Client({ connectionString: this.#dsn });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${this.#schema} CASCADE`);
    await client.end();
  }
}

/** What the kernel adds to the time of a parent when a child has ended, in ticks. */
const TICK_MICROS = 10_000;

function timeOfEnded(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * TICK_MICROS;
}

function timeOf(pid: number): number {
  try {
    return cpuMicrosOf(pid);
  } catch {
    // It ended between the two looks.
    return 0;
  }
}

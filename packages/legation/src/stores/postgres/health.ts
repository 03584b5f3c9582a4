import type { PgRunner, RunStatement } from "./driver.ts";

/** Whether a PostgreSQL keeps the promise that what was acknowledged is never lost. */
export interface PostgresHealth {
  /** As the server has it. `off` breaks the promise: a crash loses the last commits. */
  readonly synchronousCommit: string;
  /** How many standbys confirm every commit. 0: the promise holds as long as this server's disk. */
  readonly synchronousStandbys: number;
  /** What breaks the promise or lets commits hang, and what to do; empty when nothing does. */
  readonly problems: readonly string[];
}

const QUESTION =
  "SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'), " +
  "current_setting('synchronous_standby_names'), " +
  "(SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')), pg_is_in_recovery()";

/** Asks a server. */
export async function readHealth(runner: PgRunner, run: RunStatement): Promise<PostgresHealth> {
  const { rows } = await run(runner, QUESTION, []);
  const [commit, fsync, pages, names, standbys, standby] = rows[0] as readonly [
    string,
    string,
    string,
    string,
    number,
    boolean,
  ];
  const problems: string[] = [];
  if (commit === "off") problems.push("synchronous_commit is off: a crash loses acknowledged tasks, set it to on");
  if (fsync === "off") problems.push("fsync is off: a crash can lose the whole database, set it to on");
  if (pages === "off") problems.push("full_page_writes is off: a crash can damage the database, set it to on");
  if (names !== "" && standbys === 0 && commit !== "off" && commit !== "local") {
    problems.push(`no standby of synchronous_standby_names (${names}) is connected: commits wait for one`);
  }
  if (standby) problems.push("this server is a standby: name the primary in the DSN");
  return { synchronousCommit: commit, synchronousStandbys: standbys, problems };
}

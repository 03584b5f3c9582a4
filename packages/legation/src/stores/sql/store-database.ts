import type { Migration } from "./migration-plan.ts";

/** How far the schema of a database is. */
export interface DatabaseStatus {
  /** Version of the last step that it has behind it; 0 for a database without any. */
  readonly version: number;
  /** Steps that this program would take, in order; empty when it is up to date. */
  readonly pending: readonly Migration[];
  /** What breaks the promise that nothing acknowledged is lost, and what to do; empty when nothing does. */
  readonly problems: readonly string[];
}

/** The database below a store, for those who look after it. It reads nothing of the tasks. */
export interface StoreDatabase extends AsyncDisposable {
  /** Changes nothing. @throws StoreCorrupt for a schema that is newer or was made by other texts */
  status(): Promise<DatabaseStatus>;
  /** The statements that {@link StoreDatabase.upgrade} would run; empty when it is up to date. */
  sql(): Promise<string>;
  /** Brings the schema up to date, under a lock; gives the steps that were taken. */
  upgrade(): Promise<readonly Migration[]>;
}

/**
 * What is done to tasks beside running them: finding those that are held, letting go of old ones, erasing an owner's.
 * None of it is on the path of a request.
 */
import type { TaskState } from "../model/gen/types.ts";

/** The owner of tasks whose data was erased: nobody can be it, so that nobody sees them. */
export const ERASED_OWNER = "\u0001erased";

/** Looks for tasks that have not ended. */
export interface UnfinishedQuery {
  /** Absent: of every agent. */
  readonly agents?: readonly string[] | undefined;
  /** True: only those that are held. */
  readonly held: boolean;
  /** Key behind which it goes on; 0 at first. */
  readonly afterKey: number;
  readonly limit: number;
}

/** Looks for tasks that have ended. */
export interface EndedQuery {
  /** Absent: of every tenant. */
  readonly tenant?: string | undefined;
  readonly states: readonly TaskState[];
  /** Only those whose last status is before this, in ms. */
  readonly before: number;
  /** True: only those whose log still holds what was said. */
  readonly whole: boolean;
  readonly limit: number;
}

/** The upkeep of a store, whose rows of tasks are `Row`. Every call is one transaction of its own. */
export interface UpkeepStore<Row> {
  /** By key, without snapshots. */
  unfinished(query: UnfinishedQuery): Promise<readonly Row[]>;
  /** How many tasks of a tenant have not ended. */
  openTasks(tenant: string): Promise<number>;
  /** Keys of tasks that may go; none whose webhooks have yet to be told. */
  ended(query: EndedQuery): Promise<readonly number[]>;
  /** Takes the payloads out of the logs of tasks that ended: the Task as it is answered stays, and the skeleton. */
  compact(keys: readonly number[]): Promise<void>;
  /** Removes tasks with everything that belongs to them alone. Large parts stay until their owner is erased. */
  remove(keys: readonly number[]): Promise<void>;
  /**
   * Takes the data of an owner out of at most `limit` tasks: payloads, snapshots, webhooks; with the last ones the
   * large parts and the stored replies too. The skeleton of each log stays (seq, kind, time), owned by
   * {@link ERASED_OWNER}, and a run that is at work loses its lease.
   *
   * @returns ids of the tasks; empty when nothing is left
   */
  erase(tenant: string, owner: string, limit: number): Promise<readonly string[]>;
}

import type { TaskRow } from "../../engine/store.ts";
import { type EndedQuery, ERASED_OWNER, type UnfinishedQuery, type UpkeepStore } from "../../engine/upkeep.ts";
import { isTerminal } from "../../model/task-state.ts";
import type { DedupeTable } from "./dedupe-table.ts";
import type { HookTable } from "./hook-table.ts";
import { dropContext, placeTask, type Scopes, unplaceTask } from "./scope.ts";
import { compactLog, type StoredTask, viewTask } from "./stored-task.ts";

/** What the upkeep needs of the store. */
export interface MemoryUpkeepHost {
  /** Throws when the store is closed. */
  check(): void;
  readonly scopes: Scopes;
  readonly hooks: HookTable;
  readonly dedupe: DedupeTable;
  tasks(): Iterable<StoredTask>;
  /** Takes a task out of every index but its scope. */
  forget(task: StoredTask): void;
  forgetBlobs(tenant: string, owner: string): void;
}

/** The upkeep in memory: it looks at every task, which is what nothing else does. */
export function createMemoryUpkeep(host: MemoryUpkeepHost): UpkeepStore<TaskRow> {
  const find = (matches: (task: StoredTask) => boolean, limit: number): StoredTask[] => {
    host.check();
    const found: StoredTask[] = [];
    for (const task of host.tasks()) {
      if (found.length >= limit) break;
      if (matches(task)) found.push(task);
    }
    return found;
  };
  const dropHooks = async ({ key }: StoredTask): Promise<void> => {
    for (const { id } of await host.hooks.list(key, "", Number.MAX_SAFE_INTEGER)) await host.hooks.remove(key, id);
  };
  return {
    async unfinished({ agents, held, afterKey, limit }: UnfinishedQuery): Promise<readonly TaskRow[]> {
      const isWanted = (task: StoredTask): boolean =>
        task.key > afterKey &&
        (agents === undefined || agents.includes(task.scope.lane.agent)) &&
        (held ? task.held !== null : !isTerminal(task.state));
      return find(isWanted, limit).map((task) => ({ ...viewTask(task), snapshot: null, snapshotSeq: 0 }));
    },
    async openTasks(tenant: string): Promise<number> {
      let open = 0;
      for (const scope of host.scopes.all()) {
        if (scope.lane.tenant !== tenant || scope.owner === ERASED_OWNER) continue;
        for (const [state, { size }] of scope.byState) if (!isTerminal(state)) open += size;
      }
      return open;
    },
    async ended({ tenant, states, before, whole, limit }: EndedQuery): Promise<readonly number[]> {
      const isOld = (task: StoredTask): boolean =>
        (tenant === undefined || task.scope.lane.tenant === tenant) &&
        states.includes(task.state) &&
        task.statusTime < before &&
        (!whole || (task.log.isWhole && task.snapshotSeq === task.seq)) &&
        !host.hooks.needsLog(task);
      return find(isOld, limit).map(({ key }) => key);
    },
    async compact(keys: readonly number[]): Promise<void> {
      const wanted = new Set(keys);
      for (const task of find(({ key }) => wanted.has(key), keys.length)) compactLog(task);
    },
    async remove(keys: readonly number[]): Promise<void> {
      const wanted = new Set(keys);
      const tasks = find(({ key }) => wanted.has(key), keys.length);
      for (const task of tasks) {
        await dropHooks(task);
        unplaceTask(task);
        host.forget(task);
      }
      host.dedupe.forgetTasks(new Set(tasks.map(({ id }) => id)));
    },
    async erase(tenant: string, owner: string, limit: number): Promise<readonly string[]> {
      const tasks = find(({ scope }) => scope.lane.tenant === tenant && scope.owner === owner, limit);
      for (const task of tasks) {
        await dropHooks(task);
        erase(task, host.scopes);
      }
      if (tasks.length < limit) {
        host.forgetBlobs(tenant, owner);
        host.dedupe.forgetOwner(tenant, owner);
      }
      return tasks.map(({ id }) => id);
    },
  };
}

/** The skeleton of the log stays, under an owner that nobody is. */
function erase(task: StoredTask, scopes: Scopes): void {
  const { tenant, agent } = task.scope.lane;
  unplaceTask(task);
  dropContext(task);
  task.scope.lane.heap.set(task, null);
  task.snapshot = null;
  task.snapshotSeq = task.seq;
  compactLog(task);
  Object.assign(task, {
    snapshotSeq: 0,
    scope: scopes.obtain(tenant, ERASED_OWNER, agent),
    contextId: "",
    epoch: task.epoch + 1,
    holder: null,
    leaseUntil: 0,
    due: null,
    held: "erased",
  });
  placeTask(task);
}

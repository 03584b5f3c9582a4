import { OrderedTasks } from "./ordered-tasks.ts";
import type { Lane, Scope, StoredTask } from "./stored-task.ts";
import { WakeHeap } from "./wake-heap.ts";

/** All lanes and scopes of a store. */
export class Scopes {
  readonly #lanes = new Map<string, Lane>();
  readonly #scopes = new Map<string, Scope>();

  /** All lanes in the order of their making. */
  lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** All scopes. */
  all(): Iterable<Scope> {
    return this.#scopes.values();
  }

  /** Gives the scope, undefined when nothing was ever stored in it. */
  find(tenant: string, owner: string, agent: string): Scope | undefined {
    return this.#scopes.get(joinKey(tenant, owner, agent));
  }

  /** Gives the scope and makes it when it is new. */
  obtain(tenant: string, owner: string, agent: string): Scope {
    const key = joinKey(tenant, owner, agent);
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = { lane: this.#lane(tenant, agent), owner, byState: new Map(), byContext: new Map() };
      this.#scopes.set(key, scope);
    }
    return scope;
  }

  #lane(tenant: string, agent: string): Lane {
    const key = joinKey(tenant, agent, "");
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { tenant, agent, heap: new WakeHeap() };
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}

/** Puts a task into the order of its state. */
export function placeTask(task: StoredTask): void {
  const { byState } = task.scope;
  let order = byState.get(task.state);
  if (order === undefined) {
    order = new OrderedTasks();
    byState.set(task.state, order);
  }
  order.add(task);
}

/** Takes a task out of the order of its state, before its state or status time changes. */
export function unplaceTask(task: StoredTask): void {
  task.scope.byState.get(task.state)?.remove(task);
}

/** Notes the context of a new task. */
export function noteContext(task: StoredTask): void {
  const { byContext } = task.scope;
  const there = byContext.get(task.contextId);
  if (there === undefined) byContext.set(task.contextId, task);
  else if (Array.isArray(there)) there.push(task);
  else byContext.set(task.contextId, [there, task]);
}

/** Forgets the context of a task that goes. */
export function dropContext(task: StoredTask): void {
  const { byContext } = task.scope;
  const there = byContext.get(task.contextId);
  const left = Array.isArray(there) ? there.filter((other) => other !== task) : [];
  if (left.length === 0) byContext.delete(task.contextId);
  else byContext.set(task.contextId, left);
}

/** Joins strings into one key so that no two triples give the same one. */
export function joinKey(first: string, second: string, third: string): string {
  return `${first.length}:${second.length}:${first}${second}${third}`;
}

import type { HookClaim } from "../../engine/push-hook.ts";
import type { Scope } from "./stored-task.ts";
import { type Waiting, WakeHeap } from "./wake-heap.ts";

/** A webhook as far as it waits. */
export interface QueuedHook extends Waiting {
  readonly attempts: number;
}

/** The webhooks of one owner by the time from which they may be claimed. It waits as long as its first one. */
export interface HookQueue<Hook extends QueuedHook> extends Waiting {
  readonly scope: Scope;
  readonly heap: WakeHeap<Hook>;
  /** Number of the last claim that took from it: who was served longest ago comes first. */
  served: number;
}

/** What waits, by owner, so that nobody waits behind the backlog of another. */
export class HookQueues<Hook extends QueuedHook> {
  readonly #queues = new WeakMap<Scope, HookQueue<Hook>>();
  readonly #byAgent = new Map<string, WakeHeap<HookQueue<Hook>>>();
  #claims = 0;

  /** The queue of an owner, new when there is none. */
  of(scope: Scope): HookQueue<Hook> {
    let queue = this.#queues.get(scope);
    if (queue === undefined) {
      queue = { scope, heap: new WakeHeap(), served: 0, wake: null, heapAt: -1 };
      this.#queues.set(scope, queue);
    }
    return queue;
  }

  /** Puts a webhook where its new wake time belongs, in or out. */
  set(queue: HookQueue<Hook>, hook: Hook, wake: number | null): void {
    queue.heap.set(hook, wake);
    const { agent } = queue.scope.lane;
    const heap = this.#byAgent.get(agent) ?? new WakeHeap();
    this.#byAgent.set(agent, heap);
    heap.set(queue, queue.heap.first?.wake ?? null);
  }

  /** When the first of an agent may be claimed. */
  firstWake(agent: string): number | undefined {
    return this.#byAgent.get(agent)?.first?.wake ?? undefined;
  }

  *values(): Iterable<Hook> {
    for (const queues of this.#byAgent.values()) for (const { heap } of queues.values()) yield* heap.values();
  }

  /** Hands what a query asks for to `take`, one of each owner in turn. `take` gives each a later time. */
  claim(query: HookClaim, take: (hook: Hook) => void): void {
    const { agents, now, limit, minAttempts, maxAttempts } = query;
    let waiting = agents.flatMap((agent) => this.#dueQueues(agent, query)).sort((a, b) => a.served - b.served);
    const passedOver: { readonly queue: HookQueue<Hook>; readonly hook: Hook; readonly wake: number | null }[] = [];
    const next = (queue: HookQueue<Hook>): Hook | undefined => {
      for (let hook = queue.heap.first; hook !== undefined; hook = queue.heap.first) {
        if ((hook.wake ?? now + 1) > now) return undefined;
        if (hook.attempts >= minAttempts && hook.attempts < maxAttempts) return hook;
        passedOver.push({ queue, hook, wake: hook.wake });
        queue.heap.set(hook, null);
      }
      return undefined;
    };
    this.#claims += 1;
    for (let taken = 0; taken < limit && waiting.length > 0; ) {
      waiting = waiting.filter((queue) => {
        const hook = taken < limit ? next(queue) : undefined;
        if (hook === undefined) return false;
        queue.served = this.#claims;
        taken += 1;
        take(hook);
        return true;
      });
    }
    for (const { queue, hook, wake } of passedOver) this.set(queue, hook, wake);
  }

  #dueQueues(agent: string, { now, except = [] }: HookClaim): readonly HookQueue<Hook>[] {
    const due = [...(this.#byAgent.get(agent)?.values() ?? [])].filter(({ wake }) => wake !== null && wake <= now);
    if (except.length === 0) return due;
    return due.filter(
      ({ scope }) => !except.some(({ tenant, owner }) => tenant === scope.lane.tenant && owner === scope.owner),
    );
  }
}

/** A store that kills its own process right before or right after one kind of commit, as the power does. */
import type { HookStore } from "../../src/engine/push-hook.ts";
import type { Batch, ClaimQuery, NewEvent, Store, TaskCommit } from "../../src/engine/store.ts";
import { isTerminal } from "../../src/model/task-state.ts";

/** The points at which a process is killed: what is about to be, or was just, written. */
export const FAULT_POINTS = [
  "dedupe row",
  "reply stored",
  "task stored",
  "run claimed",
  "step started",
  "step recorded",
  "chunk appended",
  "snapshot",
  "answer stored",
  "terminal state",
  "webhook sent",
  "cursor moved",
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Where a process dies. */
export interface Fault {
  readonly point: FaultPoint;
  /** `before`: nothing of the commit is done. `after`: it is done, and nobody in this process hears of it. */
  readonly when: "before" | "after";
}

function has(commit: TaskCommit, test: (event: NewEvent) => boolean): boolean {
  return commit.events.some(test);
}

/** What a step that must not run twice has begun with: a kill behind it is a fault point of its own. */
function begins(commit: TaskCommit): boolean {
  return has(commit, ({ kind, payload }) => kind === "opened" && payload.includes('"step"'));
}

const OF_TASK: Readonly<Partial<Record<FaultPoint, (commit: TaskCommit) => boolean>>> = {
  "task stored": (commit) => commit.create !== undefined,
  "step started": begins,
  "step recorded": (commit) => has(commit, ({ kind, payload }) => kind === "decision" && payload.includes('"step"')),
  "chunk appended": (commit) =>
    !begins(commit) && has(commit, ({ kind, payload }) => kind === "artifact" && payload.includes('"append":true')),
  snapshot: (commit) =>
    !begins(commit) &&
    commit.snapshot !== undefined &&
    !(commit.columns !== undefined && isTerminal(commit.columns.state)),
  "answer stored": (commit) => commit.create === undefined && has(commit, ({ kind }) => kind === "message"),
  "terminal state": (commit) => commit.columns !== undefined && isTerminal(commit.columns.state),
};

function isAt(point: FaultPoint, batch: Batch): boolean {
  if (point === "dedupe row") return batch.replies.some(({ step }) => step === "lease");
  if (point === "reply stored") return batch.replies.some(({ step }) => step === "reply");
  return batch.tasks.some((commit) => OF_TASK[point]?.(commit) === true);
}

/** Ends the process as the power does. */
export function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal may come a moment later, and nothing must happen until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error("killed");
}

/** The store, and what arms it. A store that is not armed does what the one below it does. */
export function createFaultStore(inner: Store): { readonly store: Store; arm(fault: Fault | undefined): void } {
  let armed: Fault | undefined;
  const hooks = partOf(inner.hooks, {
    async move(...args: Parameters<HookStore["move"]>): ReturnType<HookStore["move"]> {
      // In the midst of the chunks: before them a cursor also moves past entries that nobody is told of.
      const isHit = armed?.point === "cursor moved" && args[1].some(({ cursor }) => cursor >= 10);
      if (isHit && armed?.when === "before") die();
      const moved = await inner.hooks.move(...args);
      if (isHit) die();
      return moved;
    },
  });
  const own = {
    hooks,
    async commit(batch: Batch): ReturnType<Store["commit"]> {
      const isHit = armed !== undefined && isAt(armed.point, batch);
      if (isHit && armed?.when === "before") die();
      const outcome = await inner.commit(batch);
      if (isHit) die();
      return outcome;
    },
    async claim(query: ClaimQuery): ReturnType<Store["claim"]> {
      const isHit = armed?.point === "run claimed";
      if (isHit && armed?.when === "before") {
        const due = await inner.nextDue(query.agents);
        if (due !== undefined && due <= Date.now()) die();
      }
      const rows = await inner.claim(query);
      if (isHit && rows.length > 0) die();
      return rows;
    },
  };
  return {
    store: partOf(inner, own),
    arm(fault) {
      armed = fault;
    },
  };
}

/** A part of a store with some members of its own. */
function partOf<Part extends object>(inner: Part, own: Partial<Part>): Part {
  return new Proxy(inner, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

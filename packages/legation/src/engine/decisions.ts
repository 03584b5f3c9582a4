/**
 * The decisions of a turn: what is recorded once, and given again when the turn is replayed. What waits for somebody
 * is in {@link ./waits.ts}.
 */
import type { JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { AsyncScope } from "./async-scope.ts";
import type { Draft } from "./draft.ts";
import type { Emitted } from "./emissions.ts";
import type { Frame } from "./frame.ts";
import type { Decision, DecisionIdentity, DecisionKind } from "./journal.ts";
import { type Recorded, RunHeld } from "./replay.ts";
import type { StepContext } from "./turn.ts";

/** A call that is inside a step or a write: it may emit, and must not decide. */
export interface Unit {
  readonly kind: "step" | "write";
  readonly name: string;
  readonly emitted: Emitted;
}

type Result = Pick<Decision, "value" | "error" | "message"> & { readonly emitted?: Emitted };

export class Decisions {
  readonly #frame: Frame;
  readonly #scope: AsyncScope<Unit> = new AsyncScope<Unit>();
  /** Made by the first one. */
  #units: Set<Unit> | undefined;
  /** Steps and writes that were asked for and have not been handed over: nothing may wait for somebody meanwhile. */
  #open = 0;
  #isWaiting = false;
  /** The branch that a call comes from. */
  readonly #branches: AsyncScope<string> = new AsyncScope<string>();
  /** How often each branch was begun, and which are at work. */
  #begun: Map<string, number> | undefined;
  #atWork: Set<string> | undefined;
  /** Why nothing is decided and said in this turn any more. */
  #closed: string | undefined;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  /** The unit that an emission belongs to; where the runtime cannot tell, the only one at work. */
  get unit(): Unit | undefined {
    if (this.#scope.isSupported) return this.#scope.value;
    return this.#units?.size === 1 ? this.#units.values().next().value : undefined;
  }

  async step<T extends JsonValue | undefined>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options: { readonly once?: boolean | undefined } = {},
  ): Promise<T> {
    return this.#asUnit("step", name, async (identity, unit) => {
      const { replay, log } = this.#frame;
      if (replay.opened(identity) !== undefined) {
        return this.#frame.hold(new RunHeld(`STEP_IN_DOUBT: step "${name}" began and may have happened`));
      }
      if (options.once === true) await this.#frame.append((draft) => draft.journal("opened", identity));
      const path = identity.branch === undefined ? name : `${identity.branch}/${name}`;
      const key = `${log.id}:${this.#frame.number}:${path}:${identity.occurrence}`;
      const context = { key, attempt: Math.max(1, log.view.attempts), signal: this.#frame.signal };
      return settle(name, () => this.#scope.run(unit, () => fn(context)));
    }) as Promise<T>;
  }

  /** Runs a write as a unit that is recorded when it is finished, and skipped when it is recorded. */
  async write(name: string, run: (unit: Unit) => Promise<void>): Promise<void> {
    await this.#asUnit("write", name, async (_identity, unit) => {
      await this.#scope.run(unit, () => run(unit));
      return {};
    });
  }

  /** A value that the world gives: recorded, so that a replay sees the same. */
  async value(kind: "now" | "random", make: () => number): Promise<number> {
    const identity = await this.identify(kind, kind);
    const recorded = await this.recorded(identity);
    if (recorded !== undefined) return recorded.value as number;
    const value = make();
    await this.record(identity, { value });
    return value;
  }

  async patched(id: string): Promise<boolean> {
    this.#refuseInside("patched", id);
    const known = this.#frame.replay.knowsPatch(id, this.#branches.value);
    if (known === false) return false;
    const identity = await this.identify("patched", id);
    if ((await this.recorded(identity)) === undefined) await this.record(identity, {});
    return true;
  }

  /** True when the journal has the result of what is asked for next from here. */
  get hasRecordedNext(): boolean {
    return this.#frame.replay.hasRecordedNext(this.#branches.value);
  }

  /** Runs a part of the handler whose decisions have an order of their own. Where the runtime cannot tell, they do not. */
  async branch<T>(name: string, run: () => Promise<T> | T): Promise<T> {
    this.#refuseInside("branch", name);
    this.refuseWhenClosed(`branch "${name}"`);
    const outer = this.#branches.value;
    const path = (outer === undefined ? "" : `${outer}/`) + encodeURIComponent(name);
    this.#atWork ??= new Set();
    if (this.#atWork.has(path))
      throw new TypeError(`branch "${name}" is in flight already: give the two different names`);
    this.#begun ??= new Map();
    const times = this.#begun.get(path) ?? 0;
    this.#begun.set(path, times + 1);
    this.#atWork.add(path);
    try {
      return await this.#branches.run(times === 0 ? path : `${path}~${times}`, async () => run());
    } finally {
      this.#atWork.delete(path);
    }
  }

  /**
   * The next decision of the turn. Its place is taken before this gives back control.
   *
   * @throws TypeError inside a step or a write; LocalError STEP_IN_FLIGHT while the turn waits for somebody
   */
  async identify(kind: DecisionKind, name: string): Promise<DecisionIdentity> {
    this.#refuseInside(kind, name);
    this.refuseWhenClosed(`${kind} "${name}"`);
    if (this.#isWaiting) {
      throw new LocalError("STEP_IN_FLIGHT", `${kind} "${name}" while the turn waits for somebody: one at a time`);
    }
    try {
      return this.#frame.replay.identify(kind, name, this.#branches.value);
    } catch (refused) {
      // Not thrown: a handler that catches everything must not go on from here.
      if (refused instanceof RunHeld) return this.#frame.hold(refused);
      throw refused;
    }
  }

  /** What the journal has of a decision, once it is its turn; undefined when it has nothing. */
  async recorded(identity: DecisionIdentity): Promise<Recorded | undefined> {
    const pending = this.#frame.replay.recorded(identity);
    if (pending === undefined) return undefined;
    const decision = (await pending) as Recorded & { readonly emitted?: Emitted };
    if (decision.emitted !== undefined) this.#frame.emissions.skip(decision.emitted, decision.seq);
    this.#frame.replay.done(identity);
    return decision;
  }

  /** Records a result and resolves when it may be handed over. */
  async record(identity: DecisionIdentity, result: Result, also?: (draft: Draft) => void): Promise<void> {
    await this.#frame.append((draft) => {
      draft.journal("decision", { ...identity, ...result });
      if (draft.view.attempts > 1) draft.set({ attempts: 1 });
      if (draft.view.run.wait !== null) draft.run({ wait: null });
      also?.(draft);
    });
    await this.#frame.replay.live();
    this.#frame.replay.done(identity);
  }

  /** Runs a decision that waits for somebody: alone. */
  async alone<T>(kind: DecisionKind, name: string, run: (identity: DecisionIdentity) => Promise<T>): Promise<T> {
    this.#refuseInside(kind, name);
    if (this.#open > 0) {
      throw new LocalError("STEP_IN_FLIGHT", `${name} while a step or a write is at work: wait for it first`);
    }
    const identified = this.identify(kind, name);
    const wasWaiting = this.#isWaiting;
    this.#isWaiting = true;
    try {
      return await run(await identified);
    } finally {
      this.#isWaiting = wasWaiting;
    }
  }

  /** From now on nothing is decided and said in this turn. */
  close(why: string): void {
    this.#closed = why;
  }

  /** @throws TypeError once {@link close} was called */
  refuseWhenClosed(what: string): void {
    if (this.#closed !== undefined) throw new TypeError(`${what} came too late, ${this.#closed}`);
  }

  #refuseInside(kind: DecisionKind | "branch", name: string): void {
    const inside = this.#scope.value;
    if (inside === undefined) return;
    const where = `${inside.kind} "${inside.name}"`;
    throw new TypeError(`${kind} "${name}" inside ${where}: a decision cannot be part of another`);
  }

  async #asUnit(
    kind: Unit["kind"],
    name: string,
    work: (identity: DecisionIdentity, unit: Unit) => Promise<Result>,
  ): Promise<JsonValue | undefined> {
    const identified = this.identify(kind, name);
    this.#open += 1;
    const unit: Unit = { kind, name, emitted: { statuses: 0, artifacts: {} } };
    let identity: DecisionIdentity | undefined;
    try {
      identity = await identified;
      const recorded = await this.recorded(identity);
      if (recorded !== undefined) return resultOf(recorded);
      this.#units ??= new Set();
      this.#units.add(unit);
      const result = await work(identity, unit);
      this.#units.delete(unit);
      await this.record(identity, emittedNothing(unit.emitted) ? result : { ...result, emitted: unit.emitted });
      return resultOf(result);
    } finally {
      this.#units?.delete(unit);
      if (identity !== undefined) this.#frame.replay.done(identity);
      this.#open -= 1;
    }
  }
}

async function settle(name: string, work: () => unknown): Promise<Result> {
  try {
    const value = await work();
    return value === undefined ? {} : { value: asJson(name, value) };
  } catch (thrown) {
    if (!(thrown instanceof Error)) return { error: { message: String(thrown), name: "Error" } };
    const { code } = thrown as { readonly code?: unknown };
    const error = { message: thrown.message, name: thrown.name };
    return { error: typeof code === "string" ? { ...error, code } : error };
  }
}

/** What a replay would give: a result that JSON changes would make the second run differ from the first. */
function asJson(name: string, value: unknown): JsonValue {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`step "${name}" gave a ${typeof value}: a result must be JSON`);
  return JSON.parse(text) as JsonValue;
}

/** The recorded failure of a step, as it is thrown again on replay. */
class StepFailed extends Error {
  readonly code: string | undefined;

  constructor(error: NonNullable<Decision["error"]>) {
    super(error.message);
    this.name = error.name;
    this.code = error.code;
  }
}

function resultOf(decision: Result): JsonValue | undefined {
  if (decision.error !== undefined) throw new StepFailed(decision.error);
  return decision.value;
}

function emittedNothing(emitted: Emitted): boolean {
  return emitted.statuses === 0 && Object.keys(emitted.artifacts).length === 0;
}

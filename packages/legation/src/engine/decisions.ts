/**
 * The decisions of a turn: what is recorded once, and given again when the turn is replayed.
 */
import type { JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { AsyncScope } from "./async-scope.ts";
import { sha256Hex } from "./digest.ts";
import type { Draft } from "./draft.ts";
import type { Emitted } from "./emissions.ts";
import type { Frame } from "./frame.ts";
import type { Decision, DecisionIdentity, DecisionKind, Wait } from "./journal.ts";
import { RunHeld } from "./replay.ts";
import type { Acceptance, Incoming, StepContext, Utterance } from "./turn.ts";

/** What is recorded of a step beside its result. */
interface StepRecord extends Decision {
  readonly emitted?: Emitted;
}

/** A call that is inside a step or a write: it may emit, and must not decide. */
export interface Unit {
  readonly kind: "step" | "write";
  readonly name: string;
  readonly emitted: Emitted;
}

type Result = Pick<Decision, "value" | "error" | "message"> & { readonly emitted?: Emitted };

export class Decisions {
  readonly #frame: Frame;
  readonly scope: AsyncScope<Unit> = new AsyncScope<Unit>();
  readonly #units = new Set<Unit>();

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  /** The unit that an emission belongs to; where the runtime cannot tell, the only one at work. */
  get unit(): Unit | undefined {
    const { value } = this.scope;
    if (value !== undefined) return value;
    return this.#units.size === 1 ? this.#units.values().next().value : undefined;
  }

  async step<T extends JsonValue | undefined>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options: { readonly once?: boolean | undefined } = {},
  ): Promise<T> {
    const identity = this.#identify("step", name);
    const recorded = await this.#recorded(identity);
    if (recorded !== undefined) return resultOf(recorded) as T;
    const { replay, log } = this.#frame;
    if (options.once === true) {
      if (replay.opened(identity) !== undefined) {
        return this.#frame.hold(new RunHeld(`STEP_IN_DOUBT: step "${name}" began and may have happened`)) as never;
      }
      await this.#frame.append((draft) => draft.journal("opened", identity));
    }
    const key = `${log.id}:${this.#frame.number}:${name}:${identity.occurrence}`;
    const unit: Unit = { kind: "step", name, emitted: { statuses: 0, artifacts: {} } };
    const context = { key, attempt: Math.max(1, log.view.attempts), signal: this.#frame.signal };
    const result = await this.#atWork(unit, () => settle(name, () => fn(context)));
    await this.#record(identity, emittedNothing(unit.emitted) ? result : { ...result, emitted: unit.emitted });
    return resultOf(result) as T;
  }

  async ask<T extends JsonValue>(
    question: Utterance,
    accept?: (incoming: Incoming) => Promise<Acceptance<T>> | Acceptance<T>,
  ): Promise<T | Incoming> {
    const identity = this.#identify("ask", "ask");
    const recorded = await this.#recorded(identity);
    if (recorded !== undefined) {
      return accept === undefined ? this.#frame.log.message(recorded.message ?? 0) : (recorded.value as T);
    }
    this.#refuseWhileAtWork("ask");
    let answer: T | Incoming | undefined;
    const tryToGo = async (): Promise<boolean> => {
      const taken = await this.#takeAnswer(identity, accept);
      if (taken === undefined) return false;
      answer = taken;
      return true;
    };
    const opened = this.#frame.replay.opened(identity);
    if (opened === undefined || !(await this.#goAtOnce(tryToGo))) {
      await this.#frame.park((draft) => {
        if (opened !== undefined) return { wait: draft.view.run.wait ?? { kind: "ask", seq: opened.seq }, due: null };
        return { wait: this.#question(draft, identity, question), due: null };
      }, tryToGo);
    }
    return answer as T | Incoming;
  }

  async requestAuth(request: Utterance): Promise<{ readonly approved: true }> {
    if (request.parts.length === 0) throw new TypeError("a request for authorisation must say what it is for");
    const identity = this.#identify("auth", "requestAuth");
    if ((await this.#recorded(identity)) !== undefined) return { approved: true };
    this.#refuseWhileAtWork("requestAuth");
    const tryToGo = async (): Promise<boolean> => {
      if (this.#frame.log.view.run.wait?.approved !== true) return false;
      await this.#record(identity, {}, (draft) => draft.status("TASK_STATE_WORKING", undefined));
      return true;
    };
    const opened = this.#frame.replay.opened(identity);
    const token = await this.#tokenOf(identity, request);
    if (opened === undefined || !(await this.#goAtOnce(tryToGo))) {
      await this.#frame.park((draft) => {
        if (opened !== undefined) return { wait: draft.view.run.wait ?? { kind: "auth", seq: opened.seq, token }, due: null };
        draft.journal("opened", identity);
        const wait: Wait = { kind: "auth", seq: draft.view.seq, token };
        draft.status("TASK_STATE_AUTH_REQUIRED", this.#frame.message(request));
        return { wait, due: null };
      }, tryToGo);
    }
    return { approved: true };
  }

  async sleep(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) throw new TypeError(`sleep takes milliseconds from 0, not ${ms}`);
    const identity = this.#identify("sleep", "sleep");
    if ((await this.#recorded(identity)) !== undefined) return;
    this.#refuseWhileAtWork("sleep");
    const opened = this.#frame.replay.opened(identity);
    const until = opened?.until ?? this.#frame.now() + ms;
    const tryToGo = async (): Promise<boolean> => {
      if (this.#frame.now() < until) return false;
      await this.#record(identity, {});
      return true;
    };
    if (opened !== undefined && (await this.#goAtOnce(tryToGo))) return;
    await this.#frame.park((draft) => {
      if (opened !== undefined) return { wait: { kind: "sleep", seq: opened.seq }, due: until };
      draft.journal("opened", { ...identity, until });
      return { wait: { kind: "sleep", seq: draft.view.seq }, due: until };
    }, tryToGo);
  }

  async receive(): Promise<Incoming> {
    const identity = this.#identify("receive", "receive");
    const recorded = await this.#recorded(identity);
    if (recorded !== undefined) return this.#frame.log.message(recorded.message ?? 0);
    let incoming: Incoming | undefined;
    const tryToGo = async (): Promise<boolean> => {
      const seq = this.#frame.log.view.run.mailbox[0];
      if (seq === undefined) return false;
      incoming = await this.#frame.log.message(seq);
      await this.#record(identity, { message: seq }, (draft) => take(draft, seq));
      return true;
    };
    if (!(await tryToGo())) {
      this.#refuseWhileAtWork("receive");
      await this.#frame.park((draft) => {
        const opened = this.#frame.replay.opened(identity);
        if (opened === undefined) draft.journal("opened", identity);
        const due = draft.view.run.mailbox.length > 0 ? draft.time : null;
        return { wait: { kind: "receive", seq: opened?.seq ?? draft.view.seq }, due };
      }, tryToGo);
    }
    return incoming as Incoming;
  }

  /** A value that the world gives: recorded, so that a replay sees the same. */
  async value(kind: "now" | "random", make: () => number): Promise<number> {
    const identity = this.#identify(kind, kind);
    const recorded = await this.#recorded(identity);
    if (recorded !== undefined) return recorded.value as number;
    const value = make();
    await this.#record(identity, { value });
    return value;
  }

  async patched(id: string): Promise<boolean> {
    const known = this.#frame.replay.knowsPatch(id);
    if (known === false) return false;
    const identity = this.#identify("patched", id);
    if ((await this.#recorded(identity)) === undefined) await this.#record(identity, {});
    return true;
  }

  /** Runs a write as a unit that is recorded when it is finished, and skipped when it is recorded. */
  async write(name: string, run: (unit: Unit) => Promise<void>): Promise<void> {
    const identity = this.#identify("write", name);
    if ((await this.#recorded(identity)) !== undefined) return;
    const unit: Unit = { kind: "write", name, emitted: { statuses: 0, artifacts: {} } };
    await this.#atWork(unit, () => run(unit));
    await this.#record(identity, { emitted: unit.emitted });
  }

  #identify(kind: DecisionKind, name: string): DecisionIdentity {
    const inside = this.scope.value;
    if (inside !== undefined) {
      throw new TypeError(`${kind} "${name}" inside ${inside.kind} "${inside.name}": a decision cannot be part of another`);
    }
    return this.#frame.replay.identify(kind, name);
  }

  async #recorded(identity: DecisionIdentity): Promise<StepRecord | undefined> {
    const pending = this.#frame.replay.recorded(identity);
    if (pending === undefined) return undefined;
    const decision = (await pending) as StepRecord;
    if (decision.emitted !== undefined) this.#frame.emissions.skip(decision.emitted);
    this.#frame.replay.done(identity);
    return decision;
  }

  async #record(identity: DecisionIdentity, result: Result, also?: (draft: Draft) => void): Promise<void> {
    await this.#frame.append((draft) => {
      draft.journal("decision", { ...identity, ...result });
      if (draft.view.attempts > 1) draft.set({ attempts: 1 });
      if (draft.view.run.wait !== null) draft.run({ wait: null });
      also?.(draft);
    });
    this.#frame.replay.done(identity);
  }

  async #atWork<T>(unit: Unit, work: () => Promise<T>): Promise<T> {
    this.#frame.openUnits += 1;
    this.#units.add(unit);
    try {
      return await this.scope.run(unit, work);
    } finally {
      this.#units.delete(unit);
      this.#frame.openUnits -= 1;
    }
  }

  #refuseWhileAtWork(what: string): void {
    if (this.#frame.openUnits > 0) {
      throw new LocalError("STEP_IN_FLIGHT", `${what} while a step or a write is at work: wait for it first`);
    }
    if (this.#frame.isParked) throw new LocalError("STEP_IN_FLIGHT", `${what} while the turn waits already: one at a time`);
  }

  /** After a replay the wait may be over already. */
  async #goAtOnce(tryToGo: () => Promise<boolean>): Promise<boolean> {
    return this.#frame.log.view.run.wait !== null && (await tryToGo());
  }

  /** Binds a grant to this very request: the same text in another place or turn has another token. */
  async #tokenOf(identity: DecisionIdentity, request: Utterance): Promise<string> {
    const { log, number } = this.#frame;
    const text = JSON.stringify([log.id, number, identity.ordinal, request.parts]);
    return sha256Hex(new TextEncoder().encode(text));
  }

  #question(draft: Draft, identity: DecisionIdentity, question: Utterance): Wait {
    draft.journal("opened", identity);
    const wait: Wait = { kind: "ask", seq: draft.view.seq };
    draft.status("TASK_STATE_INPUT_REQUIRED", this.#frame.message(question));
    return wait;
  }

  /** The first answer that is accepted; one that is not is answered with the question again. */
  async #takeAnswer<T extends JsonValue>(
    identity: DecisionIdentity,
    accept: ((incoming: Incoming) => Promise<Acceptance<T>> | Acceptance<T>) | undefined,
  ): Promise<T | Incoming | undefined> {
    const { log } = this.#frame;
    const wait = log.view.run.wait;
    const seq = log.view.run.mailbox.find((candidate) => candidate > (wait?.seq ?? 0));
    if (seq === undefined) return undefined;
    const incoming = await log.message(seq);
    const acceptance = accept === undefined ? undefined : await accept(incoming);
    if (acceptance?.ok === false) {
      await this.#frame.append((draft) => {
        take(draft, seq);
        draft.run({ wait: this.#question(draft, identity, acceptance.again) });
      });
      return this.#takeAnswer(identity, accept);
    }
    const result = acceptance === undefined ? { message: seq } : { message: seq, value: acceptance.value };
    await this.#record(identity, result, (draft) => {
      take(draft, seq);
      draft.status("TASK_STATE_WORKING", undefined);
    });
    return acceptance === undefined ? incoming : acceptance.value;
  }
}

function take(draft: Draft, seq: number): void {
  draft.run({ mailbox: draft.view.run.mailbox.filter((other) => other !== seq) });
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


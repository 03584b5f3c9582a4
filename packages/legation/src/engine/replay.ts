/**
 * Matching a turn that runs again against what its journal holds.
 *
 * A decision is identified by (kind, name, occurrence) and by its ordinal: the how-many-eth decision of the turn it
 * was when the handler asked for it. A handler that does the same again asks for the same at the same ordinal; any
 * other is new code, and the run is held instead of guessing. Results are delivered in the order in which they were
 * recorded, so that whatever the handler did in parallel goes on in the same order as before.
 *
 * What runs in parallel and waits for something that is not recorded, the network or a timer, comes to its decisions in
 * another order each time. In branches it may: each counts its own decisions, and none waits for another's for longer
 * than until the handler is at rest.
 */
import { afterThisTurn } from "./clock.ts";
import { Deliveries } from "./deliveries.ts";
import type { Decision, DecisionIdentity, DecisionKind, Opened } from "./journal.ts";
import type { EventRow } from "./store.ts";

/** The handler does not fit its journal, or a step must not run again: a person or another version has to decide. */
export class RunHeld extends Error {
  override readonly name = "RunHeld";
}

/** The code does not fit: another version may. */
export class JournalMismatch extends RunHeld {}

/** A recorded decision, and where it stands in the log. */
export type Recorded = Decision & { readonly seq: number };

/** Loop turns without a delivery after which a handler counts as at rest. */
const REST_TURNS = 3;

const NONE: ReadonlyMap<number | string, never> = new Map<number | string, never>();
const NOTHING: readonly Recorded[] = [];

export class Replay {
  readonly deliveries: Deliveries = new Deliveries();
  readonly #decisions: readonly Recorded[];
  // Most turns begin without a journal and decide nothing: what only decisions need is made by the first one.
  #byPlace: ReadonlyMap<number | string, number> = NONE;
  #opened: ReadonlyMap<number | string, Opened & { readonly seq: number }> = NONE;
  #occurrences: Map<string, number> | undefined;
  #inFlight: Set<string> | undefined;
  #waiting: Map<number, () => void> | undefined;
  #ordinal = 0;
  /** The next ordinal of each branch. */
  #ordinals: Map<string, number> | undefined;
  /** Index of the first decision that was not delivered. */
  #next = 0;
  /** Indices behind it that were: branches do not wait for each other for long. */
  #ahead: Set<number> | undefined;
  #isDelivering = false;
  #isResting = false;

  /** @param rows the entries of the log after the one that began the turn */
  constructor(rows: readonly EventRow[]) {
    if (rows.length === 0) {
      this.#decisions = NOTHING;
      return;
    }
    const decisions: Recorded[] = [];
    const byPlace = new Map<number | string, number>();
    const opened = new Map<number | string, Opened & { readonly seq: number }>();
    for (const row of rows) {
      if (row.payload === "" && (row.kind === "decision" || row.kind === "opened")) {
        throw new RunHeld("the journal of this turn was erased");
      }
      if (row.kind === "decision") {
        const decision = { ...(JSON.parse(row.payload) as Decision), seq: row.seq };
        byPlace.set(placeOf(decision.ordinal, decision.branch), decisions.length);
        decisions.push(decision);
      } else if (row.kind === "opened") {
        const entry = JSON.parse(row.payload) as Opened;
        opened.set(placeOf(entry.ordinal, entry.branch), { ...entry, seq: row.seq });
      }
    }
    this.#decisions = decisions;
    if (byPlace.size > 0) this.#byPlace = byPlace;
    if (opened.size > 0) this.#opened = opened;
  }

  /** True while there are recorded decisions that the handler has not asked for yet. */
  get isReplaying(): boolean {
    return this.#next < this.#decisions.length;
  }

  /** True when the journal has the result of what the handler asks for next. */
  hasRecordedNext(branch: string | undefined): boolean {
    return this.#byPlace.has(placeOf(this.#ordinalOf(branch), branch));
  }

  /** The next decision of a branch of the turn. @throws RunHeld when the journal has another at this place. */
  identify(kind: DecisionKind, name: string, branch?: string): DecisionIdentity {
    const key = nameOf(kind, name, branch);
    const occurrence = this.#occurrences?.get(key) ?? 0;
    const ordinal = this.#ordinalOf(branch);
    const known = this.#at(placeOf(ordinal, branch));
    if (known !== undefined && (known.kind !== kind || known.name !== name || known.occurrence !== occurrence)) {
      const where = branch === undefined ? "this turn" : `branch "${branch}"`;
      throw new JournalMismatch(
        `the journal has ${known.kind} "${known.name}" as decision ${ordinal} of ${where}, ` +
          `the handler asks for ${kind} "${name}"${this.#hintOf(kind, name, branch)}`,
      );
    }
    if (this.#inFlight?.has(key) === true) {
      throw new TypeError(`${kind} "${name}" is in flight already: give the two different names`);
    }
    if (branch === undefined) this.#ordinal += 1;
    else {
      this.#ordinals ??= new Map();
      this.#ordinals.set(branch, ordinal + 1);
    }
    this.#occurrences ??= new Map();
    this.#occurrences.set(key, occurrence + 1);
    this.#inFlight ??= new Set();
    this.#inFlight.add(key);
    return branch === undefined ? { kind, name, occurrence, ordinal } : { kind, name, occurrence, ordinal, branch };
  }

  /** The decision is over: its name may be used again. */
  done(identity: DecisionIdentity): void {
    this.#inFlight?.delete(nameOf(identity.kind, identity.name, identity.branch));
  }

  /** True when the journal knows this patch here; false when it goes on without; undefined at its live edge. */
  knowsPatch(id: string, branch?: string): boolean | undefined {
    const known = this.#at(placeOf(this.#ordinalOf(branch), branch));
    if (known?.kind === "patched" && known.name === id) return true;
    return known !== undefined || this.#isLeft(this.#decisions.length, branch) ? false : undefined;
  }

  /** What was opened at this place and not recorded yet. */
  opened(identity: DecisionIdentity): (Opened & { readonly seq: number }) | undefined {
    return this.#opened.get(placeOf(identity.ordinal, identity.branch));
  }

  /** The recorded result, when it is its turn; undefined when there is none. */
  recorded(identity: DecisionIdentity): Promise<Recorded> | undefined {
    const index = this.#byPlace.get(placeOf(identity.ordinal, identity.branch));
    if (index === undefined) return undefined;
    const decision = this.#decisions[index] as Recorded;
    return new Promise((resolve) => {
      this.#waiting ??= new Map();
      this.#waiting.set(index, () => resolve(decision));
      this.#deliver();
    });
  }

  /**
   * Resolves when a result that was just recorded may be handed over: not before everything of the journal that the
   * handler comes to without it.
   */
  async live(): Promise<void> {
    await this.#rest();
    await this.deliveries.turn();
  }

  /** @throws RunHeld when the handler ended before it had asked for all that is in the journal */
  finish(): void {
    const left = this.#decisions[this.#next] ?? this.#openedBeyond();
    if (left !== undefined) {
      throw new JournalMismatch(`the journal goes on with ${left.kind} "${left.name}", the handler has ended`);
    }
  }

  #openedBeyond(): DecisionIdentity | undefined {
    for (const opened of this.#opened.values()) if (opened.ordinal >= this.#ordinalOf(opened.branch)) return opened;
    return undefined;
  }

  #ordinalOf(branch: string | undefined): number {
    return branch === undefined ? this.#ordinal : (this.#ordinals?.get(branch) ?? 0);
  }

  #at(place: number | string): DecisionIdentity | undefined {
    const index = this.#byPlace.get(place);
    return index === undefined ? this.#opened.get(place) : this.#decisions[index];
  }

  /** What to do where the journal has what is asked for, at another place. */
  #hintOf(kind: DecisionKind, name: string, branch: string | undefined): string {
    const isThere = this.#decisions.some(
      (other) => other.kind === kind && other.name === name && other.branch === branch,
    );
    if (!isThere) return "";
    return (
      "; the journal has both: what runs side by side and waits for something that is not recorded comes to its " +
      "decisions in another order each time, so give each a task.branch of its own, or record in a step what it waits for"
    );
  }

  /** True while a decision of a branch that stands before an index was not delivered. */
  #isLeft(index: number, branch: string | undefined): boolean {
    for (let before = this.#next; before < index; before++) {
      if (this.#decisions[before]?.branch === branch && this.#ahead?.has(before) !== true) return true;
    }
    return false;
  }

  /** In the order of the log; where the next one is of another branch, which may wait for long, the first that can. */
  #deliver(): void {
    if (this.#isDelivering || this.#waiting === undefined || this.#waiting.size === 0) return;
    if (this.#waiting.has(this.#next)) this.#handOver(this.#next);
    else if (!this.#isResting && this.#firstOfOthers() !== undefined) void this.#deliverAtRest();
  }

  #firstOfOthers(): number | undefined {
    const waiting = [...(this.#waiting?.keys() ?? [])].sort((a, b) => a - b);
    return waiting.find((index) => !this.#isLeft(index, this.#decisions[index]?.branch));
  }

  /** What comes before it in the log comes first, if the handler asks for it without waiting for something else. */
  async #deliverAtRest(): Promise<void> {
    this.#isResting = true;
    await this.#rest();
    this.#isResting = false;
    const first = this.#waiting?.has(this.#next) === true ? this.#next : this.#firstOfOthers();
    if (first !== undefined && !this.#isDelivering) this.#handOver(first);
  }

  #handOver(index: number): void {
    this.#isDelivering = true;
    void this.deliveries.turn().then(() => {
      const deliver = this.#waiting?.get(index);
      this.#waiting?.delete(index);
      this.#isDelivering = false;
      if (index === this.#next) this.#next += 1;
      else {
        this.#ahead ??= new Set();
        this.#ahead.add(index);
      }
      while (this.#ahead?.delete(this.#next) === true) this.#next += 1;
      deliver?.();
      this.#deliver();
    });
  }

  /** Resolves when the handler asks for nothing of the journal any more without something else. */
  async #rest(): Promise<void> {
    for (let rested = 0; this.isReplaying && rested < REST_TURNS; ) {
      const before = this.#next;
      await new Promise<void>((resolve) => afterThisTurn(resolve));
      rested = this.#next === before && !this.deliveries.isBusy ? rested + 1 : 0;
    }
  }
}

/** Where a decision stands in the order of its branch. */
function placeOf(ordinal: number, branch: string | undefined): number | string {
  return branch === undefined ? ordinal : `${ordinal} ${branch}`;
}

function nameOf(kind: DecisionKind, name: string, branch: string | undefined): string {
  return branch === undefined ? `${kind}:${name}` : `${branch} ${kind}:${name}`;
}

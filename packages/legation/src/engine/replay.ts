/**
 * Matching a turn that runs again against what its journal holds.
 *
 * A decision is identified by (kind, name, occurrence) and by its ordinal: the how-many-eth decision of the turn it
 * was when the handler asked for it. A handler that does the same again asks for the same at the same ordinal; any
 * other is new code, and the run is held instead of guessing. Results are delivered in the order in which they were
 * recorded, so that whatever the handler did in parallel goes on in the same order as before.
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

const NONE: ReadonlyMap<number, never> = new Map<number, never>();

export class Replay {
  readonly deliveries: Deliveries = new Deliveries();
  readonly #decisions: readonly Recorded[];
  // Most turns begin without a journal and decide nothing: what only decisions need is made by the first one.
  #byOrdinal: ReadonlyMap<number, number> = NONE;
  #opened: ReadonlyMap<number, Opened & { readonly seq: number }> = NONE;
  #occurrences: Map<string, number> | undefined;
  #inFlight: Set<string> | undefined;
  #waiting: Map<number, () => void> | undefined;
  #ordinal = 0;
  /** Index of the decision to be delivered next. */
  #next = 0;
  #isDelivering = false;

  /** @param rows the entries of the log after the one that began the turn */
  constructor(rows: readonly EventRow[]) {
    const decisions: Recorded[] = [];
    const byOrdinal = new Map<number, number>();
    const opened = new Map<number, Opened & { readonly seq: number }>();
    for (const row of rows) {
      if (row.payload === "" && (row.kind === "decision" || row.kind === "opened")) {
        throw new RunHeld("the journal of this turn was erased");
      }
      if (row.kind === "decision") {
        const decision = { ...(JSON.parse(row.payload) as Decision), seq: row.seq };
        byOrdinal.set(decision.ordinal, decisions.length);
        decisions.push(decision);
      } else if (row.kind === "opened") {
        const entry = JSON.parse(row.payload) as Opened;
        opened.set(entry.ordinal, { ...entry, seq: row.seq });
      }
    }
    this.#decisions = decisions;
    if (byOrdinal.size > 0) this.#byOrdinal = byOrdinal;
    if (opened.size > 0) this.#opened = opened;
  }

  /** True while there are recorded decisions that the handler has not asked for yet. */
  get isReplaying(): boolean {
    return this.#next < this.#decisions.length;
  }

  /** True when the journal has the result of what the handler asks for next. */
  get hasRecordedNext(): boolean {
    return this.#byOrdinal.has(this.#ordinal);
  }

  /** The next decision of the turn. @throws RunHeld when the journal has another at this place. */
  identify(kind: DecisionKind, name: string): DecisionIdentity {
    const key = `${kind}:${name}`;
    const occurrence = this.#occurrences?.get(key) ?? 0;
    const ordinal = this.#ordinal;
    const known = this.#at(ordinal);
    if (known !== undefined && (known.kind !== kind || known.name !== name || known.occurrence !== occurrence)) {
      throw new JournalMismatch(
        `the journal has ${known.kind} "${known.name}" as decision ${ordinal} of this turn, the handler asks for ${kind} "${name}"`,
      );
    }
    if (this.#inFlight?.has(key) === true) {
      throw new TypeError(`${kind} "${name}" is in flight already: give the two different names`);
    }
    this.#ordinal += 1;
    this.#occurrences ??= new Map();
    this.#occurrences.set(key, occurrence + 1);
    this.#inFlight ??= new Set();
    this.#inFlight.add(key);
    return { kind, name, occurrence, ordinal };
  }

  /** The decision is over: its name may be used again. */
  done(identity: DecisionIdentity): void {
    this.#inFlight?.delete(`${identity.kind}:${identity.name}`);
  }

  /** True when the journal knows this patch here; false when it goes on without; undefined at its live edge. */
  knowsPatch(id: string): boolean | undefined {
    const known = this.#at(this.#ordinal);
    if (known?.kind === "patched" && known.name === id) return true;
    return known !== undefined || this.isReplaying ? false : undefined;
  }

  /** What was opened at this place and not recorded yet. */
  opened(identity: DecisionIdentity): (Opened & { readonly seq: number }) | undefined {
    return this.#opened.get(identity.ordinal);
  }

  /** The recorded result, when it is its turn; undefined when there is none. */
  recorded(identity: DecisionIdentity): Promise<Recorded> | undefined {
    const index = this.#byOrdinal.get(identity.ordinal);
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
    for (let rested = 0; this.isReplaying && rested < REST_TURNS; ) {
      const before = this.#next;
      await new Promise<void>((resolve) => afterThisTurn(resolve));
      rested = this.#next === before && !this.deliveries.isBusy ? rested + 1 : 0;
    }
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
    for (const [ordinal, opened] of this.#opened) if (ordinal >= this.#ordinal) return opened;
    return undefined;
  }

  #at(ordinal: number): DecisionIdentity | undefined {
    const index = this.#byOrdinal.get(ordinal);
    return index === undefined ? this.#opened.get(ordinal) : this.#decisions[index];
  }

  /** In the order of the log. */
  #deliver(): void {
    if (this.#isDelivering || this.#waiting?.has(this.#next) !== true) return;
    this.#isDelivering = true;
    void this.deliveries.turn().then(() => {
      const deliver = this.#waiting?.get(this.#next);
      this.#waiting?.delete(this.#next);
      this.#isDelivering = false;
      this.#next += 1;
      deliver?.();
      this.#deliver();
    });
  }
}

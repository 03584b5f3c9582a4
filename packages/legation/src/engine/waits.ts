/**
 * The decisions that wait for somebody or for a time: the lease is given back meanwhile, and the turn goes on when
 * the task was claimed for it again. One at a time.
 */

import type { TaskState } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import type { Decisions } from "./decisions.ts";
import { sha256Hex } from "./digest.ts";
import type { Draft } from "./draft.ts";
import type { Frame } from "./frame.ts";
import type { DecisionIdentity, Wait } from "./journal.ts";
import type { Acceptance, Incoming, Utterance } from "./turn.ts";

/** Claimed earlier than that by a store whose clock is ahead, a sleeper waits for the rest instead of parking again. */
const EARLY_MS = 5_000;

type Accept<T> = (incoming: Incoming) => Promise<Acceptance<T & JsonValue>> | Acceptance<T & JsonValue>;

export class Waits {
  readonly #frame: Frame;
  readonly #decisions: Decisions;

  constructor(frame: Frame, decisions: Decisions) {
    this.#frame = frame;
    this.#decisions = decisions;
  }

  ask<T extends JsonValue>(question: Utterance, accept?: Accept<T>): Promise<T | Incoming> {
    return this.#decisions.alone("ask", "ask", async (identity) => {
      const recorded = await this.#decisions.recorded(identity);
      if (recorded !== undefined) {
        return accept === undefined ? this.#message(recorded.message ?? 0) : (recorded.value as T);
      }
      let answer: T | Incoming | undefined;
      const tryToGo = async (): Promise<boolean> => {
        answer = await this.#takeAnswer(identity, accept);
        return answer !== undefined;
      };
      const open = (draft: Draft): Wait => this.#question(draft, identity, question);
      await this.#waitFor(identity, "ask", tryToGo, open, question);
      return answer as T | Incoming;
    });
  }

  requestAuth(request: Utterance): Promise<{ readonly approved: true }> {
    if (request.parts.length === 0) {
      return Promise.reject(new TypeError("a request for authorisation must say what it is for"));
    }
    return this.#decisions.alone("auth", "requestAuth", async (identity) => {
      if ((await this.#decisions.recorded(identity)) !== undefined) return { approved: true };
      const token = await this.#frame.replay.deliveries.during(this.#tokenOf(identity, request));
      const tryToGo = async (): Promise<boolean> => {
        if (this.#frame.log.stored.run.wait?.approved !== true) return false;
        await this.#decisions.record(identity, {}, (draft) => draft.status("TASK_STATE_WORKING", undefined));
        return true;
      };
      const open = (draft: Draft): Wait => {
        draft.journal("opened", identity);
        const wait: Wait = { kind: "auth", seq: draft.view.seq, token };
        draft.status("TASK_STATE_AUTH_REQUIRED", this.#frame.message(request));
        return wait;
      };
      await this.#waitFor(identity, "auth", tryToGo, open, request);
      return { approved: true };
    });
  }

  async sleep(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) throw new TypeError(`sleep takes milliseconds from 0, not ${ms}`);
    await this.#decisions.alone("sleep", "sleep", async (identity) => {
      if ((await this.#decisions.recorded(identity)) !== undefined) return;
      const until = this.#frame.replay.opened(identity)?.until ?? this.#frame.now() + ms;
      const tryToGo = async (): Promise<boolean> => {
        const left = until - this.#frame.now();
        if (left > EARLY_MS) return false;
        if (left > 0) await this.#frame.wait(left);
        await this.#decisions.record(identity, {});
        return true;
      };
      const open = (draft: Draft): Wait => {
        draft.journal("opened", { ...identity, until });
        return { kind: "sleep", seq: draft.view.seq, until };
      };
      await this.#waitFor(identity, "sleep", tryToGo, open);
    });
  }

  async receive(): Promise<Incoming> {
    // A message that is there is taken beside whatever is at work; only a wait has to be alone.
    const isThere = this.#waiting().length > 0 || this.#decisions.hasRecordedNext;
    if (isThere) return this.#receive(await this.#decisions.identify("receive", "receive"));
    return this.#decisions.alone("receive", "receive", (identity) => this.#receive(identity));
  }

  async #receive(identity: DecisionIdentity): Promise<Incoming> {
    const recorded = await this.#decisions.recorded(identity);
    if (recorded !== undefined) return this.#message(recorded.message ?? 0);
    let incoming: Incoming | undefined;
    const tryToGo = async (): Promise<boolean> => {
      const [seq] = this.#waiting();
      if (seq === undefined) return false;
      incoming = await this.#message(seq);
      await this.#decisions.record(identity, { message: seq }, (draft) => take(draft, seq));
      return true;
    };
    const open = (draft: Draft): Wait => {
      draft.journal("opened", identity);
      return { kind: "receive", seq: draft.view.seq };
    };
    if (!(await tryToGo())) await this.#waitFor(identity, "receive", tryToGo, open);
    return incoming as Incoming;
  }

  /** Parks until `tryToGo` says that the wait is over. What was opened before a restart is not opened again. */
  async #waitFor(
    identity: DecisionIdentity,
    kind: Wait["kind"],
    tryToGo: () => Promise<boolean>,
    open: (draft: Draft) => Wait,
    utterance?: Utterance,
  ): Promise<void> {
    const opened = this.#frame.replay.opened(identity);
    const { wait } = this.#frame.log.view.run;
    if (opened !== undefined && wait !== null && (await tryToGo())) return;
    await this.#frame.park((draft) => {
      if (opened === undefined) return open(draft);
      const until = opened.until === undefined ? {} : { until: opened.until };
      const state = stateOfWait(kind);
      // The replay may have said more than the run before it: the task still shows what it waits for.
      if (state !== undefined && utterance !== undefined && draft.view.state !== state) {
        draft.status(state, this.#frame.message(utterance));
      }
      return draft.view.run.wait ?? { kind, seq: opened.seq, ...until };
    }, tryToGo);
  }

  /** Messages that nobody took and that are committed: what is still on its way may come to stand elsewhere. */
  #waiting(): readonly number[] {
    const { view, seq } = this.#frame.log;
    return view.run.mailbox.filter((candidate) => candidate <= seq);
  }

  #message(seq: number): Promise<Incoming> {
    return this.#frame.replay.deliveries.during(this.#frame.log.message(seq));
  }

  /** Binds a grant to this very request: the same text in another place or turn has another token. */
  #tokenOf(identity: DecisionIdentity, request: Utterance): Promise<string> {
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
    accept: Accept<T> | undefined,
  ): Promise<T | Incoming | undefined> {
    for (;;) {
      const since = this.#frame.log.view.run.wait?.seq ?? 0;
      const seq = this.#waiting().find((candidate) => candidate > since);
      if (seq === undefined) return undefined;
      const incoming = await this.#message(seq);
      const acceptance = accept === undefined ? undefined : await accept(incoming);
      if (acceptance?.ok === false) {
        await this.#frame.append((draft) => {
          take(draft, seq);
          draft.run({ wait: this.#question(draft, identity, acceptance.again) });
        });
        continue;
      }
      const result = acceptance === undefined ? { message: seq } : { message: seq, value: acceptance.value };
      await this.#decisions.record(identity, result, (draft) => {
        take(draft, seq);
        draft.status("TASK_STATE_WORKING", undefined);
      });
      return acceptance === undefined ? incoming : acceptance.value;
    }
  }
}

function take(draft: Draft, seq: number): void {
  draft.run({ mailbox: draft.view.run.mailbox.filter((other) => other !== seq) });
}

function stateOfWait(kind: Wait["kind"]): TaskState | undefined {
  if (kind === "ask") return "TASK_STATE_INPUT_REQUIRED";
  return kind === "auth" ? "TASK_STATE_AUTH_REQUIRED" : undefined;
}

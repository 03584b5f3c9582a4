import { A2AError, LocalError } from "../operations/errors.ts";
import type { Reply } from "./reply.ts";
import type { RunEvent } from "./run-event.ts";
import type { TaskView } from "./task-view.ts";

/** How a run ended, or that it has not. `unknown`: the agent no longer knows the task; `failed`: see the error. */
export type RunOutcome = "running" | "message" | "ended" | "interrupted" | "unknown" | "failed";

/** What a run is made of. */
export interface RunParts {
  /** Gives the events in batches and ends with the run. */
  readonly source: AsyncGenerator<readonly RunEvent[], void>;
  readonly view: TaskView;
  /** True once a break was healed. */
  readonly isResumed: () => boolean;
  /** Ends what the source waits for. */
  readonly abort: (reason: LocalError) => void;
  /** Called once, when the run is over in whatever way. */
  readonly onEnd: (reply: Reply | undefined) => void;
}

/**
 * A send or a subscription that is followed event by event.
 *
 * The request goes out at once. Events come in the order of the task's log, each once, broken connections included;
 * `for await` may be left at any time, which ends the connection and never the task. One iteration per run: a second
 * one goes on where the first stopped.
 */
export class Run implements AsyncIterable<RunEvent>, AsyncDisposable {
  readonly #parts: RunParts;
  readonly #result: PromiseWithResolvers<Reply> = Promise.withResolvers<Reply>();
  #batch: readonly RunEvent[] = [];
  #at = 0;
  #prefetched: Promise<IteratorResult<readonly RunEvent[], void>> | undefined;
  #outcome: RunOutcome = "running";
  #error: unknown;
  #isResultWanted = false;
  #isIterated = false;
  #isDraining = false;
  #pulling: Promise<void> | undefined;

  /** Made by `stream` and `subscribe` of a client. */
  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#prefetched = parts.source.next();
    // Whoever iterates or asks for the result gets the error; nobody is no reason to end the process.
    this.#prefetched.catch(() => undefined);
    this.#result.promise.catch(() => undefined);
  }

  /** `resumed` when a broken connection was healed on the way, or the agent was polled after a break. */
  get delivery(): "complete" | "resumed" {
    return this.#parts.isResumed() ? "resumed" : "complete";
  }

  /** How the run ended; `running` until then. */
  get outcome(): RunOutcome {
    return this.#outcome;
  }

  /** The task that is followed; undefined until the first event, and for a message. */
  get taskId(): string | undefined {
    return this.#parts.view.taskId;
  }

  /**
   * The task, or the message, as it stands at the end of the run. Asking for it reads the run to its end where nobody
   * iterates.
   *
   * @throws LocalError STREAM_TRUNCATED, TIMEOUT, ABORTED (also when the iteration was left before its end)
   * @throws A2AError TASK_NOT_FOUND, with `metadata.outcome` "unknown", and what the agent answers
   */
  get result(): Promise<Reply> {
    this.#isResultWanted = true;
    // Not at once: `const { result } = run` may be followed by an iteration, which must get the events.
    if (!this.#isIterated) queueMicrotask(() => this.#drainUnlessIterated());
    return this.#result.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined> {
    this.#isIterated = true;
    let isLate = this.#isDraining;
    return {
      next: async () => {
        if (isLate) await this.#catchUp();
        isLate = false;
        const event = await this.#next();
        return event === undefined ? { done: true, value: undefined } : { done: false, value: event };
      },
      return: async () => {
        this.#isIterated = false;
        if (this.#isResultWanted) this.#drainUnlessIterated();
        else this.close();
        return { done: true, value: undefined };
      },
    };
  }

  /** Ends the connection; the task goes on. Nothing happens to a run that is over. */
  close(): void {
    if (this.#outcome !== "running") return;
    const reason = new LocalError(
      "ABORTED",
      "the run was left before its end; the task goes on, subscribe to it to follow it again",
    );
    this.#parts.abort(reason);
    this.#end("failed", reason);
    void this.#parts.source.return().catch(() => undefined);
  }

  /** The same as {@link close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  // Whoever begins to look while the result is being fetched gets the task as it stands, and then what follows.
  async #catchUp(): Promise<void> {
    await this.#pulling;
    if (this.#outcome !== "running") return;
    this.#batch = this.#parts.view.restate();
    this.#at = 0;
  }

  #drainUnlessIterated(): void {
    if (this.#isIterated || this.#isDraining) return;
    this.#isDraining = true;
    const drain = async (): Promise<void> => {
      while (!this.#isIterated && this.#outcome === "running") {
        this.#at = this.#batch.length;
        await this.#pull();
      }
      this.#isDraining = false;
    };
    void drain();
  }

  async #next(): Promise<RunEvent | undefined> {
    for (;;) {
      const event = this.#batch[this.#at];
      if (event !== undefined) {
        this.#at++;
        return event;
      }
      if (this.#outcome !== "running") {
        if (this.#error !== undefined) throw this.#error;
        return undefined;
      }
      await this.#pull();
    }
  }

  // One at a time, whoever asks: events must neither be lost between two askers nor be given twice.
  #pull(): Promise<void> {
    this.#pulling ??= this.#pullOnce().finally(() => {
      this.#pulling = undefined;
    });
    return this.#pulling;
  }

  async #pullOnce(): Promise<void> {
    const pulled = this.#prefetched ?? this.#parts.source.next();
    this.#prefetched = undefined;
    try {
      const step = await pulled;
      if (step.done === true) this.#finish();
      else {
        this.#batch = step.value;
        this.#at = 0;
      }
    } catch (error) {
      const isUnknown = error instanceof A2AError && error.metadata["outcome"] === "unknown";
      this.#end(isUnknown ? "unknown" : "failed", error);
    }
  }

  #finish(): void {
    const reply = this.#parts.view.reply();
    if (reply === undefined) {
      this.#end(
        "failed",
        new LocalError(
          "STREAM_TRUNCATED",
          "stream ended before its first event; whether the message arrived is not known",
        ),
      );
    } else if (reply.kind === "message") this.#end("message", undefined, reply);
    else this.#end(reply.isTerminal ? "ended" : "interrupted", undefined, reply);
  }

  #end(outcome: RunOutcome, error: unknown, reply?: Reply): void {
    if (this.#outcome !== "running") return;
    this.#outcome = outcome;
    this.#error = error;
    if (reply === undefined) this.#result.reject(error);
    else this.#result.resolve(reply);
    this.#parts.onEnd(reply ?? this.#parts.view.reply());
  }
}

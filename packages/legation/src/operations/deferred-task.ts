/** A deferred task in the hands of its outside worker. */
import type { Message, Part } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { DeferredArtifact, DeferredReport, DeferredStanding, DeferredWords } from "./deferred-report.ts";
import { A2AError } from "./errors.ts";

/** What a worker says: a text, or parts. */
export type DeferredSays = string | { readonly parts: readonly Part[]; readonly metadata?: JsonObject | undefined };

/** Of one report. */
export interface ReportOptions {
  /**
   * Names the report: sent again under the same id it is taken once. Chosen when absent; give one of your own where the
   * worker itself may be run again from its start, as in a workflow.
   */
  readonly id?: string | undefined;
}

/** An artifact or a chunk of one, without its name. */
export type DeferredContent = Omit<DeferredArtifact, "name" | "parts"> &
  ({ readonly text: string } | { readonly parts: readonly Part[] });

/**
 * A task that its handler has deferred, as the worker sees it that holds the token. Every call resolves when the report
 * is stored. One that the task does not take any more throws, and aborts {@link signal}: PERMISSION_DENIED when the
 * token was issued again, UNSUPPORTED_OPERATION with `metadata.state` when the task has ended (it was canceled, mostly).
 */
export interface DeferredTask {
  /** Aborts when the task does not take reports of this worker any more: stop then. */
  readonly signal: AbortSignal;
  /** Says that the worker is at work; the others say so too. */
  heartbeat(): Promise<DeferredStanding>;
  /** Says WORKING with a text. */
  working(text: DeferredSays, options?: ReportOptions): Promise<DeferredStanding>;
  /**
   * Writes an artifact, or a chunk of one.
   *
   * @throws INVALID_PARAMS for `append` to a name that was not written
   */
  artifact(name: string, content: DeferredContent, options?: ReportOptions): Promise<DeferredStanding>;
  /**
   * Asks the caller, in INPUT_REQUIRED, and waits for the answer. No heartbeat is needed meanwhile; from the answer on
   * there is.
   *
   * @returns the message that answers, the same again for the same id
   */
  ask(
    question: DeferredSays,
    options?: ReportOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<Message>;
  /** The next message of the caller that nobody took; waits for one, in WORKING. */
  receive(options?: ReportOptions & { readonly signal?: AbortSignal | undefined }): Promise<Message>;
  /** Ends the task as COMPLETED. */
  complete(text?: DeferredSays, options?: ReportOptions): Promise<DeferredStanding>;
  /** Ends the task as FAILED: it was tried and could not be done. */
  fail(reason: DeferredSays, options?: ReportOptions): Promise<DeferredStanding>;
  /** Ends the task as REJECTED: it will not be done. */
  reject(reason: DeferredSays, options?: ReportOptions): Promise<DeferredStanding>;
}

/** Takes one report. */
export type SendReport = (report: DeferredReport, signal?: AbortSignal) => Promise<DeferredStanding>;

/** Makes the handle over whatever carries reports. */
export function createDeferredTask(send: SendReport): DeferredTask {
  const over = new AbortController();

  async function take(report: DeferredReport, signal?: AbortSignal): Promise<DeferredStanding> {
    try {
      return await send(report, signal);
    } catch (refused) {
      if (isOver(refused)) over.abort(refused);
      throw refused;
    }
  }

  const say =
    (report: DeferredWords["report"]) =>
    (says?: DeferredSays, { id = crypto.randomUUID() }: ReportOptions = {}): Promise<DeferredStanding> =>
      take({ report, id, ...(says === undefined ? {} : wordsOf(says)) });

  async function received(id: string, signal: AbortSignal | undefined): Promise<Message> {
    for (;;) {
      signal?.throwIfAborted();
      const { message } = await take({ report: "receive", id }, signal);
      if (message !== undefined) return message;
    }
  }

  return {
    signal: over.signal,
    heartbeat: () => take({ report: "heartbeat" }),
    working: say("working"),
    artifact(name, content, { id = crypto.randomUUID() } = {}) {
      const { text, parts, ...rest } = content as DeferredContent & { text?: string; parts?: readonly Part[] };
      return take({ report: "artifact", id, artifact: { ...rest, name, parts: parts ?? [{ text: text ?? "" }] } });
    },
    async ask(question, { id = crypto.randomUUID(), signal } = {}) {
      await say("ask")(question, { id });
      return received(`${id}:answer`, signal);
    },
    receive: ({ id = crypto.randomUUID(), signal } = {}) => received(id, signal),
    complete: say("complete"),
    fail: say("fail"),
    reject: say("reject"),
  };
}

function wordsOf(says: DeferredSays): Pick<DeferredWords, "parts" | "metadata"> {
  return typeof says === "string" ? { parts: [{ text: says }] } : { parts: says.parts, metadata: says.metadata };
}

/** True when no report of this token will be taken any more. */
function isOver(refused: unknown): boolean {
  if (!(refused instanceof A2AError)) return false;
  const { code, metadata } = refused;
  if (code === "UNSUPPORTED_OPERATION") return metadata["state"] !== undefined;
  return code === "PERMISSION_DENIED" || code === "UNAUTHENTICATED";
}

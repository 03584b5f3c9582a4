/**
 * What a handler can do while it runs a turn of a task. The server room wraps it for users; the engine implements it
 * in {@link ./turn-of-frame.ts}, against the journal.
 *
 * - Decisions (`step`, `ask`, `requestAuth`, `sleep`, `now`, `random`, `receive`, `patched`) are journaled and matched on replay.
 * - Emissions (`working`, `artifact`, `write`) are replayed against the log and written again only where they differ.
 */
import type { Message, Part } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { DeferOptions } from "./deferral.ts";

/** A message of the caller together with what the server keeps beside it. */
export interface Incoming {
  /** As it stands in the history: contextId and taskId filled in. */
  readonly message: Message;
  /** Seq of the message in the log. */
  readonly seq: number;
  /** What the server stored beside the message (principal, output modes, extensions, request metadata). */
  readonly meta: JsonObject;
}

/** What a status message or a question is made of. */
export interface Utterance {
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

/** One artifact, or one chunk of one. */
export interface ArtifactDraft {
  /** Identity within the turn: the same name means the same artifact, unless `artifactId` says otherwise. */
  readonly name: string;
  /** Chosen by the engine when absent, and the same again on replay. */
  readonly artifactId?: string | undefined;
  readonly description?: string | undefined;
  readonly parts: readonly Part[];
  /** True appends to the artifact of that name; false or absent replaces it. */
  readonly append?: boolean | undefined;
  readonly lastChunk?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

/** What a source of `write` may give, piece by piece. */
export type Chunk = string | Part | readonly Part[];

/** Given to the function of a step. */
export interface StepContext {
  /** Stable over all attempts: hand it to the callee as its idempotency key. */
  readonly key: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What an accepting function says of an answer. */
export type Acceptance<T extends JsonValue> =
  | { readonly ok: true; readonly value: T }
  /** Ask again, with the reason. */
  | { readonly ok: false; readonly again: Utterance };

/** How a turn ends other than by returning; may be returned or thrown by a handler. */
export class Ending {
  /** `return` is what a plain return means: the next message if one waits, else COMPLETED. */
  readonly kind: "return" | "complete" | "reject" | "fail" | "pause" | "defer";
  readonly utterance: Utterance | undefined;

  constructor(kind: Ending["kind"], utterance?: Utterance) {
    this.kind = kind;
    this.utterance = utterance;
  }
}

/** The ending of a turn that an outside worker has from now on. */
export class Deferred extends Ending {
  /** 1 for the first token of the turn; more when the worker before fell silent, or when the process died. */
  readonly attempt: number;
  readonly #token: string;

  constructor(token: string, attempt: number) {
    super("defer");
    this.#token = token;
    this.attempt = attempt;
  }

  /** What the worker reports with. A secret that is kept nowhere; no property, so that no log prints it by accident. */
  get token(): string {
    return this.#token;
  }
}

/** A turn of a task, as its handler sees it. */
export interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly tenant: string;
  readonly owner: string;
  /** 1 for the first turn of the task. */
  readonly number: number;
  /** Aborts on cancel, on a lost lease, on a deadline and when the process stops. */
  readonly signal: AbortSignal;
  /** Other turns' artifacts and messages: the Task as it stood when this turn began. */
  readonly snapshot: () => Promise<import("../model/gen/types.ts").Task>;

  /** Says WORKING with a text. Resolves when buffered. */
  working(utterance: Utterance): Promise<void>;
  /** Writes an artifact or a chunk of one. Resolves when buffered. Append to an unknown name: INVALID_AGENT_RESPONSE. */
  artifact(draft: ArtifactDraft): Promise<void>;
  /** Appends one text to the artifact of that name: `artifact`, in the form in which a model says it word by word. */
  append(name: string, text: string): Promise<void>;
  /**
   * Streams an artifact as one journaled unit: finished = skipped on replay, unfinished = replaced. The source is
   * called only when it is needed.
   */
  write(
    name: string,
    source: (signal: AbortSignal) => Chunk | Promise<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>,
    options?: Omit<ArtifactDraft, "name" | "parts" | "append" | "lastChunk"> & {
      readonly mediaType?: string | undefined;
    },
  ): Promise<void>;

  /** Runs at least once, is recorded once. Resolves after COMMIT. The result must be JSON. */
  step<T extends JsonValue | undefined>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options?: { readonly once?: boolean | undefined },
  ): Promise<T>;
  /** Parks in INPUT_REQUIRED until a message arrives that `accept` takes. */
  ask(question: Utterance): Promise<Incoming>;
  ask<T extends JsonValue>(
    question: Utterance,
    accept: (incoming: Incoming) => Promise<Acceptance<T>> | Acceptance<T>,
  ): Promise<T>;
  /** Parks in AUTH_REQUIRED until {@link ./engine.ts Engine.authorize} is called with this task. */
  requestAuth(request: Utterance): Promise<{ readonly approved: true }>;
  /** Waits durably. */
  sleep(ms: number): Promise<void>;
  /** Wall time in ms, the same again on replay. */
  now(): Promise<number>;
  /** A number in [0, 1), the same again on replay. */
  random(): Promise<number>;
  /** The next message of the mailbox that nobody took; waits for one (the task stays WORKING). */
  receive(): Promise<Incoming>;
  /** True when this turn runs, or ran, code that knows the patch; false for a journal written before it. */
  patched(id: string): Promise<boolean>;

  /** Runs a part of the handler whose decisions have an order of their own, beside others. */
  branch<T>(name: string, run: () => Promise<T> | T): Promise<T>;
  /**
   * Gives the turn to an outside worker: the task stays WORKING. Resolves after COMMIT. Hand the token over, then return
   * what it gave; a turn that runs again gets the next token.
   */
  defer(options: DeferOptions): Promise<Deferred>;

  /** Endings: return or throw what these give. */
  complete(utterance?: Utterance): Ending;
  pause(question: Utterance): Ending;
  reject(reason: Utterance): Ending;
  fail(reason: Utterance): Ending;
}

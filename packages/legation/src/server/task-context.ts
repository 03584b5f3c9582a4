/**
 * The handle by which a handler works on its task.
 *
 * Decisions (`step`, `ask`, `requestAuth`, `sleep`, `now`, `random`, `receive`, `patched`) are recorded and give the
 * same result when the handler runs again after a crash, a deploy or a long wait. Emissions (`working`, `artifact`,
 * `write`) are compared with what is stored and written again only where they differ. Everything else a handler does
 * happens again on such a run: put effects on the outside world into `step`.
 */

import type { DeferOptions } from "../engine/deferral.ts";
import type { Engine } from "../engine/engine.ts";
import type { Deferred, Ending, Incoming, StepContext, Turn } from "../engine/turn.ts";
import type { Part } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../operations/call.ts";
import { chooseOutputMode } from "../operations/media-type.ts";
import { createSchemaQuestion } from "./answer.ts";
import { type ArtifactSource, checkedSource } from "./artifact-source.ts";
import { type Content, jsonCopyOrThrow, partOfContent, partsOrThrow, type Says, utteranceOf } from "./content.ts";
import { type ContextView, createContextView, findReferenced, type Referenced } from "./context-view.ts";
import { MessageFacts } from "./message-facts.ts";
import { createMessageHandle, type MessageHandle } from "./message-handle.ts";
import type { SchemaOutput, StandardSchema } from "./standard-schema.ts";

/** What can be said of an artifact beside its content. */
export interface ArtifactOptions {
  /** Identity within the task; chosen when absent, by name. */
  readonly artifactId?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

/** One artifact or one chunk of it: content, or parts. */
export type ArtifactContent = ArtifactOptions & {
  /** True appends to the artifact of that name; false or absent replaces it. */
  readonly append?: boolean | undefined;
  /** True: nothing more is appended. */
  readonly lastChunk?: boolean | undefined;
} & (Content | { readonly parts: readonly Part[] });

/** A task as its handler works on it. */
export interface TaskContext {
  readonly id: string;
  /** The tenant that the caller named; `""` for none. */
  readonly tenant: string;
  /** What the same caller has in the same context, on this agent. */
  readonly context: ContextView;
  /** Who sent the message that began this turn; owner `""` without authentication. */
  readonly principal: Principal;
  /** Aborts on cancel, on a deadline, on a lost lease and when the process stops. Hand it on to whatever waits. */
  readonly signal: AbortSignal;
  /** Media types that the caller can read, in its order; empty when it did not say. */
  readonly acceptedOutputModes: readonly string[];
  /** URIs of the extensions that are active for the message that began this turn. */
  readonly extensions: readonly string[];
  /** Metadata of the request that carried the message that began this turn. */
  readonly requestMetadata: JsonObject;

  /**
   * Chooses the media type of an answer.
   *
   * @param offered what can be made, best first
   * @returns the first of the caller's modes that can be made
   * @throws an ending that rejects the task, when the caller can read none of them
   */
  chooseOutputMode(offered: readonly string[]): string;
  /** Finds the artifact that the message of this turn means, or the ones it may mean. Not recorded. */
  referenced(): Promise<Referenced>;

  /** Says WORKING with a text. Resolves when it is buffered, not when it is stored. */
  working(text: Says): Promise<void>;
  /**
   * Writes an artifact, or a chunk of one. Resolves when it is buffered, not when it is stored.
   *
   * @param name the same name means the same artifact of this task
   * @throws INVALID_AGENT_RESPONSE for data that JSON cannot carry, and for `append` to a name that was not written
   */
  artifact(name: string, content: ArtifactContent): Promise<void>;
  /**
   * Streams an artifact from a source as one unit: after a crash a finished one is skipped and an unfinished one is
   * replaced as a whole, so that a model's words are never spliced. No decision may be taken inside the source.
   */
  write(
    name: string,
    source: ArtifactSource,
    options?: ArtifactOptions & { readonly mediaType?: string | undefined },
  ): Promise<void>;

  /**
   * Asks the caller and waits in INPUT_REQUIRED, for as long as it takes: over restarts and deploys, holding no memory.
   *
   * @returns the message that answers
   */
  ask(question: Says): Promise<MessageHandle>;
  /**
   * Asks for a value that fits a schema. A data part is validated as it is, a text fills the only property; an answer
   * that does not fit is asked again with the reason.
   */
  ask<Schema extends StandardSchema>(question: Says, schema: Schema): Promise<SchemaOutput<Schema>>;
  /**
   * Waits in AUTH_REQUIRED until the operator authorises the task (`host.authorize`). No message of the caller does.
   *
   * @param request what is to be approved, in words
   */
  requestAuth(request: Says): Promise<{ readonly approved: true }>;
  /**
   * Does something to the outside world: at least once, recorded once. `key` is stable over all attempts and is the
   * callee's idempotency key.
   *
   * @param name unique among the steps in flight
   * @param options `once`: never attempted twice; a crash in between holds the task for a person
   * @returns what `fn` gave; it must be JSON, or nothing
   */
  step<T>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options?: { readonly once?: boolean | undefined },
  ): Promise<T>;
  /** Waits that long, over restarts too. */
  sleep(ms: number): Promise<void>;
  /** Wall time in ms, the same when the handler runs again. */
  now(): Promise<number>;
  /** A number in [0, 1), the same when the handler runs again. */
  random(): Promise<number>;
  /** The next message that nobody took; waits for one, in WORKING. */
  receive(): Promise<MessageHandle>;
  /** True in code that runs, or ran, with this patch; false for a run that began before it. Branch on it in a deploy. */
  patched(id: string): Promise<boolean>;

  /**
   * Runs a part of the handler beside others, as in `Promise.all`. Decisions are matched by their order when the handler
   * runs again; inside of a branch that order is the branch's own. So it is needed where what runs side by side waits for
   * something that is not recorded, the network or a timer: without it such a run may be held after a crash. Nothing is
   * recorded of the branch itself. One `ask`, `requestAuth` or `sleep` at a time, over all branches.
   *
   * @param name unique among the branches in flight; part of the keys of its steps
   */
  branch<T>(name: string, run: () => Promise<T> | T): Promise<T>;
  /**
   * Gives the task to an outside worker, a queue or a workflow engine, and keeps it WORKING. Hand `token` over, without
   * a step, and return what this gave: nothing is decided or said in this turn any more. Resolves when it is stored.
   *
   * The worker reports with the token by `deferredTask` of legation/server, or by `host.deferred`: status, artifacts,
   * questions, the end. When nothing is heard of it for `heartbeatMs`, this handler runs again from its start against its
   * journal and comes here with the next token; the one before is refused from then on. So it does when the process dies
   * between here and the return: start a workflow under the id of the task in such a way that a running one is replaced.
   * After `attempts` tokens the task is FAILED.
   *
   * @throws TypeError for a `heartbeatMs` below 1,000; STEP_IN_FLIGHT while a step is at work
   */
  defer(options: DeferOptions): Promise<Deferred>;

  /** Ends the task as COMPLETED at once; return it. */
  complete(text?: Says): Ending;
  /** Ends the turn in INPUT_REQUIRED: the next message starts `onTask` anew; return it. */
  pause(question: Says): Ending;
  /** Ends the task as REJECTED: the agent will not do it; return or throw it. */
  reject(reason: Says): Ending;
  /** Ends the task as FAILED with a text for the caller: it was tried and could not be done; return or throw it. */
  fail(reason: Says): Ending;
}

/** What a context is made of. */
export interface TaskContextParts {
  readonly turn: Turn;
  readonly incoming: Incoming;
  /** Name of the agent. */
  readonly agent: string;
  readonly engine: Engine;
}

/** Wraps a turn of the engine for the handler. */
export function createTaskContext(parts: TaskContextParts): TaskContext {
  return new TurnContext(parts);
}

/** Nothing is read, and no function made, before a handler asks for it; its functions may be taken out of it. */
class TurnContext extends MessageFacts implements TaskContext {
  readonly #parts: TaskContextParts;
  readonly #turn: Turn;
  #context: ContextView | undefined;

  constructor(parts: TaskContextParts) {
    super(parts.incoming.meta);
    this.#parts = parts;
    this.#turn = parts.turn;
  }

  get id(): string {
    return this.#turn.taskId;
  }

  get tenant(): string {
    return this.#turn.tenant;
  }

  get context(): ContextView {
    const { turn, agent, engine } = this.#parts;
    const scope = { tenant: turn.tenant, owner: turn.owner, agent };
    this.#context ??= createContextView(engine, scope, turn.contextId);
    return this.#context;
  }

  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  get chooseOutputMode(): TaskContext["chooseOutputMode"] {
    return (offered) => {
      const accepted = this.acceptedOutputModes;
      const mode = chooseOutputMode(accepted, offered);
      if (mode !== undefined) return mode;
      throw this.reject(`none of ${accepted.join(", ")} can be made; offered: ${offered.join(", ")}`);
    };
  }

  get referenced(): TaskContext["referenced"] {
    return () => findReferenced(this.context, this.#parts.incoming.message, this.#turn.taskId);
  }

  get working(): TaskContext["working"] {
    return (text) => this.#turn.working(utteranceOf(text));
  }

  // No promise of its own: most chunks are buffered at once.
  readonly artifact = (name: string, content: ArtifactContent): Promise<void> => {
    try {
      const text = textOfChunk(content);
      if (text !== undefined) return this.#turn.append(name, text);
      const { artifactId, description, metadata, extensions, append, lastChunk } = withOwnMetadata(content);
      const parts = "parts" in content ? partsOrThrow(content.parts) : [partOfContent(content)];
      return this.#turn.artifact({ name, parts, artifactId, description, metadata, extensions, append, lastChunk });
    } catch (refused) {
      return Promise.reject(refused);
    }
  };

  get write(): TaskContext["write"] {
    return (name, source, options) => this.#turn.write(name, checkedSource(source), withOwnMetadata(options));
  }

  get ask(): TaskContext["ask"] {
    return (async (question: Says, schema?: StandardSchema): Promise<unknown> => {
      if (schema === undefined) return createMessageHandle((await this.#turn.ask(utteranceOf(question))).message);
      const asked = createSchemaQuestion(question, schema);
      return asked.output(await this.#turn.ask(asked.utterance, asked.accept));
    }) as TaskContext["ask"];
  }

  get requestAuth(): TaskContext["requestAuth"] {
    return (request) => this.#turn.requestAuth(utteranceOf(request));
  }

  get step(): TaskContext["step"] {
    return ((name, fn, options) => this.#turn.step(name, fn as never, options)) as TaskContext["step"];
  }

  get sleep(): TaskContext["sleep"] {
    return (ms) => this.#turn.sleep(ms);
  }

  get now(): TaskContext["now"] {
    return () => this.#turn.now();
  }

  get random(): TaskContext["random"] {
    return () => this.#turn.random();
  }

  get receive(): TaskContext["receive"] {
    return async () => createMessageHandle((await this.#turn.receive()).message);
  }

  get patched(): TaskContext["patched"] {
    return (id) => this.#turn.patched(id);
  }

  get branch(): TaskContext["branch"] {
    return (name, run) => this.#turn.branch(name, run);
  }

  get defer(): TaskContext["defer"] {
    return (options) => this.#turn.defer(options);
  }

  get complete(): TaskContext["complete"] {
    return (text) => this.#turn.complete(text === undefined ? undefined : utteranceOf(text));
  }

  get pause(): TaskContext["pause"] {
    return (question) => this.#turn.pause(utteranceOf(question));
  }

  get reject(): TaskContext["reject"] {
    return (reason) => this.#turn.reject(utteranceOf(reason));
  }

  get fail(): TaskContext["fail"] {
    return (reason) => this.#turn.fail(utteranceOf(reason));
  }
}

/** The text of a content that appends one and says nothing else, as most chunks of a model; undefined for others. */
function textOfChunk(content: ArtifactContent): string | undefined {
  if (content.append !== true || content.lastChunk === true || "parts" in content) return undefined;
  const { text, mediaType, filename, artifactId, description, metadata, extensions } = content;
  if (mediaType !== undefined || filename !== undefined || artifactId !== undefined) return undefined;
  if (description !== undefined || metadata !== undefined || extensions !== undefined) return undefined;
  return typeof text === "string" ? text : undefined;
}

/** Options with a copy of their metadata: their owner may go on with the object. */
function withOwnMetadata<T extends { readonly metadata?: JsonObject | undefined } | undefined>(options: T): T {
  if (options?.metadata === undefined) return options;
  return { ...options, metadata: jsonCopyOrThrow(options.metadata) };
}

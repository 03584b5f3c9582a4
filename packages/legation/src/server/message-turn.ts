/** What `onMessage` has at hand beside the message, and what becomes of what it gives. */
import type { Engine, Scope } from "../engine/engine.ts";
import type { Message, Part } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, whyNotJson } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import { parseMessage } from "../model/parse-task.ts";
import type { Principal } from "../operations/call.ts";
import { A2AError } from "../operations/errors.ts";
import { chooseOutputMode } from "../operations/media-type.ts";
import { jsonOrThrow } from "./content.ts";
import { type ContextView, createContextView, findReferenced, type Referenced } from "./context-view.ts";
import { MessageFacts } from "./message-facts.ts";

/** The task that a hybrid agent started in place of a reply. It is stored; `onTask` takes it from there. */
export class StartedTask {
  readonly taskId: string;

  constructor(taskId: string) {
    this.taskId = taskId;
  }
}

/** A reply that is more than a text; role and ids are filled in. */
export interface MessageReply {
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
  readonly referenceTaskIds?: readonly string[] | undefined;
}

/** What `onMessage` has at hand. */
export interface MessageTurn {
  /** What the same caller has in the same context, on this agent. */
  readonly context: ContextView;
  /** Who sent the message; owner `""` without authentication. */
  readonly principal: Principal;
  /** Aborts when the process stops; never because the caller went away. */
  readonly signal: AbortSignal;
  /** Media types that the caller can read, in its order; empty when it did not say. */
  readonly acceptedOutputModes: readonly string[];
  /** URIs of the extensions that are active for this message. */
  readonly extensions: readonly string[];
  /** Metadata of the request that carried the message. */
  readonly requestMetadata: JsonObject;
  /**
   * Chooses the media type of the reply.
   *
   * @param offered what can be made, best first
   * @throws CONTENT_TYPE_NOT_SUPPORTED when the caller can read none of them
   */
  chooseOutputMode(offered: readonly string[]): string;
  /** Finds the artifact that the message means, or the ones it may mean. */
  referenced(): Promise<Referenced>;
  /**
   * Makes a task of this message: stored when it resolves, then `onTask` runs. Return what it gives. From then on only
   * the Task answers for the message, whatever else `onMessage` does. Called again it gives the same task.
   */
  startTask(): Promise<StartedTask>;
}

/** What a turn is made of. */
export interface MessageTurnParts {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly contextId: string;
  readonly message: Message;
  /** As the admission encoded it. */
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
}

/** Makes the turn of one message. */
export function createMessageTurn(parts: MessageTurnParts, startTask: () => Promise<StartedTask>): MessageTurn {
  return new ReceivedTurn(parts, startTask);
}

/** Nothing is read, and no function made, before a handler asks for it; its functions may be taken out of it. */
class ReceivedTurn extends MessageFacts implements MessageTurn {
  readonly startTask: () => Promise<StartedTask>;
  readonly #parts: MessageTurnParts;
  #context: ContextView | undefined;

  constructor(parts: MessageTurnParts, startTask: () => Promise<StartedTask>) {
    super(parts.meta);
    this.#parts = parts;
    this.startTask = startTask;
  }

  get context(): ContextView {
    const { engine, scope, contextId } = this.#parts;
    this.#context ??= createContextView(engine, scope, contextId);
    return this.#context;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  get chooseOutputMode(): MessageTurn["chooseOutputMode"] {
    return (offered) => {
      const accepted = this.acceptedOutputModes;
      const mode = chooseOutputMode(accepted, offered);
      if (mode !== undefined) return mode;
      throw new A2AError(
        "CONTENT_TYPE_NOT_SUPPORTED",
        `none of ${accepted.join(", ")} can be made; offered: ${offered.join(", ")}`,
        { metadata: { field: "configuration.acceptedOutputModes", accepted: offered.join(", ") } },
      );
    };
  }

  get referenced(): MessageTurn["referenced"] {
    return () => findReferenced(this.context, this.#parts.message);
  }
}

/**
 * The Message that a result of `onMessage` becomes.
 *
 * @throws INVALID_AGENT_RESPONSE for a result that says nothing or that JSON cannot carry
 */
export function replyOf(result: unknown, ids: { readonly messageId: string; readonly contextId: string }): Message {
  // What is made of a text here needs no check.
  if (typeof result === "string" && result !== "") return { ...ids, role: "ROLE_AGENT", parts: [{ text: result }] };
  const { parts, metadata, extensions, referenceTaskIds } = draftOf(result);
  const draft = { ...ids, role: "ROLE_AGENT", parts, metadata, extensions, referenceTaskIds };
  const why = whyNotJson(metadata ?? {}) ?? whyNotJson(parts);
  if (why !== undefined) throw new A2AError("INVALID_AGENT_RESPONSE", `the reply of the agent cannot be sent: ${why}`);
  try {
    // A copy through JSON: parsing normalises in place, and the draft belongs to the handler.
    return parseMessage(JSON.parse(JSON.stringify(draft)));
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the reply of the agent is no Message: ${thrown.message}`);
  }
}

function draftOf(result: unknown): MessageReply {
  if (typeof result === "object" && result !== null) {
    if (isJsonObject(result) && Array.isArray(result["parts"])) return result as unknown as MessageReply;
    return { parts: [{ data: jsonOrThrow(result) }] };
  }
  throw new A2AError("INVALID_AGENT_RESPONSE", "the agent gave no reply");
}

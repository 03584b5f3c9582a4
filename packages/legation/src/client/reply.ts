/** What an agent answers with, as handles: a task or a message. Each can lead to the other, so both are here. */
import type { Message, Part, Task } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import { textOf } from "../model/part.ts";
import { type ArtifactHandle, createArtifactHandle } from "./artifact-handle.ts";
import type { Sendable } from "./compose-message.ts";
import { dataOfParts, type FileContent, filesOfParts } from "./part-content.ts";
import type { CallOptions, SendOptions } from "./send-options.ts";
import { isInterruptedState, isTerminalState, readTaskState, type TaskStateName } from "./task-state.ts";

/** What an agent answers with: a task or a message, told apart by `kind`. */
export type Reply = TaskHandle | MessageHandle;

/** Where a wait ends: at a state that needs somebody too, or only at the end of the task. */
export type Until = "interrupted" | "terminal";

/** What waiting takes. */
export interface WaitOptions extends CallOptions {
  /** Default "interrupted": also ends in INPUT_REQUIRED and AUTH_REQUIRED. */
  readonly until?: Until | undefined;
}

/** What cancelling takes. */
export interface CancelOptions extends CallOptions {
  /** Reaches the handler of the agent. */
  readonly metadata?: JsonObject | undefined;
}

/** What a refinement takes. */
export interface RefineOptions extends SendOptions {
  /** What is refined, by name or id of an artifact of the task. Default: the task as a whole. */
  readonly artifact?: string | undefined;
}

/** A task as it stood when it was read. Immutable: what changes a task gives a new handle. */
export interface TaskHandle {
  readonly kind: "task";
  readonly id: string;
  readonly contextId: string | undefined;
  readonly state: TaskStateName;
  /** Nothing leaves COMPLETED, FAILED, CANCELED and REJECTED. */
  readonly isTerminal: boolean;
  /** INPUT_REQUIRED or AUTH_REQUIRED: the task waits for somebody. */
  readonly isInterrupted: boolean;
  /** Text of the status message; `""` where there is none. */
  readonly text: string;
  /** The text of the question in INPUT_REQUIRED and AUTH_REQUIRED, otherwise undefined. */
  readonly question: string | undefined;
  /** The status message. */
  readonly message: MessageHandle | undefined;
  /** When the state was reached, as the agent says. */
  readonly timestamp: Date | undefined;
  readonly artifacts: readonly ArtifactHandle[];
  /** The messages that the agent gave with the task; not reliably all of them (§3.7). */
  readonly history: readonly MessageHandle[];
  readonly metadata: Readonly<JsonObject> | undefined;
  /** The wire form, frozen. */
  readonly raw: Readonly<Task>;
  /** The artifact of a name, or of an id; the last one where several bear the name. */
  artifact(nameOrId: string): ArtifactHandle | undefined;
  /** Answers: a message to this task. */
  reply(content: Sendable, options?: SendOptions): Promise<Reply>;
  /** Asks for something on top of this task: a new task in the same context that references this one (§3.4.3). */
  refine(content: Sendable, options?: RefineOptions): Promise<Reply>;
  /** Cancels. @throws TASK_NOT_CANCELABLE */
  cancel(options?: CancelOptions): Promise<TaskHandle>;
  /** Reads the task again. */
  refresh(options?: CallOptions): Promise<TaskHandle>;
  /** Follows the task, by stream where the agent has it, otherwise by polling, and gives it as it then stands. */
  wait(options?: WaitOptions): Promise<TaskHandle>;
}

/** What handles need of the client that made them. */
export interface HandleActions {
  send(content: Sendable, options: SendOptions): Promise<Reply>;
  refine(task: TaskHandle, content: Sendable, options: RefineOptions): Promise<Reply>;
  cancel(taskId: string, options: CancelOptions): Promise<TaskHandle>;
  refresh(taskId: string, options: CallOptions): Promise<TaskHandle>;
  wait(task: TaskHandle, options: WaitOptions): Promise<TaskHandle>;
}

/**
 * Wraps a task.
 *
 * @param task canonical and frozen, or never changed again
 * @param actions what carries out the verbs
 */
export function createTaskHandle(task: Task, actions: HandleActions): TaskHandle {
  const state = readTaskState(task.status.state).name;
  const { id, contextId } = task;
  const message = task.status.message && createMessageHandle(task.status.message, actions);
  const isInterrupted = isInterruptedState(state);
  const artifacts = Object.freeze((task.artifacts ?? []).map(createArtifactHandle));
  let history: readonly MessageHandle[] | undefined;
  const handle: TaskHandle = {
    kind: "task",
    id,
    contextId,
    state,
    isTerminal: isTerminalState(state),
    isInterrupted,
    text: message?.text ?? "",
    question: isInterrupted ? (message?.text ?? "") : undefined,
    message,
    timestamp: readTimestamp(task.status.timestamp),
    artifacts,
    // Made when asked for: a long history is rarely looked at.
    get history() {
      history ??= Object.freeze((task.history ?? []).map((entry) => createMessageHandle(entry, actions)));
      return history;
    },
    metadata: task.metadata,
    raw: task,
    artifact: (nameOrId) =>
      artifacts.findLast((artifact) => artifact.name === nameOrId) ??
      artifacts.find((artifact) => artifact.artifactId === nameOrId),
    reply: (content, options = {}) => actions.send(content, { ...options, taskId: id, contextId }),
    refine: (content, options = {}) => actions.refine(handle, content, options),
    cancel: (options = {}) => actions.cancel(id, options),
    refresh: (options = {}) => actions.refresh(id, options),
    wait: (options = {}) => actions.wait(handle, options),
  };
  return Object.freeze(handle);
}

function readTimestamp(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A message as it was received. Immutable. */
export interface MessageHandle {
  readonly kind: "message";
  readonly messageId: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly role: "user" | "agent";
  /** All text parts, joined. */
  readonly text: string;
  /** The first data part; undefined where there is none. */
  readonly data: JsonValue | undefined;
  readonly files: readonly FileContent[];
  readonly parts: readonly Part[];
  readonly metadata: Readonly<JsonObject> | undefined;
  readonly referenceTaskIds: readonly string[];
  /** The wire form, frozen. */
  readonly raw: Readonly<Message>;
  /** Goes on in the same context, and in the same task where the message belongs to one. */
  reply(content: Sendable, options?: SendOptions): Promise<Reply>;
}

/**
 * Wraps a message.
 *
 * @param message canonical and frozen, or never changed again
 * @param actions what carries out a reply
 */
export function createMessageHandle(message: Message, actions: HandleActions): MessageHandle {
  const { parts, contextId, taskId } = message;
  const handle: MessageHandle = {
    kind: "message",
    messageId: message.messageId,
    contextId,
    taskId,
    role: message.role === "ROLE_USER" ? "user" : "agent",
    text: textOf({ parts }),
    data: dataOfParts(parts),
    get files() {
      return filesOfParts(parts);
    },
    parts,
    metadata: message.metadata,
    referenceTaskIds: message.referenceTaskIds ?? [],
    raw: message,
    reply: (content, options = {}) => actions.send(content, { contextId, taskId, ...options }),
  };
  return Object.freeze(handle);
}

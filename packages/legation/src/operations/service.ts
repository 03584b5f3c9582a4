/**
 * The eleven operations of the protocol as ONE interface. A server implements it over the engine, a client over a
 * transport; a binding translates between it and a wire format in either direction.
 *
 * @see specification §3.1
 */
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "../model/gen/types.ts";
import type { Call } from "./call.ts";
import type { Payload } from "./payload.ts";

/** What all chunks of an artifact have in common; one object for all of them. */
export interface ArtifactForm {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifactId: string;
  readonly name: string;
  /** The event as JSON. @param parts JSON of the parts, without the brackets of their list */
  json(parts: string, isLast: boolean): string;
}

/** An append to an artifact that brings one text and nothing else, as a model does word by word. */
export interface TextChunk {
  readonly form: ArtifactForm;
  readonly text: string;
  readonly isLast: boolean;
}

/** One event of a stream: its payload, and its position in the log of the task where there is one. */
export interface StreamEvent extends Payload<StreamResponse> {
  /** The seq of the event in its task's log, the SSE `id`; undefined for a Message and for peers without ids. */
  readonly seq?: number | undefined;
  /** Set where the event is one: an encoder that knows it needs neither `value` nor `json`. */
  readonly chunk?: TextChunk | undefined;
  /** What a binding made of the event, kept so that a thousand subscribers share one encoding; nobody else reads it. */
  memo?: string | undefined;
}

/**
 * A stream of events in the order of the log, in batches: everything that is ready is one batch, so that a consumer
 * pays once per batch and not once per event. A batch is never empty. Returning the iterator ends the subscription.
 *
 * The iteration ends without an error only where §3.1.2 and §3.1.6 let a stream end; otherwise it throws an A2AError
 * (UNAVAILABLE on shutdown) or, on a client, a LocalError.
 */
export type EventStream = AsyncIterable<readonly StreamEvent[]>;

/** The operations of §3.1. Requests are validated and normalised by the binding (or by the caller, on a client). */
export interface Service {
  /** §3.1.1. Blocks until the task is terminal or interrupted, unless `configuration.returnImmediately` (§3.2.2). */
  sendMessage(request: SendMessageRequest, call: Call): Promise<Payload<SendMessageResponse>>;
  /** §3.1.2. Resolves when the first event is there, so that an early error is a plain error. */
  sendStreamingMessage(request: SendMessageRequest, call: Call): Promise<EventStream>;
  /** §3.1.3 */
  getTask(request: GetTaskRequest, call: Call): Promise<Payload<Task>>;
  /** §3.1.4 */
  listTasks(request: ListTasksRequest, call: Call): Promise<Payload<ListTasksResponse>>;
  /** §3.1.5 */
  cancelTask(request: CancelTaskRequest, call: Call): Promise<Payload<Task>>;
  /** §3.1.6. Resolves when the first event is there. */
  subscribeToTask(request: SubscribeToTaskRequest, call: Call): Promise<EventStream>;
  /** §3.1.7 */
  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    call: Call,
  ): Promise<Payload<TaskPushNotificationConfig>>;
  /** §3.1.8 */
  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: Call,
  ): Promise<Payload<TaskPushNotificationConfig>>;
  /** §3.1.9 */
  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: Call,
  ): Promise<Payload<ListTaskPushNotificationConfigsResponse>>;
  /** §3.1.10. Idempotent. */
  deleteTaskPushNotificationConfig(request: DeleteTaskPushNotificationConfigRequest, call: Call): Promise<void>;
  /** §3.1.11 */
  getExtendedAgentCard(request: GetExtendedAgentCardRequest, call: Call): Promise<Payload<AgentCard>>;
}

/**
 * The operations of the protocol over the engine, for one agent. What is decided here: which kind of agent answers,
 * how long a caller waits, what a caller may see. What a task is and becomes is the engine's.
 *
 * @see specification §3.1
 */
import type { Accepted, Engine, Scope } from "../engine/engine.ts";
import type { TaskShape } from "../engine/projection.ts";
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
  Message,
  SendMessageRequest,
  SendMessageResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "../model/gen/types.ts";
import type { Call } from "../operations/call.ts";
import { A2AError } from "../operations/errors.ts";
import { type Payload, payloadOfJson, payloadOfValue } from "../operations/payload.ts";
import type { EventStream, Service } from "../operations/service.ts";
import { streamEventOfJson } from "../operations/stream-event.ts";
import {
  type Admission,
  type Admitted,
  admitHistoryLength,
  createAdmission,
  type FoundForAdmission,
} from "./admission.ts";
import type { AgentOptions } from "./agent-options.ts";
import { findExtendedCard } from "./card.ts";
import { findExtendedSkills } from "./extended-skills.ts";
import { listTasks } from "./list-tasks.ts";
import { digestLongTexts, hasLongTexts } from "./long-texts.ts";
import { answerMessage } from "./message-answer.ts";
import type { PageTokens } from "./page-token.ts";
import { hooksOf, PushOperations } from "./push-operations.ts";
import { createReuseWatch, type ReuseWatch } from "./reuse-watch.ts";
import type { ServerLog } from "./server-log.ts";

/** What a {@link TaskService} stands on. */
export interface TaskServiceParts {
  readonly options: AgentOptions;
  readonly engine: Engine;
  /** The public card as this host serves it. */
  readonly card: () => AgentCard;
  readonly pageTokens: PageTokens;
  readonly newId: () => string;
  readonly log: ServerLog;
  /** Aborts when the host stops. */
  readonly signal: AbortSignal;
  /** Longest a blocking send waits, in ms; undefined is as long as it takes (§3.2.2). */
  readonly blockingMs?: number | undefined;
  /** Told of every wait for a task that this process has accepted work for. */
  readonly onWork?: ((done: Promise<void>) => void) | undefined;
}

/** The operations of one agent. */
export class TaskService implements Service {
  readonly #parts: TaskServiceParts;
  readonly #admission: Admission;
  readonly #push: PushOperations;
  readonly #reuse: ReuseWatch;

  constructor(parts: TaskServiceParts) {
    this.#parts = parts;
    const hooks = hooksOf(parts.options, parts.engine.hooks);
    this.#admission = createAdmission(parts.options, hooks);
    this.#push = new PushOperations(hooks, this.#admission.scope);
    this.#reuse = createReuseWatch(parts.engine, parts.options, parts.log);
  }

  async sendMessage(request: SendMessageRequest, call: Call): Promise<Payload<SendMessageResponse>> {
    const found = this.#isAdmittedAtOnce(request, call) ? undefined : await this.#find(request, call);
    const admitted = this.#admission.message(request, call, found);
    const answer = await this.#accept(admitted);
    if (answer.reply !== undefined) return payloadOfReply(answer.reply, answer.message);
    const isAwaited = request.configuration?.returnImmediately !== true;
    const task = await this.#answerOf(admitted, answer, isAwaited ? call : undefined);
    return payloadOfJson(`{"task":${task.json}}`);
  }

  async sendStreamingMessage(request: SendMessageRequest, call: Call): Promise<EventStream> {
    this.#requireStreaming();
    const found = this.#isAdmittedAtOnce(request, call) ? undefined : await this.#find(request, call);
    const admitted = this.#admission.message(request, call, found);
    const answer = await this.#accept(admitted);
    if (answer.reply !== undefined) return oneEvent(`{"message":${answer.reply}}`);
    return this.#parts.engine.subscribe(admitted.scope, answer.taskId, {
      until: "interrupted",
      afterSeq: answer.seq,
      historyLength: admitted.historyLength,
      lastEventId: call.lastEventId,
      signal: call.signal,
    });
  }

  async getTask(request: GetTaskRequest, call: Call): Promise<Payload<Task>> {
    admitHistoryLength("historyLength", request.historyLength);
    const scope = this.#admission.scope(request.tenant, call);
    return await this.#parts.engine.getTask(scope, request.id, shapeOf(request.historyLength));
  }

  async listTasks(request: ListTasksRequest, call: Call): Promise<Payload<ListTasksResponse>> {
    const scope = this.#admission.scope(request.tenant, call);
    return listTasks(this.#parts.engine, this.#parts.pageTokens, scope, request);
  }

  async cancelTask(request: CancelTaskRequest, call: Call): Promise<Payload<Task>> {
    this.#admission.extensions(call);
    const scope = this.#admission.scope(request.tenant, call);
    await this.#parts.engine.cancelTask(scope, request.id, request.metadata);
    return this.#parts.engine.getTask(scope, request.id, WHOLE);
  }

  async subscribeToTask(request: SubscribeToTaskRequest, call: Call): Promise<EventStream> {
    this.#requireStreaming();
    const scope = this.#admission.scope(request.tenant, call);
    return this.#parts.engine.subscribe(scope, request.id, {
      until: "terminal",
      lastEventId: call.lastEventId,
      signal: call.signal,
    });
  }

  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    call: Call,
  ): Promise<Payload<TaskPushNotificationConfig>> {
    return this.#push.create(request, call);
  }

  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: Call,
  ): Promise<Payload<TaskPushNotificationConfig>> {
    return this.#push.get(request, call);
  }

  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: Call,
  ): Promise<Payload<ListTaskPushNotificationConfigsResponse>> {
    return this.#push.list(request, call);
  }

  deleteTaskPushNotificationConfig(request: DeleteTaskPushNotificationConfigRequest, call: Call): Promise<void> {
    return this.#push.delete(request, call);
  }

  async getExtendedAgentCard(_request: GetExtendedAgentCardRequest, call: Call): Promise<Payload<AgentCard>> {
    return payloadOfValue(await findExtendedCard(this.#parts.options, this.#parts.card(), call.principal));
  }

  #isAdmittedAtOnce({ message }: SendMessageRequest, call: Call): boolean {
    return !hasLongTexts(message) && !this.#admission.needsExtendedSkills(message, call);
  }

  async #find({ message }: SendMessageRequest, call: Call): Promise<FoundForAdmission> {
    const { options, card } = this.#parts;
    const digested = hasLongTexts(message) ? await digestLongTexts(message) : undefined;
    if (!this.#admission.needsExtendedSkills(message, call)) return { digested };
    return { digested, extended: await findExtendedSkills(options, card(), call.principal) };
  }

  // No async function: of what is awaited on the way of every message, each costs a promise more.
  #accept(admitted: Admitted): Promise<Accepted> {
    const checked = this.#reuse.check(admitted);
    const accepting =
      checked === undefined ? this.#acceptChecked(admitted) : checked.then(() => this.#acceptChecked(admitted));
    const { onWork } = this.#parts;
    if (onWork === undefined) return accepting;
    return accepting.then((accepted) => this.#noteWork(admitted.scope, accepted, onWork));
  }

  #acceptChecked(admitted: Admitted): Promise<Accepted> {
    const { engine, options, newId } = this.#parts;
    const { scope, message, meta, dedupe, hook } = admitted;
    const { taskId, contextId } = message;
    const incoming = { message, meta };
    if (taskId !== undefined) {
      const { whileWorking } = options;
      return engine.addMessage({ scope, taskId, contextId, incoming, hook, dedupe, whileWorking });
    }
    if (options.onMessage !== undefined) return answerMessage(this.#parts, admitted);
    return engine.createTask({ scope, contextId: contextId ?? newId(), incoming, hook, dedupe });
  }

  /** Tells the host that work goes on after the answer, so that a serverless runtime lets it. */
  #noteWork(scope: Scope, accepted: Accepted, onWork: (done: Promise<void>) => void): Accepted {
    const { engine, signal } = this.#parts;
    if (accepted.reply === undefined) {
      onWork(engine.settled(scope, accepted.taskId, accepted.seq, signal).catch(() => undefined));
    }
    return accepted;
  }

  /** The Task that answers a send: as it stands, or when it is settled where a call waits for it. */
  #answerOf(admitted: Admitted, accepted: Accepted, waiting: Call | undefined): Promise<Payload<Task>> {
    const { blockingMs, engine } = this.#parts;
    const { scope, historyLength } = admitted;
    const shape = shapeOf(historyLength);
    if (waiting === undefined) return engine.getTask(scope, accepted.taskId, shape);
    if (blockingMs === undefined) return engine.settledTask(scope, accepted, shape, waiting.signal);
    return this.#settledWithin(blockingMs, scope, accepted, { shape, waiting });
  }

  async #settledWithin(
    blockingMs: number,
    scope: Scope,
    accepted: Accepted,
    { shape, waiting }: { readonly shape: TaskShape; readonly waiting: Call },
  ): Promise<Payload<Task>> {
    const { engine } = this.#parts;
    waiting.waitsUntil = performance.now() + blockingMs;
    const bound = AbortSignal.timeout(blockingMs);
    const signal = waiting.signal === undefined ? bound : AbortSignal.any([bound, waiting.signal]);
    try {
      return await engine.settledTask(scope, accepted, shape, signal);
    } catch (thrown) {
      // The operator's bound has passed: the caller gets the task as it stands, and polls.
      if (!bound.aborted) throw thrown;
      return await engine.getTask(scope, accepted.taskId, shape);
    }
  }

  #requireStreaming(): void {
    if (this.#parts.options.capabilities?.streaming !== false) return;
    throw new A2AError("UNSUPPORTED_OPERATION", "this agent does not stream; use SendMessage and GetTask", {
      metadata: { capability: "streaming" },
    });
  }
}

function payloadOfReply(reply: string, message: Message | undefined): Payload<SendMessageResponse> {
  const json = `{"message":${reply}}`;
  return message === undefined ? payloadOfJson(json) : { json, value: { message } };
}

const WHOLE: TaskShape = { artifacts: true };

function shapeOf(historyLength: number | undefined): TaskShape {
  return historyLength === undefined ? WHOLE : { historyLength, artifacts: true };
}

async function* oneEvent(json: string): EventStream {
  yield [streamEventOfJson(json)];
}

import type { AgentCard, AgentInterface, Task, TaskPushNotificationConfig } from "../model/gen/types.ts";
import { type Call, plainCall } from "../operations/call.ts";
import { A2AError, isLocalError, LocalError } from "../operations/errors.ts";
import type { Service } from "../operations/service.ts";
import { type Acceptance, type AcceptanceQuery, accepts } from "./accepts.ts";
import type { ArtifactHistory } from "./artifact-history.ts";
import type { Backoff } from "./backoff.ts";
import { buildSendRequest, requirePush } from "./build-send-request.ts";
import { type ClientClock, raceAbort, startDeadline } from "./client-clock.ts";
import type { ClientService } from "./client-service.ts";
import { composeMessage, type Sendable } from "./compose-message.ts";
import { isConnectionLoss, isNothingSent } from "./connect-failure.ts";
import { type ContextHandle, createContextHandle } from "./context-handle.ts";
import type { DiscoveredCard } from "./discover-card.ts";
import type { FollowPlan, Polling } from "./follow-task.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { normaliseCard } from "./normalise-card.ts";
import { openSend, openSubscription, type RunContext } from "./open-run.ts";
import {
  type CancelOptions,
  createMessageHandle,
  createTaskHandle,
  type HandleActions,
  type RefineOptions,
  type Reply,
  type TaskHandle,
  type Until,
  type WaitOptions,
} from "./reply.ts";
import type { Run } from "./run.ts";
import type { CallOptions, SendOptions } from "./send-options.ts";
import { createTaskList, type TaskFilter, type TaskList } from "./task-list.ts";

/** What `connect` gives to the client that it makes. */
export interface ClientParts {
  readonly discovered: DiscoveredCard;
  readonly createService: (discovered: DiscoveredCard, card: () => AgentCard) => ClientService;
  /** Fetches the card anew. */
  readonly rediscover: (signal: AbortSignal | undefined) => Promise<DiscoveredCard>;
  readonly hasCredentials: boolean;
  readonly extensions: readonly string[];
  readonly history: ArtifactHistory;
  readonly backoff: Backoff;
  readonly polling: Polling;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly warn: (sentence: string) => void;
}

/** What subscribing takes. */
export interface SubscribeOptions extends CallOptions {
  /** Default "interrupted": the run ends in INPUT_REQUIRED, too. */
  readonly until?: Until | undefined;
  /** The seq of the last event seen, where the task was followed before: goes on behind it (peers with event ids). */
  readonly lastEventId?: number | undefined;
}

/**
 * One agent, as its caller sees it. Made by `connect`. Safe to use concurrently; it holds no connection while nothing
 * is asked of it.
 */
export class Client implements AsyncDisposable {
  readonly #parts: ClientParts;
  readonly #actions: HandleActions;
  #discovered: DiscoveredCard;
  #card: AgentCard;
  #service: ClientService;

  /** Use `connect`. */
  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#discovered = parts.discovered;
    this.#card = frozenCopy(parts.discovered.card);
    this.#service = parts.createService(parts.discovered, () => this.#card);
    this.#actions = {
      send: (content, options) => this.send(content, options),
      refine: (task, content, options) => this.#refine(task, content, options),
      cancel: (id, options) => this.cancel(id, options),
      refresh: (id, options) => this.task(id, options),
      wait: (task, options) => this.#wait(task, options),
    };
  }

  /** The card in use: the public one, or the extended one after {@link extendedCard}. Frozen. */
  get card(): AgentCard {
    return this.#card;
  }

  /** How the public card was found and read; `text` is what its signatures hold for. */
  get discovered(): DiscoveredCard {
    return this.#discovered;
  }

  /** The interface in use. */
  get interface(): AgentInterface {
    return this.#service.interface();
  }

  /** The eleven operations as they are, with everything around them that this client does: credentials, retries, interceptors. */
  get service(): Service {
    return this.#service.service;
  }

  /**
   * Sends, and waits until the agent is done or needs something (unless `returnImmediately`).
   *
   * Not guaranteed: that the task has ended. An operator may bound the wait; then `wait` goes on.
   *
   * @throws LocalError UNREACHABLE, TIMEOUT, ABORTED; `metadata.messageId` where the message may have arrived
   * @throws A2AError what the agent answers, and INVALID_PARAMS or PUSH_NOTIFICATION_NOT_SUPPORTED before anything is sent
   * @see specification §3.1.1
   */
  async send(content: Sendable, options: SendOptions = {}): Promise<Reply> {
    const { request, extensions } = buildSendRequest(this.#card, content, options, this.#parts.newId);
    const { messageId } = request.message;
    try {
      const answer = await this.#within({ ...options, extensions }, `message ${messageId}`, (call) =>
        this.service.sendMessage(request, call),
      );
      const { task, message } = answer.value;
      if (message !== undefined) return createMessageHandle(frozenCopy(message), this.#actions);
      return this.#taskHandle(task);
    } catch (error) {
      throw withMessageId(error, messageId);
    }
  }

  /**
   * Sends, and gives what comes of it event by event. Where the agent does not stream, it is polled: the same run.
   *
   * @throws A2AError INVALID_PARAMS or PUSH_NOTIFICATION_NOT_SUPPORTED at once; everything else comes out of the run
   * @see specification §3.1.2
   */
  stream(content: Sendable, options: SendOptions = {}): Run {
    const { request, extensions } = buildSendRequest(this.#card, content, options, this.#parts.newId);
    const answered = request.message.taskId === undefined ? undefined : "first";
    const plan: FollowPlan = { stopsAtInput: true, stopsAtAuth: false, answered };
    return openSend(this.#runContext(), request, plan, { ...options, extensions });
  }

  /**
   * Follows a task that there is, from where it stands. Its state and artifacts come first, as events.
   *
   * @throws everything comes out of the run; TASK_NOT_FOUND for an unknown task
   * @see specification §3.1.6
   */
  subscribe(taskId: string, options: SubscribeOptions = {}): Run {
    return openSubscription(
      this.#runContext(),
      { taskId, stopsAtInput: options.until !== "terminal", stopsAtAuth: false },
      options,
    );
  }

  /**
   * Reads a task.
   *
   * @param options `historyLength`: messages of history, all that the agent keeps by default
   * @throws TASK_NOT_FOUND
   * @see specification §3.1.3
   */
  async task(
    taskId: string,
    options: CallOptions & { readonly historyLength?: number | undefined } = {},
  ): Promise<TaskHandle> {
    const { historyLength } = options;
    const request = { id: taskId, ...(historyLength === undefined ? {} : { historyLength }) };
    const { value } = await this.#within(options, `task ${taskId}`, (call) => this.service.getTask(request, call));
    return this.#taskHandle(value);
  }

  /** The tasks of this caller, newest status first; nothing is asked before it is iterated. @see specification §3.1.4 */
  tasks(filter: TaskFilter = {}): TaskList {
    return createTaskList(
      filter,
      async (request) =>
        (await this.#within(filter, "list of tasks", (call) => this.service.listTasks(request, call))).value,
      // Without artifacts a listed task says nothing about versions.
      (task) => createTaskHandle(frozenCopy(task), this.#actions),
    );
  }

  /** Cancels a task. @throws TASK_NOT_FOUND, TASK_NOT_CANCELABLE @see specification §3.1.5 */
  async cancel(taskId: string, options: CancelOptions = {}): Promise<TaskHandle> {
    const { metadata } = options;
    const request = { id: taskId, ...(metadata === undefined ? {} : { metadata }) };
    const { value } = await this.#within(options, `task ${taskId}`, (call) => this.service.cancelTask(request, call));
    return this.#taskHandle(value);
  }

  /** A context, with the versions of the artifacts that were seen in it. Asks nothing. */
  context(contextId: string): ContextHandle {
    return createContextHandle(contextId, this.#parts.history, {
      send: (content, options) => this.send(content, options),
      stream: (content, options) => this.stream(content, options),
      tasks: (filter) => this.tasks(filter),
    });
  }

  /**
   * Compares a message with the card, before anything is sent: skill, media types, channel, authentication, extensions.
   *
   * @throws INVALID_PARAMS for a message that is none
   */
  accepts(content: Sendable, query: AcceptanceQuery = {}): Acceptance {
    const message = composeMessage(content, {}, () => "unsent");
    const extensions = [...this.#parts.extensions, ...(query.extensions ?? [])];
    return accepts(this.#card, message, { hasCredentials: this.#parts.hasCredentials, ...query, extensions });
  }

  /** Registers a webhook; one with the id of another replaces it. @throws PUSH_NOTIFICATION_NOT_SUPPORTED @see specification §3.1.7 */
  async createPushConfig(
    taskId: string,
    config: Omit<TaskPushNotificationConfig, "taskId" | "tenant">,
    options: CallOptions = {},
  ): Promise<TaskPushNotificationConfig> {
    requirePush(this.#card);
    const { value } = await this.#within(options, `webhook of task ${taskId}`, (call) =>
      this.service.createTaskPushNotificationConfig({ ...config, taskId }, call),
    );
    return frozenCopy(value);
  }

  /** One webhook of a task. @throws PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND @see specification §3.1.8 */
  async pushConfig(taskId: string, id: string, options: CallOptions = {}): Promise<TaskPushNotificationConfig> {
    requirePush(this.#card);
    const { value } = await this.#within(options, `webhook ${id}`, (call) =>
      this.service.getTaskPushNotificationConfig({ taskId, id }, call),
    );
    return frozenCopy(value);
  }

  /** All webhooks of a task, all pages. @throws PUSH_NOTIFICATION_NOT_SUPPORTED @see specification §3.1.9 */
  async pushConfigs(taskId: string, options: CallOptions = {}): Promise<readonly TaskPushNotificationConfig[]> {
    requirePush(this.#card);
    const found: TaskPushNotificationConfig[] = [];
    const used = new Set<string>();
    for (let pageToken = ""; ; ) {
      const request = { taskId, ...(pageToken === "" ? {} : { pageToken }) };
      const { value } = await this.#within(options, `webhooks of task ${taskId}`, (call) =>
        this.service.listTaskPushNotificationConfigs(request, call),
      );
      found.push(...(value.configs ?? []));
      pageToken = value.nextPageToken ?? "";
      if (pageToken === "" || used.has(pageToken)) return frozenCopy(found);
      used.add(pageToken);
    }
  }

  /** Removes a webhook; removing it again is no error. @throws PUSH_NOTIFICATION_NOT_SUPPORTED @see specification §3.1.10 */
  async deletePushConfig(taskId: string, id: string, options: CallOptions = {}): Promise<void> {
    requirePush(this.#card);
    await this.#within(options, `webhook ${id}`, (call) =>
      this.service.deleteTaskPushNotificationConfig({ taskId, id }, call),
    );
  }

  /**
   * Fetches the card for authenticated callers and uses it from now on, until {@link refreshCard}.
   *
   * @throws UNSUPPORTED_OPERATION before anything is sent when the card does not declare one
   * @throws EXTENDED_AGENT_CARD_NOT_CONFIGURED, UNAUTHENTICATED, INVALID_AGENT_RESPONSE
   * @see specification §3.1.11
   */
  async extendedCard(options: CallOptions = {}): Promise<AgentCard> {
    if (this.#card.capabilities.extendedAgentCard !== true) {
      throw new A2AError(
        "UNSUPPORTED_OPERATION",
        `${this.#card.name} has no extended card (capabilities.extendedAgentCard)`,
      );
    }
    const { value } = await this.#within(options, "extended card", (call) =>
      this.service.getExtendedAgentCard({}, call),
    );
    this.#card = frozenCopy(await this.#readExtended(value));
    return this.#card;
  }

  /**
   * Asks whether the card has changed, and uses the new one: another interface, too, where the card now prefers one.
   * What is under way goes on over the old one.
   *
   * @throws as `connect`; the client then stays as it was
   */
  async refreshCard(options: CallOptions = {}): Promise<AgentCard> {
    const deadline = startDeadline(this.#parts.clock, options, "card");
    try {
      const discovered = await this.#parts.rediscover(deadline.signal);
      const isMoved =
        JSON.stringify(discovered.card.supportedInterfaces) !==
        JSON.stringify(this.#discovered.card.supportedInterfaces);
      if (isMoved) this.#service = this.#parts.createService(discovered, () => this.#card);
      this.#discovered = discovered;
      this.#card = frozenCopy(discovered.card);
      return this.#card;
    } finally {
      deadline.dispose();
    }
  }

  /** Lets go what transports hold open (gRPC); those over HTTP hold nothing. What is under way breaks off. */
  close(): Promise<void> {
    return this.#service.close();
  }

  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #readExtended(json: unknown): Promise<AgentCard> {
    try {
      const { card, warnings } = await normaliseCard(json, this.#discovered.url);
      for (const sentence of warnings) this.#parts.warn(sentence);
      return card;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : "unreadable";
      throw new A2AError("INVALID_AGENT_RESPONSE", `the agent did not answer with an AgentCard: ${why}`, { cause });
    }
  }

  async #refine(task: TaskHandle, content: Sendable, options: RefineOptions): Promise<Reply> {
    const { artifact, ...rest } = options;
    const message = composeMessage(content, rest, this.#parts.newId);
    const refined = artifact === undefined ? undefined : task.artifact(artifact);
    if (artifact !== undefined && refined === undefined) {
      const known = task.artifacts.map(({ name }) => name).join(", ") || "none";
      throw new LocalError("CONFIGURATION", `task ${task.id} has no artifact ${artifact}; it has ${known}`);
    }
    const named = refined === undefined ? undefined : { taskId: task.id, artifactId: refined.artifactId };
    const parts = message.parts.map((part) =>
      named === undefined ? part : { ...part, metadata: { ...part.metadata, ...named } },
    );
    const referenceTaskIds = [...new Set([task.id, ...(message.referenceTaskIds ?? [])])];
    // A new task: the old one is terminal or goes its own way.
    const { taskId: _, ...kept } = message;
    const { contextId = message.contextId } = task;
    return this.send({ ...kept, parts, referenceTaskIds, contextId }, { ...rest, taskId: undefined });
  }

  async #wait(task: TaskHandle, options: WaitOptions): Promise<TaskHandle> {
    const isEnough = task.isTerminal || (task.isInterrupted && options.until !== "terminal");
    if (isEnough) return task;
    const stops = options.until !== "terminal";
    const plan = { taskId: task.id, stopsAtInput: stops, stopsAtAuth: stops };
    const reply = await openSubscription(this.#runContext(), plan, options).result;
    if (reply.kind === "task") return reply;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the agent answered a subscription to task ${task.id} with a message`);
  }

  #taskHandle(task: Task): TaskHandle {
    this.#parts.history.record(task);
    return createTaskHandle(frozenCopy(task), this.#actions);
  }

  #runContext(): RunContext {
    const { backoff, polling, clock, random, warn, history } = this.#parts;
    return {
      service: this.service,
      canStream: this.#card.capabilities.streaming === true,
      call: callFor,
      actions: this.#actions,
      warn,
      backoff,
      polling,
      clock,
      random,
      onReply: (reply) => {
        if (reply.kind === "task") history.record(reply.raw);
      },
    };
  }

  async #within<T>(options: CallOptions, what: string, run: (call: Call) => Promise<T>): Promise<T> {
    const deadline = startDeadline(this.#parts.clock, options, what);
    try {
      return await raceAbort(run(callFor(options, deadline.signal)), deadline.signal);
    } finally {
      deadline.dispose();
    }
  }
}

function callFor(
  { extensions = [], headers }: CallOptions,
  signal: AbortSignal | undefined,
  lastEventId?: number,
): Call {
  return plainCall({ extensions, headers, signal, lastEventId });
}

/** Tells the caller what to send again, or to look for, after a send whose fate is not known. */
function withMessageId(error: unknown, messageId: string): unknown {
  if (!isLocalError(error) || !isConnectionLoss(error) || isNothingSent(error)) return error;
  return new LocalError(error.code, `${error.message}; whether message ${messageId} arrived is not known`, {
    metadata: { ...error.metadata, messageId },
    cause: error,
  });
}

import type {
  AgentCard,
  AgentInterface,
  SendMessageResponse,
  Task,
  TaskPushNotificationConfig,
} from "../model/gen/types.ts";
import { type Call, plainCall } from "../operations/call.ts";
import { A2AError } from "../operations/errors.ts";
import type { Payload } from "../operations/payload.ts";
import type { Service } from "../operations/service.ts";
import type { Acceptance, AcceptanceQuery } from "./accepts.ts";
import type { ArtifactHistory } from "./artifact-history.ts";
import type { Backoff } from "./backoff.ts";
import { buildSendRequest, requirePush } from "./build-send-request.ts";
import { type ClientClock, raceAbort, startDeadline } from "./client-clock.ts";
import type { ClientService } from "./client-service.ts";
import { composeMessage, type Sendable } from "./compose-message.ts";
import { composeRefinement } from "./compose-refinement.ts";
import { type ContextHandle, createContextHandle } from "./context-handle.ts";
import type { DiscoveredCard } from "./discover-card.ts";
import type { FollowPlan, Polling } from "./follow-task.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { normaliseCard } from "./normalise-card.ts";
import { openSend, openSubscription, type RunContext } from "./open-run.ts";
import type { PushFeed } from "./push-feed.ts";
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
import { sendAndWait } from "./send-and-wait.ts";
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
  /** Where events come from in place of a stream of the agent: a push receiver that the task sends to. */
  readonly from?: PushFeed | undefined;
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
   * An agent that answers with a task that still works is waited for by stream or polling, and so is one whose
   * connection was lost on the way, where the task can be found again.
   *
   * @throws LocalError UNREACHABLE, TIMEOUT, ABORTED; `metadata.messageId` where the message may have arrived
   * @throws A2AError what the agent answers, and INVALID_PARAMS or PUSH_NOTIFICATION_NOT_SUPPORTED before anything is sent
   * @see specification §3.1.1
   */
  async send(content: Sendable, options: SendOptions = {}): Promise<Reply> {
    const { request, extensions } = buildSendRequest(this.#card, content, options, this.#parts.newId);
    const full = { ...options, extensions };
    return this.#within(full, `message ${request.message.messageId}`, (call) => {
      const { signal } = call;
      const host = {
        service: this.service,
        mayRepeatSend: this.#service.mayRepeatSend,
        wrap: (answer: SendMessageResponse) => this.#reply(answer),
        follow: (taskId: string) => this.#follow(taskId, "interrupted", { ...full, signal, timeoutMs: undefined }),
        warn: this.#parts.warn,
      };
      return sendAndWait(host, request, call);
    });
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
    return this.#taskHandle(await this.#ask(options, `task ${taskId}`, this.service.getTask, request));
  }

  /** The tasks of this caller, newest status first; nothing is asked before it is iterated. @see specification §3.1.4 */
  tasks(filter: TaskFilter = {}): TaskList {
    return createTaskList(
      filter,
      (request) => this.#ask(filter, "list of tasks", this.service.listTasks, request),
      // Without artifacts a listed task says nothing about versions.
      (task) => createTaskHandle(frozenCopy(task), this.#actions),
    );
  }

  /** Cancels a task. @throws TASK_NOT_FOUND, TASK_NOT_CANCELABLE @see specification §3.1.5 */
  async cancel(taskId: string, options: CancelOptions = {}): Promise<TaskHandle> {
    const { metadata } = options;
    const request = { id: taskId, ...(metadata === undefined ? {} : { metadata }) };
    return this.#taskHandle(await this.#ask(options, `task ${taskId}`, this.service.cancelTask, request));
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
  async accepts(content: Sendable, query: AcceptanceQuery = {}): Promise<Acceptance> {
    const message = composeMessage(content, {}, () => "unsent");
    const extensions = [...this.#parts.extensions, ...(query.extensions ?? [])];
    const { accepts } = await import("./accepts.ts");
    return accepts(this.#card, message, { hasCredentials: this.#parts.hasCredentials, ...query, extensions });
  }

  /** Registers a webhook; one with the id of another replaces it. @throws PUSH_NOTIFICATION_NOT_SUPPORTED @see specification §3.1.7 */
  async createPushConfig(
    taskId: string,
    config: Omit<TaskPushNotificationConfig, "taskId" | "tenant">,
    options: CallOptions = {},
  ): Promise<TaskPushNotificationConfig> {
    requirePush(this.#card);
    const { createTaskPushNotificationConfig: create } = this.service;
    return frozenCopy(await this.#ask(options, `webhook of task ${taskId}`, create, { ...config, taskId }));
  }

  /** One webhook of a task. @throws PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND @see specification §3.1.8 */
  async pushConfig(taskId: string, id: string, options: CallOptions = {}): Promise<TaskPushNotificationConfig> {
    requirePush(this.#card);
    const { getTaskPushNotificationConfig: get } = this.service;
    return frozenCopy(await this.#ask(options, `webhook ${id}`, get, { taskId, id }));
  }

  /** All webhooks of a task, all pages. @throws PUSH_NOTIFICATION_NOT_SUPPORTED @see specification §3.1.9 */
  async pushConfigs(taskId: string, options: CallOptions = {}): Promise<readonly TaskPushNotificationConfig[]> {
    requirePush(this.#card);
    const found: TaskPushNotificationConfig[] = [];
    const used = new Set<string>();
    for (let pageToken = ""; ; ) {
      const request = { taskId, ...(pageToken === "" ? {} : { pageToken }) };
      const { listTaskPushNotificationConfigs: list } = this.service;
      const page = await this.#ask(options, `webhooks of task ${taskId}`, list, request);
      found.push(...(page.configs ?? []));
      pageToken = page.nextPageToken ?? "";
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
    const json = await this.#ask(options, "extended card", this.service.getExtendedAgentCard, {});
    this.#card = frozenCopy(await this.#readExtended(json));
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
    const { artifact: _, ...rest } = options;
    const message = composeRefinement(task, content, options, this.#parts.newId);
    return this.send(message, { ...rest, taskId: undefined });
  }

  async #wait(task: TaskHandle, options: WaitOptions): Promise<TaskHandle> {
    const isEnough = task.isTerminal || (task.isInterrupted && options.until !== "terminal");
    if (isEnough) return task;
    const reply = await this.#follow(task.id, options.until, options);
    if (reply.kind === "task") return reply;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the agent answered a subscription to task ${task.id} with a message`);
  }

  #follow(taskId: string, until: Until | undefined, options: CallOptions): Promise<Reply> {
    const stops = until !== "terminal";
    return openSubscription(this.#runContext(), { taskId, stopsAtInput: stops, stopsAtAuth: stops }, options).result;
  }

  #reply({ task, message }: SendMessageResponse): Reply {
    return message === undefined ? this.#taskHandle(task) : createMessageHandle(frozenCopy(message), this.#actions);
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

  /** One operation of the service; those are functions that need no `this`. */
  async #ask<Request, Value>(
    options: CallOptions,
    what: string,
    operation: (request: Request, call: Call) => Promise<Payload<Value>>,
    request: Request,
  ): Promise<Value> {
    return (await this.#within(options, what, (call) => operation(request, call))).value;
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

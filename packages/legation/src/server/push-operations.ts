/**
 * The four operations about webhooks of one agent.
 *
 * @see specification §3.1.7 to §3.1.10
 */
import type { Scope } from "../engine/engine.ts";
import type { Hooks, InlineHook } from "../engine/push-hooks.ts";
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "../model/gen/types.ts";
import type { Call } from "../operations/call.ts";
import { A2AError, invalidField } from "../operations/errors.ts";
import { type Payload, payloadOfValue } from "../operations/payload.ts";
import type { AgentOptions } from "./agent-options.ts";
import { hash128 } from "./request-hash.ts";

type ScopeOf = (tenant: string | undefined, call: Call) => Scope;

/**
 * What a webhook is told in: the version that whoever registers it speaks, and behind spaces the extensions that are
 * active for that call. To be asked when the scope of the call is known, which decides on them.
 */
function formOf({ version, activeExtensions = [] }: Call): string {
  return [version, ...activeExtensions].join(" ");
}

/** The webhooks of an agent; undefined where the host delivers none, or the agent wants none. */
export function hooksOf(options: AgentOptions, hooks: Hooks | undefined): Hooks | undefined {
  return options.capabilities?.pushNotifications === false ? undefined : hooks;
}

/** The error of everything about webhooks while the card does not declare them (§3.3.4). */
export function pushNotSupported(): A2AError {
  return new A2AError(
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    "this agent sends no push notifications; poll with GetTask or subscribe with SubscribeToTask",
  );
}

/**
 * The webhook that comes with a message, checked before anything is stored. One without an id gets the same id when the
 * message is sent again.
 *
 * @throws PUSH_NOTIFICATION_NOT_SUPPORTED, INVALID_PARAMS
 */
export function admitInlineHook(
  request: SendMessageRequest,
  call: Call,
  hooks: Hooks | undefined,
): InlineHook | undefined {
  const config = request.configuration?.taskPushNotificationConfig;
  if (config === undefined) return undefined;
  if (hooks === undefined) throw pushNotSupported();
  hooks.admit(config, "configuration.taskPushNotificationConfig.");
  const id = config.id ?? hash128(`webhook of ${request.message.messageId}`);
  return { config: { ...config, id }, version: formOf(call) };
}

/** The operations, on the webhooks of an agent. */
export class PushOperations {
  readonly #hooks: Hooks | undefined;
  readonly #scope: ScopeOf;

  constructor(hooks: Hooks | undefined, scope: ScopeOf) {
    this.#hooks = hooks;
    this.#scope = scope;
  }

  async create(request: TaskPushNotificationConfig, call: Call): Promise<Payload<TaskPushNotificationConfig>> {
    const hooks = this.#required();
    const { taskId, tenant } = request;
    if (taskId === undefined) throw invalidField("taskId", "is required: name the task whose updates are to be sent");
    const scope = this.#scope(tenant, call);
    return payloadOfValue(await hooks.put(scope, taskId, request, formOf(call)));
  }

  async get(request: GetTaskPushNotificationConfigRequest, call: Call): Promise<Payload<TaskPushNotificationConfig>> {
    const hooks = this.#required();
    return payloadOfValue(await hooks.get(this.#scope(request.tenant, call), request.taskId, request.id));
  }

  async list(
    request: ListTaskPushNotificationConfigsRequest,
    call: Call,
  ): Promise<Payload<ListTaskPushNotificationConfigsResponse>> {
    const hooks = this.#required();
    const { taskId, pageSize: size, pageToken: token } = request;
    const { configs, next } = await hooks.list(this.#scope(request.tenant, call), taskId, { size, token });
    const response: ListTaskPushNotificationConfigsResponse = { configs: [...configs] };
    if (next !== "") response.nextPageToken = next;
    return payloadOfValue(response);
  }

  async delete(request: DeleteTaskPushNotificationConfigRequest, call: Call): Promise<void> {
    const hooks = this.#required();
    await hooks.remove(this.#scope(request.tenant, call), request.taskId, request.id);
  }

  #required(): Hooks {
    if (this.#hooks === undefined) throw pushNotSupported();
    return this.#hooks;
  }
}

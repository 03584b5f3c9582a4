/**
 * The client side of the gRPC of 0.3, over a connection that the transport of 1.0 makes.
 *
 * @see specification of 0.3, §3.2.2, §7, and its `a2a.proto`
 */
import type { RpcChannel, RpcReading, RpcSchema } from "../../bindings/http/rpc-service.ts";
import { serviceOf } from "../../bindings/http/transport.ts";
import type { SendMessageRequest, TaskPushNotificationConfig } from "../../model/gen/types.ts";
import { isObject, type Loose } from "../../model/notes.ts";
import type { Call } from "../../operations/call.ts";
import { encodeExtensions } from "../../operations/extensions.ts";
import type { MethodName } from "../../operations/methods.ts";
import type { PeerWarning } from "../../operations/parse-answer.ts";
import { payloadOfValue } from "../../operations/payload.ts";
import type { Service } from "../../operations/service.ts";
import { canonicalRequest } from "./canonical-request.ts";
import { OLD_RPC } from "./gen/old-rpc.ts";
import { codeOfOldStatus } from "./old-error-codes.ts";
import { methodOfRpc, resourceName, rpcOf } from "./old-rpc-methods.ts";
import { OLD_VERSION } from "./old-words.ts";
import { notInOld, readOldAnswer, readOldEvent } from "./read-old-answer.ts";
import { lengthFor, writeOldRegistration, writeOldSend } from "./write-old-request.ts";

/** What the transport is made of. */
export interface OldRpcOptions {
  /** Opens the connection. */
  readonly open: (schema: RpcSchema, reading: RpcReading) => RpcChannel;
  readonly onWarning?: PeerWarning | undefined;
}

/**
 * A Service that calls an agent over the gRPC of 0.3. ListTasks, which it does not have, is UNSUPPORTED_OPERATION; the
 * metadata of CancelTask and the tenant have no place there and are not sent.
 */
export function createOldRpcTransport({ open, onWarning }: OldRpcOptions): Service & AsyncDisposable {
  const channel = open(OLD_RPC, {
    readEvent: (event) => readOldEvent(withStates(event), onWarning),
    codeOf(rpc, status, message) {
      const method = methodOfRpc(rpc);
      return method === undefined ? undefined : codeOfOldStatus(method, status, message);
    },
  });
  const service = serviceOf({
    async unary(method, request, call) {
      const answer = await carry(method, request, call, (rpc, message, old) => channel.unary(rpc, message, old));
      const value = readOldAnswer(method, request, withStates(answer), onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    stream: (method, request, call) =>
      carry(method, request, call, (rpc, message, old) => channel.stream(rpc, message, old)),
  });
  return Object.assign(service, { [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose]() });
}

/** Makes a call of 0.3 of one of 1.0, and notes what came of its extensions. */
async function carry<T>(
  method: MethodName,
  request: object,
  call: Call,
  send: (rpc: string, message: object, call: Call) => Promise<T>,
): Promise<T> {
  const rpc = rpcOf(method);
  if (rpc === undefined) throw notInOld(method);
  const extensions = call.extensions.length === 0 ? {} : { "x-a2a-extensions": encodeExtensions(call.extensions) };
  const old: Call = { ...call, version: OLD_VERSION, headers: { ...extensions, ...call.headers } };
  const result = await send(rpc, messageOf(method, canonicalRequest(method, request)), old);
  call.activeExtensions = old.activeExtensions;
  return result;
}

function messageOf(method: MethodName, request: object): Loose {
  const {
    id = "",
    taskId = "",
    historyLength,
  } = request as {
    readonly id?: string;
    readonly taskId?: string;
    readonly historyLength?: number;
  };
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return writeOldSend(request as SendMessageRequest, "proto");
    case "GetTask":
      return { name: resourceName(id), historyLength: lengthFor(historyLength) };
    case "CancelTask":
    case "SubscribeToTask":
      return { name: resourceName(id) };
    case "CreateTaskPushNotificationConfig":
      return writeOldRegistration(request as TaskPushNotificationConfig);
    case "ListTaskPushNotificationConfigs":
      return { parent: resourceName(taskId) };
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return { name: resourceName(taskId, id) };
    default:
      return {};
  }
}

/** The answer with its state said where it is `unknown`, which protobuf leaves out. */
function withStates(answer: object): object {
  const { task, statusUpdate, status } = answer as Loose;
  for (const holder of [task, statusUpdate, { status }]) {
    const found = isObject(holder) ? holder["status"] : undefined;
    if (isObject(found)) found["state"] ??= "TASK_STATE_UNSPECIFIED";
  }
  return answer;
}

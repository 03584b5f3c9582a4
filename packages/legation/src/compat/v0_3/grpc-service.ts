/**
 * The server side of the gRPC of 0.3: the service `a2a.v1.A2AService` beside that of 1.0, on the same port.
 *
 * @see specification of 0.3, §3.2.2, §3.3.2, §7, and its `a2a.proto`
 */
import type { RpcService } from "../../bindings/http/rpc-service.ts";
import { isMethodName } from "../../bindings/jsonrpc/names.ts";
import type { AgentCard } from "../../model/gen/types.ts";
import type { Loose } from "../../model/notes.ts";
import { A2AError, isA2AError } from "../../operations/errors.ts";
import { METHODS, type MethodName } from "../../operations/methods.ts";
import type { Service } from "../../operations/service.ts";
import { requestedVersion, versionNotSupported } from "../../operations/version.ts";
import { OLD_RPC } from "./gen/old-rpc.ts";
import { oldStatusOf } from "./old-error-codes.ts";
import { carryOutOld } from "./old-operations.ts";
import { methodOfRpc, parseResourceName, rpcOf } from "./old-rpc-methods.ts";
import { OLD_VERSION } from "./old-words.ts";
import { readOldRegistration } from "./read-old-registration.ts";
import { readOldRequest } from "./read-old-request.ts";
import { OLD_BINDINGS, writeOldAnswer } from "./serve-old-call.ts";
import { writeStreamResponse } from "./write-old.ts";
import { writeOldCard } from "./write-old-card.ts";

/**
 * The service of 0.3 of one agent. GetAgentCard gives the extended card where the agent has one, and the public one where
 * it has none, for that is the card that 0.3 then means.
 */
export function createOldRpcService(agent: { readonly service: Service; card(origin: string): AgentCard }): RpcService {
  const { service } = agent;
  return {
    schema: OLD_RPC,
    version: OLD_VERSION,
    extensionsHeader: "x-a2a-extensions",
    assertVersion(header) {
      const requested = requestedVersion(header);
      if (requested.version === OLD_VERSION) return;
      const hint = `${OLD_RPC.service} is the service of ${OLD_VERSION}, that of 1.0 is lf.a2a.v1.A2AService`;
      throw versionNotSupported(requested, [OLD_VERSION], hint);
    },
    async carryOut(rpc, request, { call, origin }) {
      const method = methodOfRpc(rpc);
      if (method === undefined) throw new A2AError("METHOD_NOT_FOUND", `${rpc} is no method of 0.3`);
      const parsed = readOldRequest(method, paramsOf(method, request as Loose));
      try {
        const value = await carryOutOld(service, method, parsed, call);
        return METHODS[method].kind === "stream" ? value : (writeOldAnswer(method, value, "proto") ?? {});
      } catch (thrown) {
        if (method !== "GetExtendedAgentCard" || !isA2AError(thrown, "UNSUPPORTED_OPERATION")) throw thrown;
        return writeOldCard(agent.card(origin), OLD_BINDINGS, "proto");
      }
    },
    writeEvent: (event) => writeStreamResponse(event, "proto"),
    statusOf: oldStatusOf,
    teach(name) {
      const called = isMethodName(name) ? rpcOf(name) : undefined;
      return called === undefined
        ? `see ${OLD_RPC.service} by reflection; 1.0 is lf.a2a.v1.A2AService with a2a-version: 1.0`
        : `it is called ${called} in ${OLD_VERSION}`;
    },
  };
}

/** The params that the same call has on JSON-RPC. */
function paramsOf(method: MethodName, request: Loose): Loose {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return request;
    case "GetTask":
      return { id: taskIn(request, "name"), historyLength: request["historyLength"] };
    case "CancelTask":
    case "SubscribeToTask":
      return { id: taskIn(request, "name") };
    case "CreateTaskPushNotificationConfig":
      return { ...readOldRegistration(request), taskId: taskIn(request, "parent") };
    case "ListTaskPushNotificationConfigs":
      return { id: taskIn(request, "parent") };
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return { id: taskIn(request, "name"), pushNotificationConfigId: parseResourceName(request["name"])?.configId };
    default:
      return {};
  }
}

function taskIn(request: Loose, field: string): string {
  const given = request[field];
  const ids = parseResourceName(given);
  if (ids !== undefined) return ids.taskId;
  const found = given === undefined ? "is required" : `${JSON.stringify(String(given).slice(0, 80))} names no task`;
  const description = `${found}; write tasks/{id}`;
  throw new A2AError("INVALID_PARAMS", `${field}: ${description}`, { violations: [{ field, description }] });
}

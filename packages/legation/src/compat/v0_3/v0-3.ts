import type { ClientCompat } from "../../client/connect.ts";
import { LocalError } from "../../operations/errors.ts";
import type { ServerCompat } from "../../server/server-compat.ts";
import { createOldRpcService } from "./grpc-service.ts";
import { createOldRpcTransport } from "./grpc-transport.ts";
import { createOldJsonRpcHandler } from "./jsonrpc-handler.ts";
import { createOldJsonRpcTransport } from "./jsonrpc-transport.ts";
import { OLD_VERSION } from "./old-words.ts";
import { oldPushShape } from "./push-shape.ts";
import { createOldRestHandler } from "./rest-handler.ts";
import { createOldRestTransport } from "./rest-transport.ts";
import { OLD_BINDINGS } from "./serve-old-call.ts";
import { hybridCard } from "./write-old-card.ts";

/** What it speaks by itself, and what only where the client has the binding for 1.0; by their names in a card. */
const HTTP_BINDINGS: readonly string[] = ["JSONRPC", "HTTP+JSON"];
const GRPC_BINDING = "GRPC";

/**
 * Speaks A2A 0.3 beside 1.0: give it to `serve` or to `connect` as `compat`.
 *
 * A host answers calls without a version, or of 0.3, at the same URL: JSON-RPC at the base path, HTTP+JSON below `/v1`,
 * gRPC, where the host has it, as `a2a.v1.A2AService`; its card serves both versions, and webhooks get what whoever registered them reads. The defaults of 0.3 hold there: a
 * send returns at once unless `blocking` is true, a history of length 0 is the whole one, AUTH_REQUIRED does not end a
 * wait, and a task that has ended can be resubscribed to. A client may call agents of 0.2 and 0.3 with it, over
 * gRPC where it has that for 1.0, too; an agent that speaks 1.0 is still called in 1.0.
 *
 * @returns one plug-in for both sides; it has no state
 * @see specification §3.6, appendix A.2
 */
export function v0_3(): ClientCompat & ServerCompat {
  return {
    versions: [OLD_VERSION, "0.2"],
    bindings: HTTP_BINDINGS,
    rpcBindings: [GRPC_BINDING],
    createTransport(context) {
      const {
        interface: { url, protocolBinding },
        fetch,
        warn,
        transport,
      } = context;
      const options = {
        url,
        fetch,
        onWarning: ({ field, description }: { readonly field: string; readonly description: string }) =>
          warn(`the agent sent ${field === "" ? "something odd" : field}: ${description}`),
      };
      if (protocolBinding === "JSONRPC") return createOldJsonRpcTransport(options);
      if (protocolBinding === "HTTP+JSON") return createOldRestTransport(options);
      if (protocolBinding === GRPC_BINDING && transport?.openRpc !== undefined) {
        const { openRpc } = transport;
        return createOldRpcTransport({
          open: (schema, reading) => openRpc(context, schema, reading),
          onWarning: options.onWarning,
        });
      }
      throw new LocalError("CONFIGURATION", `0.3 is spoken over ${OLD_BINDINGS.join(" and ")}, not ${protocolBinding}`);
    },
    card: (card) => hybridCard(card, OLD_BINDINGS),
    createHandler({ service, binding }) {
      const jsonRpc = createOldJsonRpcHandler(service, binding);
      const rest = createOldRestHandler(service, binding);
      return (request) => jsonRpc(request) ?? rest(request);
    },
    createRpcServices: (agent) => [createOldRpcService(agent)],
    pushShapes: { [OLD_VERSION]: oldPushShape },
  };
}

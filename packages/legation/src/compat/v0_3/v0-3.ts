import type { ClientCompat } from "../../client/connect.ts";
import { LocalError } from "../../operations/errors.ts";
import type { ServerCompat } from "../../server/server-compat.ts";
import { createOldJsonRpcHandler } from "./jsonrpc-handler.ts";
import { createOldJsonRpcTransport } from "./jsonrpc-transport.ts";
import { OLD_VERSION } from "./old-words.ts";
import { oldPushShape } from "./push-shape.ts";
import { createOldRestHandler } from "./rest-handler.ts";
import { createOldRestTransport } from "./rest-transport.ts";
import { OLD_BINDINGS } from "./serve-old-call.ts";
import { hybridCard } from "./write-old-card.ts";

/**
 * Speaks A2A 0.3 beside 1.0: give it to `serve` or to `connect` as `compat`.
 *
 * A host answers calls without a version, or of 0.3, at the same URL: JSON-RPC at the base path, HTTP+JSON below `/v1`;
 * its card serves both versions, and webhooks get what whoever registered them reads. The defaults of 0.3 hold there: a
 * send returns at once unless `blocking` is true, a history of length 0 is the whole one, AUTH_REQUIRED does not end a
 * wait, and a task that has ended can be resubscribed to. A client may call agents of 0.2 and 0.3 with it; an agent that
 * speaks 1.0 is still called in 1.0. There is no gRPC of 0.3.
 *
 * @returns one plug-in for both sides; it has no state
 * @see specification §3.6, appendix A.2
 */
export function v0_3(): ClientCompat & ServerCompat {
  return {
    versions: [OLD_VERSION, "0.2"],
    bindings: OLD_BINDINGS,
    createTransport({ interface: { url, protocolBinding }, fetch, warn }) {
      const options = {
        url,
        fetch,
        onWarning: ({ field, description }: { readonly field: string; readonly description: string }) =>
          warn(`the agent sent ${field === "" ? "something odd" : field}: ${description}`),
      };
      if (protocolBinding === "JSONRPC") return createOldJsonRpcTransport(options);
      if (protocolBinding === "HTTP+JSON") return createOldRestTransport(options);
      throw new LocalError("CONFIGURATION", `0.3 is spoken over ${OLD_BINDINGS.join(" and ")}, not ${protocolBinding}`);
    },
    card: (card) => hybridCard(card, OLD_BINDINGS),
    createHandler({ service, binding }) {
      const jsonRpc = createOldJsonRpcHandler(service, binding);
      const rest = createOldRestHandler(service, binding);
      return (request) => jsonRpc(request) ?? rest(request);
    },
    pushShapes: { [OLD_VERSION]: oldPushShape },
  };
}

import type { RpcChannel, RpcReading, RpcSchema } from "../bindings/http/rpc-service.ts";
import { createJsonRpcTransport } from "../bindings/jsonrpc/transport.ts";
import { createRestTransport } from "../bindings/rest/transport.ts";
import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import type { Service } from "../operations/service.ts";
import type { ClientFetch } from "./fetch-card.ts";

/** What a transport is made of. Headers, version, extensions and `Last-Event-ID` come with each call. */
export interface TransportContext {
  readonly interface: AgentInterface;
  readonly card: AgentCard;
  readonly fetch: ClientFetch;
  readonly warn: (sentence: string) => void;
}

/** Makes the Service that calls one interface. */
export interface TransportFactory {
  (context: TransportContext): Service;
  /**
   * Calls another service at the address of an interface, where the binding has services: by it a plug-in speaks
   * another version of the protocol over a connection that it cannot make itself.
   */
  readonly openRpc?: ((context: TransportContext, schema: RpcSchema, reading: RpcReading) => RpcChannel) | undefined;
}

/** The bindings that are always there, by their names in a card. */
export const HTTP_TRANSPORTS: Readonly<Record<string, TransportFactory>> = {
  JSONRPC: (context) => createJsonRpcTransport(httpOptions(context)),
  "HTTP+JSON": (context) => createRestTransport(httpOptions(context)),
};

function httpOptions({
  interface: { url, tenant },
  fetch,
  warn,
}: TransportContext): Parameters<typeof createRestTransport>[0] {
  return {
    url,
    tenant,
    fetch,
    onWarning: ({ field, description }) =>
      warn(`the agent sent ${field === "" ? "something odd" : field}: ${description}`),
  };
}

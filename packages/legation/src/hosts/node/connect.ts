/** Calls agents from Node: the client with every transport that is installed. */
import { installedTransports } from "../../bindings/grpc/grpc-transport.ts";
import type { AgentTarget } from "../../client/card-source.ts";
import type { Client } from "../../client/client.ts";
import { type ConnectOptions, connect as connectAnywhere } from "../../client/connect.ts";

/**
 * As `connect` of `legation/client`, with gRPC where @grpc/grpc-js is installed: an interface of the card that is gRPC
 * is used when it comes first. What `options.transports` names counts before that.
 *
 * @param target the base URL of an agent, the URL of its card, its card, or a source of cards
 * @param options as for `connect`
 * @throws LocalError, A2AError as `connect` does
 * @see specification §5.2, §8
 */
export function connect(target: AgentTarget, options: ConnectOptions = {}): Promise<Client> {
  return connectAnywhere(target, { ...options, transports: { ...installedTransports(), ...options.transports } });
}

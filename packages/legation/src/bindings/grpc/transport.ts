/**
 * The client side of the gRPC binding, over @grpc/grpc-js.
 *
 * @see specification §10
 */
import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { type PeerWarning, parseAnswer, parseStreamAnswer } from "../../operations/parse-answer.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { serviceOf, withTenant } from "../http/transport.ts";
import { Channel, type ChannelOptions, type OutgoingCall } from "./channel.ts";
import { decodeAnswer, encodeRequest } from "./codec.ts";
import { pathOf } from "./names.ts";

/** Settings of a transport. */
export interface GrpcTransportOptions extends ChannelOptions {
  /** The tenant of the interface; it goes with every request. */
  readonly tenant?: string | undefined;
  /** Told of what the agent gets wrong and we put right. */
  readonly onWarning?: PeerWarning | undefined;
}

/**
 * A Service that calls an agent over gRPC. The connection is made by the first call, and kept; disposing of the service
 * closes it.
 *
 * Nothing is retried. Answers are read leniently; errors that the agent sends are thrown as A2AError, everything else
 * that goes wrong as LocalError. Events have no `seq`: a stream that broke is resumed by a snapshot.
 *
 * @param options address, tenant, trust, limits
 * @throws LocalError CONFIGURATION, from the first call: @grpc/grpc-js is not installed, or the address is none
 */
export function createGrpcTransport(options: GrpcTransportOptions): Service & AsyncDisposable {
  const channel = new Channel(options);
  const service = serviceOf({
    async unary(method, request, call): Promise<Payload<unknown> | undefined> {
      const bytes = await channel.unary(outgoing(method, request), call);
      const value = parseAnswer(method, decodeAnswer(method, bytes), options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    async stream(method, request, call): Promise<EventStream> {
      const readEvent = (bytes: Buffer) => parseStreamAnswer(decodeAnswer(method, bytes), options.onWarning);
      return await channel.stream({ ...outgoing(method, request), readEvent }, call);
    },
  });
  function outgoing(method: MethodName, request: object): OutgoingCall {
    try {
      return { path: pathOf(method), bytes: encodeRequest(method, withTenant(request, options.tenant)) };
    } catch (thrown) {
      throw A2AError.from(thrown);
    }
  }
  return Object.assign(service, { [Symbol.asyncDispose]: () => channel.close() });
}

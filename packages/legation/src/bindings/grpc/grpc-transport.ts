/** Puts gRPC among the transports of a client. */
import type { Service } from "../../operations/service.ts";
import type { RpcChannel, RpcReading, RpcSchema } from "../http/rpc-service.ts";
import { createForeignChannel } from "./foreign-channel.ts";
import { isGrpcInstalled } from "./load-grpc.ts";
import { GRPC_BINDING } from "./names.ts";
import { createGrpcTransport, type GrpcTransportOptions } from "./transport.ts";

/** What `connect` gives a transport to be made of, as far as this one uses it. */
export interface GrpcTransportContext {
  readonly interface: { readonly url: string; readonly tenant?: string | undefined };
  readonly warn: (sentence: string) => void;
}

/** Makes the Service that calls one interface. */
export interface GrpcTransportFactory {
  (context: GrpcTransportContext): Service;
  /** Calls another service at the address of an interface; for plug-ins that speak another version of the protocol. */
  readonly openRpc: (context: GrpcTransportContext, schema: RpcSchema, reading: RpcReading) => RpcChannel;
}

/** Trust and limits of {@link grpcTransport}. */
export type GrpcTransportSettings = Pick<
  GrpcTransportOptions,
  "plaintext" | "ca" | "rejectUnauthorized" | "maxResponseBytes"
>;

/**
 * The transport for `connect(url, { transports: { GRPC: grpcTransport() } })`. It needs @grpc/grpc-js, which is loaded
 * by the first call.
 *
 * @param settings TLS is used unless the address is of this machine, begins with http://, or `plaintext` is true
 */
export function grpcTransport(settings: GrpcTransportSettings = {}): GrpcTransportFactory {
  const create = ({ interface: { url, tenant }, warn }: GrpcTransportContext): Service =>
    createGrpcTransport({
      ...settings,
      url,
      tenant,
      onWarning: ({ field, description }) =>
        warn(`the agent sent ${field === "" ? "something odd" : field}: ${description}`),
    });
  const openRpc: GrpcTransportFactory["openRpc"] = ({ interface: { url } }, schema, reading) =>
    createForeignChannel({ ...settings, url }, schema, reading);
  return Object.assign(create, { openRpc });
}

/** The transports of this room that can be used here: none where @grpc/grpc-js is not installed. */
export function installedTransports(
  settings: GrpcTransportSettings = {},
): Readonly<Record<string, GrpcTransportFactory>> {
  return isGrpcInstalled() ? { [GRPC_BINDING]: grpcTransport(settings) } : {};
}

/** Puts gRPC among the transports of a client. */
import type { Service } from "../../operations/service.ts";
import { isGrpcInstalled } from "./load-grpc.ts";
import { GRPC_BINDING } from "./names.ts";
import { createGrpcTransport, type GrpcTransportOptions } from "./transport.ts";

/** What `connect` gives a transport to be made of, as far as this one uses it. */
export interface GrpcTransportContext {
  readonly interface: { readonly url: string; readonly tenant?: string | undefined };
  readonly warn: (sentence: string) => void;
}

/** Makes the Service that calls one interface. */
export type GrpcTransportFactory = (context: GrpcTransportContext) => Service;

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
  return ({ interface: { url, tenant }, warn }) =>
    createGrpcTransport({
      ...settings,
      url,
      tenant,
      onWarning: ({ field, description }) =>
        warn(`the agent sent ${field === "" ? "something odd" : field}: ${description}`),
    });
}

/** The transports of this room that can be used here: none where @grpc/grpc-js is not installed. */
export function installedTransports(
  settings: GrpcTransportSettings = {},
): Readonly<Record<string, GrpcTransportFactory>> {
  return isGrpcInstalled() ? { [GRPC_BINDING]: grpcTransport(settings) } : {};
}

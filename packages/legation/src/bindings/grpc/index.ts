// The face "./grpc": call agents over gRPC, and serve them on a port of its own.

export {
  type GrpcTransportContext,
  type GrpcTransportFactory,
  type GrpcTransportSettings,
  grpcTransport,
} from "./grpc-transport.ts";
export { createGrpcServer, type GrpcServer, type GrpcServerOptions } from "./server.ts";
export { createGrpcTransport, type GrpcTransportOptions } from "./transport.ts";

/**
 * Another service beside the one of 1.0 on the gRPC binding, as data and as functions of JSON: what a version of the
 * protocol that is spoken by a plug-in gives to the binding, which alone knows the wire. Nothing here needs Node.
 */
import type { StreamResponse } from "../../model/gen/types.ts";
import type { Call } from "../../operations/call.ts";
import type { ErrorCode, GrpcStatusName } from "../../operations/errors.ts";
import type { EventStream } from "../../operations/service.ts";

/** A service and its messages, as they are generated from a proto. */
export interface RpcSchema {
  /** Full name: `a2a.v1.A2AService`. */
  readonly service: string;
  /** What reflection calls the proto; no two services may share one. */
  readonly file: string;
  /** google.protobuf.FileDescriptorProto in base64. */
  readonly descriptor: string;
  readonly methods: Readonly<Record<string, RpcMethod>>;
  /** Enum → names by number, from 0 without a gap. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /**
   * Message → fields, each `number name`, then `:type` where it is no string, `[]` for a list, `{}` for a map from
   * strings, `|` for a member of the one oneof.
   */
  readonly messages: Readonly<Record<string, string>>;
}

/** What a method takes and gives, by the names of messages. */
export interface RpcMethod {
  readonly request: string;
  readonly answer: string;
  readonly kind: "unary" | "stream";
}

/** The server side of a service. Messages are objects in the form of their ProtoJSON, and come unvalidated. */
export interface RpcService {
  readonly schema: RpcSchema;
  /** The version that it serves, `Major.Minor`. */
  readonly version: string;
  /** The header that says which extensions are active, beside the one of 1.0. */
  readonly extensionsHeader?: string | undefined;
  /** Throws VERSION_NOT_SUPPORTED for an `a2a-version` that it does not serve. */
  assertVersion(header: string | undefined): void;
  /**
   * Carries out a method of the schema.
   *
   * @param origin where the caller called, `http://127.0.0.1:4000`
   * @returns the answer, or an {@link EventStream} of a method that streams
   */
  carryOut(
    method: string,
    request: object,
    context: { readonly call: Call; readonly origin: string },
  ): Promise<unknown>;
  /** One event of a stream as the message that the method answers with. */
  writeEvent(event: StreamResponse): object;
  /** The status of an error where it is another one than in 1.0. */
  statusOf(code: ErrorCode): GrpcStatusName | undefined;
  /** A hint for whoever calls a method that the service does not have: a clause for the message. */
  teach(method: string): string;
}

/** A service that is not served, and what whoever calls it is told. */
export type AbsentRpcService = Pick<RpcService, "schema" | "teach">;

/** The client side of a service, on one connection. */
export interface RpcChannel extends AsyncDisposable {
  /**
   * Calls a unary method.
   *
   * @returns the answer in the form of parsed JSON, not validated
   * @throws what the agent answers as A2AError, everything else as LocalError
   */
  unary(method: string, request: object, call: Call): Promise<object>;
  /** Calls a streaming method up to its first event. */
  stream(method: string, request: object, call: Call): Promise<EventStream>;
}

/** How the answers of a service are read. */
export interface RpcReading {
  /** Reads one event of a stream. @throws INVALID_AGENT_RESPONSE */
  readEvent(event: object): StreamResponse;
  /** The error of a status without details; undefined leaves it to the rules of 1.0. */
  codeOf(method: string, status: GrpcStatusName | undefined, message: string): ErrorCode | undefined;
}

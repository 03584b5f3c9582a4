/** What both HTTP bindings are told by the host. */
import type { JsonValue } from "../../model/json.ts";
import { ANONYMOUS, type Call, type Principal } from "../../operations/call.ts";
import type { A2AError } from "../../operations/errors.ts";
import type { HttpRequest } from "./exchange.ts";
import type { AbsentRpcService, RpcService } from "./rpc-service.ts";

/** One line for the log of the operator: never sent to a caller. */
export interface BindingLogEvent {
  readonly level: "warn" | "error";
  /** `jsonrpc` or `rest`. */
  readonly binding: string;
  /** The method or path that was called, as far as it was known. */
  readonly operation: string | undefined;
  /** What the caller was told; its `cause` is what happened. */
  readonly error: A2AError;
}

/** A method beside those of the protocol: what an extension brings. It checks its params itself. */
export type ExtraMethod = (params: object, call: Call) => Promise<JsonValue>;

/** Settings of a binding's handler. */
export interface HttpBindingOptions {
  /**
   * Tells who calls. Throws UNAUTHENTICATED or PERMISSION_DENIED. Absent: everybody is the anonymous owner. Not asked
   * where the host has already set `request.principal`.
   */
  readonly authenticate?: ((request: HttpRequest) => Promise<Principal>) | undefined;
  /** The value of WWW-Authenticate for a 401, made from the schemes of the card. Default `Bearer`. */
  readonly challenge?: ((error: A2AError, request: HttpRequest) => string) | undefined;
  /** Longest request body in bytes, default 10 MiB; a longer one is answered with 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Time between the comments that keep an idle stream open, default 15,000. */
  readonly heartbeatMs?: number | undefined;
  /** Protocol versions served, `Major.Minor`, best first; default 1.0 alone. */
  readonly versions?: readonly string[] | undefined;
  /** The tenants that exist; absent accepts any name, `""` is the one without. */
  readonly tenants?: readonly string[] | undefined;
  /** Finds a method that the protocol does not have, for JSON-RPC, which alone calls by name. */
  readonly extraMethod?: ((name: string) => ExtraMethod | undefined) | undefined;
  /** Further services on gRPC, which alone has services: other versions of the protocol. */
  readonly rpcServices?: readonly RpcService[] | undefined;
  /** Services on gRPC that callers may look for here, and do not find. */
  readonly absentRpcServices?: readonly AbsentRpcService[] | undefined;
  /** Told of every error that reveals nothing to the caller. */
  readonly log?: ((event: BindingLogEvent) => void) | undefined;
}

/** The longest body that is read unless the host says otherwise: guards against memory used up by one request. */
export const DEFAULT_MAX_BODY_BYTES: number = 10 * 1024 * 1024;

/** How often an idle stream gets a comment: shorter than the idle timeout of common proxies (60 s). */
export const DEFAULT_HEARTBEAT_MS = 15_000;

/**
 * Tells who calls.
 *
 * @throws UNAUTHENTICATED, PERMISSION_DENIED, and what the verifier throws
 */
export async function admit(request: HttpRequest, options: HttpBindingOptions): Promise<Principal> {
  return request.principal ?? (await options.authenticate?.(request)) ?? ANONYMOUS;
}

/** True where nobody is asked who they are: the one way that costs no promise. */
export function isOpen(request: HttpRequest, options: HttpBindingOptions): boolean {
  return options.authenticate === undefined && request.principal === undefined;
}

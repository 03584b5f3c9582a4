/**
 * The seam for what surrounds every operation on either side: telemetry, recording, policies.
 */
import type { Call } from "./call.ts";
import type { MethodName } from "./methods.ts";

/** What an interceptor sees of one operation. */
export interface Invocation {
  /** One of the eleven, or the JSON-RPC name of a method that an extension adds. */
  readonly method: MethodName | (string & Record<never, never>);
  readonly request: unknown;
  readonly call: Call;
}

/**
 * Wraps an operation. It must call `next` at most once, and may change what goes in, what comes out or what is thrown.
 * For streams `next` resolves when the first event is there; an interceptor may return an iterable that wraps it.
 */
export type Interceptor = (
  invocation: Invocation,
  next: (invocation: Invocation) => Promise<unknown>,
) => Promise<unknown>;

/** Puts interceptors around every operation of a service. */
import type { Call } from "./call.ts";
import type { Interceptor, Invocation } from "./interceptor.ts";
import { METHODS, type MethodName, type MethodRow } from "./methods.ts";
import type { Service } from "./service.ts";

type Operation = (request: never, call: Call) => Promise<unknown>;

/**
 * A service whose operations pass through interceptors, the first one outermost. Without interceptors it is the
 * service itself and costs nothing.
 *
 * @param service what is wrapped; on a server the implementation, on a client the transport
 * @param interceptors in the order in which a request meets them
 */
export function intercept(service: Service, interceptors: readonly Interceptor[]): Service {
  if (interceptors.length === 0) return service;
  const wrapped: Record<string, Operation> = {};
  for (const [method, row] of Object.entries(METHODS) as [MethodName, MethodRow][]) {
    wrapped[row.operation] = chain(service, method, row, interceptors);
  }
  return wrapped as unknown as Service;
}

function chain(service: Service, method: MethodName, row: MethodRow, interceptors: readonly Interceptor[]): Operation {
  return interceptOne(
    method,
    // Bound when it is called, so that a service may replace its own member.
    ({ request, call }) => (service[row.operation] as Operation).call(service, request as never, call),
    interceptors,
  );
}

/**
 * One operation, or a method of an extension, behind interceptors.
 *
 * @param method its name, as interceptors see it
 * @param carryOut what stands behind them all
 */
export function interceptOne(
  method: Invocation["method"],
  carryOut: (invocation: Invocation) => Promise<unknown>,
  interceptors: readonly Interceptor[],
): (request: unknown, call: Call) => Promise<unknown> {
  let run = carryOut;
  for (const interceptor of interceptors.toReversed()) {
    const next = run;
    run = (invocation) => interceptor(invocation, once(method, next));
  }
  return (request, call) => run({ method, request, call });
}

function once(
  method: string,
  next: (invocation: Invocation) => Promise<unknown>,
): (invocation: Invocation) => Promise<unknown> {
  let called = false;
  return async (invocation) => {
    if (called) throw new Error(`an interceptor called next twice for ${method}`);
    called = true;
    return next(invocation);
  };
}

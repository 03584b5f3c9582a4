/**
 * The names of methods on the gRPC binding: the path of a method, and what is meant by paths that are none.
 *
 * @see specification §5.3, §10.3
 */
import { METHODS, type MethodName } from "../../operations/methods.ts";

/** How a card names this binding (§4.4.6). */
export const GRPC_BINDING = "GRPC";

/** The full name of the service. */
export const GRPC_SERVICE = "lf.a2a.v1.A2AService";

const PREFIX = `/${GRPC_SERVICE}/`;

const BY_PATH: ReadonlyMap<string, MethodName> = new Map(
  (Object.keys(METHODS) as MethodName[]).map((method) => [PREFIX + method, method]),
);

/** The path of a method. */
export function pathOf(method: MethodName): string {
  return PREFIX + method;
}

/** The method of a path; undefined for a path that is not of this service. */
export function methodOfPath(path: string): MethodName | undefined {
  return BY_PATH.get(path);
}

/**
 * A hint for the caller of an unknown method.
 *
 * @param path as it came
 * @returns a clause for the message
 */
export function teachMethod(path: string): string {
  const [, service = "", name = ""] = path.split("/");
  const letters = name.slice(0, 80).toLowerCase();
  const meant = (Object.keys(METHODS) as MethodName[]).find((method) => method.toLowerCase() === letters);
  if (service === GRPC_SERVICE) return meant === undefined ? `see ${GRPC_SERVICE} by reflection` : `use ${meant}`;
  if (/^a2a\.v1(alpha)?\.A2AService$/.test(service)) {
    return `that is the service of 0.3; use ${GRPC_SERVICE}${meant === undefined ? "" : `/${meant}`} with a2a-version: 1.0`;
  }
  return `the service is ${GRPC_SERVICE}`;
}

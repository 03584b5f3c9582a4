/**
 * The HTTP face of one or more agents on one base path: the card, then JSON-RPC at the base itself, then the paths of
 * HTTP+JSON. One agent has the base path to itself; several have one each below it.
 */
import type { BindingHandler, HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import { restNotFound } from "../bindings/rest/handler.ts";
import { LocalError } from "../operations/errors.ts";

/** Answers every request; never rejects. */
export type TotalHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** An agent's handlers and where they stand. */
export interface Route {
  /** Path of the agent below the base path: `""` for the only one, else a slash and one segment. */
  readonly path: string;
  /** In the order in which they are asked. */
  readonly handlers: readonly BindingHandler[];
}

/** Makes the handler of all routes; what no route takes is answered with 404 in the shape of HTTP+JSON. */
export function createRouter(routes: readonly Route[]): TotalHandler {
  const only = routes.length === 1 && routes[0]?.path === "" ? routes[0] : undefined;
  const byPath = new Map(routes.map((route) => [route.path, route]));

  function ask(route: Route, request: HttpRequest): Promise<HttpResponse> {
    for (const handler of route.handlers) {
      const answer = handler(request);
      if (answer !== undefined) return answer;
    }
    return notFound(request);
  }

  return (request) => {
    if (only !== undefined) return ask(only, request);
    const end = request.path.indexOf("/", 1);
    const path = end === -1 ? request.path : request.path.slice(0, end);
    const route = byPath.get(path);
    return route === undefined ? notFound(request) : ask(route, below(request, path));
  };
}

/** The path of each of several agents: their names in lower case, with hyphens. */
export function agentPaths(names: readonly string[]): readonly string[] {
  if (names.length === 1) return [""];
  const paths = names.map(
    (name) =>
      `/${name
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
        .replaceAll(/^-|-$/g, "")}`,
  );
  const twice = paths.find((path, index) => path === "/" || paths.indexOf(path) !== index);
  if (twice === undefined) return paths.map((path) => encodeURI(path));
  throw new LocalError("CONFIGURATION", `two agents of this host would stand at ${twice}; give them names that differ`);
}

/** The tenant by which the card of an agent at this path names it to callers over a binding without paths. */
export function tenantOfPath(path: string): string {
  return decodeURI(path.slice(1));
}

async function notFound(request: HttpRequest): Promise<HttpResponse> {
  return restNotFound(request);
}

function below(request: HttpRequest, path: string): HttpRequest {
  return {
    method: request.method,
    origin: request.origin,
    path: request.path.slice(path.length) || "/",
    query: request.query,
    header: (name) => request.header(name),
    text: (maxBytes) => request.text(maxBytes),
    signal: request.signal,
    principal: request.principal,
    peer: request.peer,
  };
}

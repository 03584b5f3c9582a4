/** Serves the instruction agent as the interop kit wants it: two ports, and the card below each path that it may ask. */
import { createGrpcServer } from "../../../src/bindings/grpc/server.ts";
import type { HttpHandler, HttpRequest } from "../../../src/bindings/http/exchange.ts";
import { serve } from "../../../src/hosts/node/serve.ts";
import type { PeerServer } from "../peer.ts";
import { createInstructionAgent } from "./instruction-agent.ts";

/** The kit asks for the card below the address of a binding as the agents of other SDKs have it. */
const CARD_PREFIX = /^\/(?:jsonrpc|rest)(?=\/\.well-known\/)/;

/**
 * Starts the agent.
 *
 * @param ports 0 takes free ones
 */
export async function serveInstructions(ports: { readonly http: number; readonly grpc: number }): Promise<PeerServer> {
  // What the port is, is known only when there is a service to serve on it, and for that the agent must be mounted.
  let grpcAddress = `127.0.0.1:${ports.grpc}`;
  const host = await serve(createInstructionAgent(), {
    port: ports.http,
    log: false,
    wrap: cardsBelowPaths,
    // The kit listens for notifications on the machine that it runs the agents on.
    push: { allow: ["127.0.0.0/8", "::1/128"] },
    grpc: {
      get url() {
        return grpcAddress;
      },
    },
  });
  const [agent] = host.agents;
  if (agent === undefined) throw new Error("no agent is mounted");
  const grpc = await createGrpcServer(agent.service, { port: ports.grpc });
  grpcAddress = grpc.address;
  return {
    url: host.url,
    async close() {
      await Promise.all([grpc.close({ graceMs: 0 }), host.close({ graceMs: 0 })]);
    },
  };
}

function cardsBelowPaths(handler: HttpHandler): HttpHandler {
  return (request) => {
    const path = request.path.replace(CARD_PREFIX, "");
    return handler(path === request.path ? request : atPath(request, path));
  };
}

function atPath(request: HttpRequest, path: string): HttpRequest {
  const { method, origin, query, principal, peer } = request;
  return {
    method,
    origin,
    path,
    query,
    principal,
    peer,
    header: (name) => request.header(name),
    text: (maxBytes) => request.text(maxBytes),
    get signal() {
      return request.signal;
    },
  };
}

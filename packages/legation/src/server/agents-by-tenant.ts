/**
 * Several agents behind one service, for a binding that has no path to tell them by: the tenant of a request names the
 * agent, and behind a slash the agent's own tenant, `planner` or `planner/acme`.
 *
 * @see specification §4.4.6 (AgentInterface.tenant)
 */
import { GRPC_SERVICE } from "../bindings/grpc/names.ts";
import type { HttpBindingOptions } from "../bindings/http/binding-options.ts";
import { requireKnownTenant } from "../bindings/http/tenants.ts";
import { invalidField } from "../operations/errors.ts";
import { METHODS } from "../operations/methods.ts";
import type { Service } from "../operations/service.ts";
import { PROTOCOL_VERSION } from "../operations/version.ts";
import type { MountedAgent } from "./mount.ts";
import { tenantOfPath } from "./router.ts";

/** What a binding is made of. */
export interface SharedBinding {
  readonly service: Service;
  readonly binding: HttpBindingOptions;
}

/**
 * Puts the agents of a host behind one service. A request that names none of them is refused with INVALID_PARAMS before
 * any agent hears of it.
 *
 * @param agents at least two, each with a path
 */
export function agentsByTenant(agents: readonly MountedAgent[]): SharedBinding {
  const byName = new Map(agents.map((agent) => [tenantOfPath(agent.path), agent]));
  const service: Record<string, (request: AnyRequest, call: unknown) => Promise<unknown>> = {};
  for (const { operation } of Object.values(METHODS)) {
    // Async, so that a refusal is a rejection like every other.
    service[operation] = async (request, call) => {
      const [agent, own] = chosen(byName, request);
      return (agent.service[operation] as (request: AnyRequest, call: unknown) => Promise<unknown>)(own, call);
    };
  }
  const { tenants: _known, extraMethod: _methods, rpcServices = [], ...shared } = agents[0]?.binding ?? {};
  return {
    service: service as unknown as Service,
    binding: {
      ...shared,
      // Other versions of the protocol name no tenant, and could mean any of them.
      absentRpcServices: rpcServices.map(({ schema, version }) => ({ schema, teach: () => teachPaths(version) })),
      // Who calls is asked before the request is read: which agent is meant is not known then.
      challenge: (error, request) =>
        [...new Set(agents.map(({ binding }) => binding.challenge?.(error, request) ?? "Bearer"))].join(", "),
    },
  };
}

/** What the caller of a service is told that names no tenant. */
function teachPaths(version: string): string {
  const here = `several agents share this port, and ${version} over gRPC cannot name one of them`;
  const there = `call ${version} over JSON-RPC or HTTP+JSON at the path of the agent`;
  return `${here}; ${there}, or ${GRPC_SERVICE} with a2a-version: ${PROTOCOL_VERSION} and the tenant that the agent card names`;
}

type AnyRequest = { readonly tenant?: string | undefined };

function chosen(byName: ReadonlyMap<string, MountedAgent>, request: AnyRequest): readonly [MountedAgent, AnyRequest] {
  const { tenant = "", ...rest } = request;
  const cut = tenant.indexOf("/");
  const agent = byName.get(cut === -1 ? tenant : tenant.slice(0, cut));
  if (agent === undefined) {
    const what = tenant === "" ? "is missing" : `${JSON.stringify(tenant.slice(0, 100))} is no agent of this port`;
    throw invalidField("tenant", `${what}; send the tenant of the interface in the agent card`);
  }
  const own = cut === -1 ? "" : tenant.slice(cut + 1);
  requireKnownTenant(own, agent.binding.tenants);
  return [agent, own === "" ? rest : { ...rest, tenant: own }];
}

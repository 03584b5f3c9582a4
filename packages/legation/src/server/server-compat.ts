import type { HttpBindingOptions } from "../bindings/http/binding-options.ts";
import type { HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import type { RpcService } from "../bindings/http/rpc-service.ts";
import type { PushShape } from "../engine/push-options.ts";
import type { AgentCard } from "../model/gen/types.ts";
import type { Service } from "../operations/service.ts";

/** Serves another version of the protocol beside 1.0, at the same addresses; a plug-in. */
export interface ServerCompat {
  /** The card that a caller of either version reads; the one given where there is nothing to add. */
  card(card: AgentCard): AgentCard;
  /**
   * Makes the handler of one agent, which is asked before the bindings of 1.0.
   *
   * @returns undefined, at once, for every request that is not of its version
   */
  createHandler(agent: {
    readonly service: Service;
    readonly binding: HttpBindingOptions;
  }): (request: HttpRequest) => Promise<HttpResponse> | undefined;
  /** Makes the services that one agent offers on gRPC beside that of 1.0, where its host serves gRPC. */
  createRpcServices?(agent: {
    readonly service: Service;
    /** The card as a caller at this origin sees it. */
    card(origin: string): AgentCard;
  }): readonly RpcService[];
  /** Forms of what webhooks get, by the version that whoever registered them speaks. */
  readonly pushShapes: Readonly<Record<string, PushShape>>;
}

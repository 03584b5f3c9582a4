/** Agents that let nobody in whom nobody has told apart. */
import type { HttpBindingOptions } from "../bindings/http/binding-options.ts";
import { A2AError } from "../operations/errors.ts";
import type { AgentOptions } from "./agent-options.ts";

/**
 * What authenticates the callers of an agent where the application in front does that: nobody else gets in. For an
 * agent whose card asks for nothing it is undefined, and everybody gets in.
 *
 * Without it an application that forgot to name the caller would serve a locked agent to the world.
 *
 * @see specification §7.4
 */
export function callerRequired({ securityRequirements = [] }: AgentOptions): HttpBindingOptions["authenticate"] {
  // An empty requirement among several is the permission to come without credentials.
  const isOpen = securityRequirements.some(({ schemes }) => Object.keys(schemes ?? {}).length === 0);
  if (isOpen || securityRequirements.length === 0) return undefined;
  return async () => {
    throw new A2AError("UNAUTHENTICATED", "this agent needs credentials; its card says which");
  };
}

import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import type { A2AError } from "../operations/errors.ts";
import type { MethodName } from "../operations/methods.ts";

/** What credentials are asked for. */
export interface CredentialRequest {
  /** Says what the agent demands: `securityRequirements`, `securitySchemes`, and those of each skill. */
  readonly card: AgentCard;
  /** Where they will be sent. The card chose this address: look at it before a secret goes there. */
  readonly interface: AgentInterface;
  readonly method: MethodName;
  /** Set when the credentials given before were refused; the call is made once more when other ones are given. */
  readonly rejected: A2AError | undefined;
}

/**
 * Gives the headers that authenticate one call, lower-case names; undefined for none. Asked before every call, so it
 * should keep what it fetches.
 *
 * @see specification §7.3
 */
export type Credentials = (
  request: CredentialRequest,
) => Promise<Readonly<Record<string, string>> | undefined> | Readonly<Record<string, string>> | undefined;

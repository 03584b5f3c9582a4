/** One check, and what it is given. */
import type { JsonObject } from "../model/json.ts";
import type { AgentFacts } from "./agent-facts.ts";
import type { RawReply } from "./raw-reply.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";
import type { Wire } from "./wire.ts";

/** An agent under test, over one of its bindings. */
export interface Probe {
  /** The interface that this run judges. */
  readonly wire: Wire;
  /** All interfaces, this one included: for checks that compare them. */
  readonly wires: readonly Wire[];
  /** The card as it came. */
  readonly card: JsonObject;
  readonly facts: AgentFacts;
  /** Aborts when the check takes too long. */
  readonly signal: AbortSignal;
  /** Fetches the card anew; undefined where it was given as a value. */
  readonly fetchCard: ((headers?: Readonly<Record<string, string>>) => Promise<RawReply>) | undefined;
  /** Receives webhooks; undefined where the runner has none. */
  readonly webhook: WebhookReceiver | undefined;
  /** A new id. */
  newId(): string;
}

/** What a check needs; where it is not there, the check is skipped with the reason. */
export type Need =
  | "rehearsal"
  | "streaming"
  | "no-streaming"
  | "push"
  | "no-push"
  | "extended-card"
  | "no-extended-card"
  | "required-extension"
  | "authentication"
  | "second-caller"
  | "several-bindings"
  | "webhook"
  | "card-url"
  | "jsonrpc"
  | "rest";

/** Verifies one or more requirements on an agent. */
export interface Check {
  /** Section and a name, `3.1.5/terminal`: what `only` and known-failures files name. */
  readonly id: string;
  /** What is judged, `MUST reject a terminal task`. */
  readonly title: string;
  /** Ids of the requirements that it verifies, at least one. */
  readonly verifies: readonly string[];
  readonly needs?: readonly Need[] | undefined;
  /** "agent": once, whatever the bindings, as it looks at the card. Default: once per binding. */
  readonly once?: boolean | undefined;
  /**
   * Judges.
   *
   * @throws Mismatch when the agent does not satisfy it, Inapplicable when it cannot be brought into the needed state
   */
  run(probe: Probe): Promise<void>;
}

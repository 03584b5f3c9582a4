/**
 * What peers are known to do wrong, each with the smallest reproduction. A scenario named here must fail as described:
 * when it passes, the test turns red, and the entry goes.
 */
import type { Binding, Scenario } from "./scenario.ts";

/** Which side of a pair the peer is. */
export type Role = "client" | "server";

/** One fault of a peer. */
export interface KnownFault {
  readonly peer: string;
  readonly role: Role;
  readonly bindings: readonly Binding[];
  readonly scenarios: readonly Scenario[];
  /** How the failure must read, so that another one is not taken for it. */
  readonly shows: RegExp;
  /** What the peer does, against which clause. */
  readonly fault: string;
  /** How to see it without this project. */
  readonly reproduction: string;
}

/** All known faults. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    peer: "a2a-go",
    role: "client",
    bindings: ["JSONRPC"],
    scenarios: ["refused"],
    shows: /ended: 'none'.*lost: 'none'/s,
    fault:
      "An error that is answered in place of a stream is lost over JSON-RPC: a body of application/json is searched " +
      "for lines of events, has none, and the stream ends as if all were well. A subscription to an ended task is " +
      "refused before any stream (§3.1.6), and so is an unknown task.",
    reproduction:
      "a server that answers every POST with 200, `Content-Type: application/json` and " +
      '`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`; `client.SubscribeToTask` yields nothing, ' +
      "no error either.",
  },
  {
    peer: "a2a-go",
    role: "server",
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    scenarios: ["refused"],
    shows: /ended: 'TASK_NOT_FOUND'.*lost: 'TASK_NOT_FOUND'/s,
    fault: "SubscribeToTask of a task that has ended is TASK_NOT_FOUND, not UNSUPPORTED_OPERATION (§3.1.6).",
    reproduction:
      "complete a task of `a2asrv.NewHandler` with the store in memory, `GetTask` it, then `SubscribeToTask` it.",
  },
];

/** The fault that explains why a scenario fails, if one is known. */
export function findFault(peer: string, role: Role, binding: Binding, scenario: Scenario): KnownFault | undefined {
  return KNOWN_FAULTS.find(
    (known) =>
      known.peer === peer &&
      known.role === role &&
      known.bindings.includes(binding) &&
      known.scenarios.includes(scenario),
  );
}

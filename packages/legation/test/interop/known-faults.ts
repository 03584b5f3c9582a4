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
    bindings: ["GRPC"],
    scenarios: ["list"],
    shows: /pageSize: must be 1 to 100, got 0/,
    fault:
      "ListTasks without a page size is sent over gRPC with page_size present and 0, although the field has presence " +
      "and 0 is outside 1 to 100 (§3.1.4). Over JSON-RPC and HTTP+JSON it is left out.",
    reproduction:
      "`pbconv.ToProtoListTasksRequest(&a2a.ListTasksRequest{})` gives a message whose `PageSize` is a pointer to 0, not nil.",
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

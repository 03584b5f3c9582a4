/**
 * Known failures: checks that are expected to fail. Their result is inverted, so that the list cannot grow old: one that
 * passes, that was not run or that does not exist is a failure of the list.
 */
import { LocalError } from "../operations/errors.ts";
import { CHECKS } from "./checks.ts";
import type { ConformanceResult } from "./run-conformance.ts";

/** One line of the list. */
export interface KnownFailure {
  readonly check: string;
  /** Undefined: on every binding. */
  readonly binding: string | undefined;
}

/**
 * Reads a list: one `check-id` or `check-id binding` a line, `#` begins a comment.
 *
 * @param checks that there are; those of agents by default, `CLIENT_RULES` for a list about a client
 * @throws LocalError CONFIGURATION that names the line, for a check that does not exist or a line of another form
 */
export function parseKnownFailures(
  text: string,
  checks: readonly { readonly id: string }[] = CHECKS,
): readonly KnownFailure[] {
  return text.split("\n").flatMap((line, index) => {
    const [check = "", binding, ...more] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (check === "") return [];
    const where = `known failures, line ${index + 1}`;
    if (!checks.some(({ id }) => id === check)) {
      throw new LocalError("CONFIGURATION", `${where}: there is no check ${check}; remove the line`);
    }
    if (
      more.length > 0 ||
      (binding !== undefined && !["jsonrpc", "rest", "grpc", "card", "client"].includes(binding))
    ) {
      throw new LocalError(
        "CONFIGURATION",
        `${where}: write the check, then jsonrpc, rest, grpc, card, client or nothing`,
      );
    }
    return [{ check, binding }];
  });
}

/**
 * Inverts the results of known failures.
 *
 * @param results of a run
 * @param known the list
 * @returns the results: a known failure that failed passes, with the failure as its reason; one that passed fails
 */
export function applyKnownFailures(
  results: readonly ConformanceResult[],
  known: readonly KnownFailure[],
): readonly ConformanceResult[] {
  return results.map((result) => {
    const isKnown = known.some(
      ({ check, binding }) => check === result.check && (binding === undefined || binding === result.binding),
    );
    if (!isKnown) return result;
    if (result.outcome === "fail") {
      const { expected, got, exchange: _exchange, ...rest } = result;
      return { ...rest, outcome: "pass", reason: `known failure: expected ${expected}, got ${got}` };
    }
    const how = result.outcome === "pass" ? "it passes" : `it is not run: ${result.reason}`;
    return { ...result, outcome: "fail", expected: "the known failure", got: `${how}; remove it from the list` };
  });
}

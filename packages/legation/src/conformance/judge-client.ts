/** Judges a client by what it asked for. */
import { CLIENT_RULES, type ClientRule, type ClientSetting, type RuleFinding } from "./client-rules.ts";
import { type ClientExchange, sortTraffic } from "./client-traffic.ts";
import { findRequirement } from "./requirements.ts";
import type { ConformanceResult } from "./run-conformance.ts";
import { titleOf } from "./section-titles.ts";

/**
 * Judges a client by its requests: one result per rule. A rule that nothing was seen of is skipped, with the reason;
 * what a client does inside itself is not judged.
 *
 * @param exchanges what was asked and answered, in order
 * @param setting what the card said that the client was given
 * @returns results as of an agent, for the same reports
 */
export function judgeClient(
  exchanges: readonly ClientExchange[],
  setting: ClientSetting,
): readonly ConformanceResult[] {
  const traffic = sortTraffic(exchanges);
  return CLIENT_RULES.map((rule) => ({
    check: rule.id,
    title: titleOf(rule),
    requirements: rule.verifies,
    level: levelOf(rule),
    binding: rule.binding ?? "client",
    ms: 0,
    ...verdictOf(rule.judge(traffic, setting)),
  }));
}

function verdictOf(
  found: RuleFinding,
): Pick<ConformanceResult, "outcome" | "reason" | "expected" | "got" | "exchange"> {
  if (found.kind === "kept") return { outcome: "pass" };
  if (found.kind === "unseen") return { outcome: "skipped", reason: found.reason };
  const { expected, got, exchange } = found;
  return { outcome: "fail", expected, got, exchange: shown(exchange) };
}

function levelOf({ verifies }: ClientRule): ConformanceResult["level"] {
  return verifies.some((id) => findRequirement(id)?.level === "MUST") ? "MUST" : "SHOULD";
}

function shown({ method, path, query, body, status, answer }: ClientExchange): string {
  const target = path + (query === "" ? "" : `?${query}`);
  return `${method} ${target}${body === "" ? "" : ` ${body.slice(0, 1_000)}`}\n${status} ${answer.slice(0, 1_000)}`;
}

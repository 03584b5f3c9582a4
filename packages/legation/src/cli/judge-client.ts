/** Serves the rehearsal agent to a client under test, and judges what the client did. */
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT_RULES } from "../conformance/client-rules.ts";
import type { ClientExchange } from "../conformance/client-traffic.ts";
import { judgeClient } from "../conformance/judge-client.ts";
import { applyKnownFailures } from "../conformance/known-failures.ts";
import { reportBadge } from "../conformance/report-badge.ts";
import type { ConformanceResult } from "../conformance/run-conformance.ts";
import { tallyOf } from "../conformance/tally.ts";
import { withGrpcFaults } from "../testing/grpc-faults.ts";
import { createRehearsalAgent } from "../testing/rehearsal-agent.ts";
import { type Fault, withFaults } from "../testing/rehearsal-faults.ts";
import { recordExchanges } from "./client-recorder.ts";
import type { CommandContext } from "./command.ts";
import { recordGrpcExchanges } from "./grpc-recorder.ts";
import { type Judgement, presentResults, readKnownFailures } from "./judge-agent.ts";
import { readFaults } from "./read-faults.ts";

/** Named in the card, so that a client that does not send it is seen. */
const TENANT = "judged";

/** What every stream suffers unless `--fault` says otherwise: it ends as if all were well while the task goes on. */
const USUAL_FAULTS: readonly Fault[] = [{ kind: "end", after: 2 }];

/**
 * Serves until `--for` has passed or a signal comes, then reports.
 *
 * @returns the verdict; a client that was never seen has failed
 */
export async function judgeClientOf(context: CommandContext): Promise<Judgement> {
  const { settings, messages, signal } = context;
  const known = readKnownFailures(context, CLIENT_RULES);
  const given = readFaults(context);
  const faults = given.length > 0 || settings.list("fault").includes("none") ? given : USUAL_FAULTS;
  const exchanges: ClientExchange[] = [];
  const rehearsal = createRehearsalAgent();
  const { serve } = await import("../hosts/node/serve.ts");
  const host = await serve(rehearsal.agent, {
    port: settings.count("port", 0, 65_535),
    host: settings.text("host"),
    store: "memory:",
    grpc: { wrap: (handler) => recordGrpcExchanges(withGrpcFaults(handler, { faults, byHeader: false }), exchanges) },
    tenants: ["", TENANT],
    // Outside: what the client got, which is all that it can be blamed by.
    wrap: (handler) => recordExchanges(withFaults(handler, { faults, byHeader: false }), exchanges),
  });
  const [mounted] = host.agents;
  if (mounted !== undefined) rehearsal.attach(mounted.service);
  const capabilities = mounted?.card(host.url).capabilities;
  await announce(context, `${host.url}/${TENANT}`);
  await sleep(settings.duration("for") ?? FOREVER_MS, undefined, { signal }).catch(() => undefined);
  await host.close({ graceMs: 0 });
  if (exchanges.length === 0) context.report.warn(messages.noClient);
  const all = judgeClient(exchanges, {
    tenant: TENANT,
    bindings: ["jsonrpc", "rest", "grpc"],
    push: capabilities?.pushNotifications === true,
    extendedCard: capabilities?.extendedAgentCard === true,
    breaksStreams: faults.some(({ kind }) => kind === "cut" || kind === "truncate" || kind === "end"),
  });
  const results = applyKnownFailures(chosen(context, all), known);
  await presentResults(context, results, { all: true });
  return { badge: reportBadge(results), failed: exchanges.length === 0 || tallyOf(results).failed > 0 };
}

/** What `--only` names, by id or section. */
function chosen({ settings }: CommandContext, results: readonly ConformanceResult[]): readonly ConformanceResult[] {
  const only = settings.list("only");
  if (only.length === 0) return results;
  return results.filter(({ check }) => only.some((wanted) => check === wanted || check.startsWith(`${wanted}/`)));
}

/** The longest that a timer can wait. */
const FOREVER_MS = 2_147_483_647;

/** On stdout where people read it; elsewhere stdout is for the report alone. */
async function announce({ settings, report, io }: CommandContext, url: string): Promise<void> {
  const line = `listening ${url}\n`;
  if (settings.text("output") === "text") await report.text(line);
  else io.err(line);
}

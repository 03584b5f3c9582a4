/** Runs the conformance checks against an agent, and reports. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Fetch, send } from "../bindings/http/outgoing.ts";
import { cardLocations } from "../client/discover-card.ts";
import { normaliseCard } from "../client/normalise-card.ts";
import { factsOf, probeableInterfaces } from "../conformance/agent-facts.ts";
import { findCard } from "../conformance/card-fetch.ts";
import { applyKnownFailures, parseKnownFailures } from "../conformance/known-failures.ts";
import type { BindingName } from "../conformance/raw-reply.ts";
import { reportBadge } from "../conformance/report-badge.ts";
import { reportJson } from "../conformance/report-json.ts";
import { reportJunit } from "../conformance/report-junit.ts";
import { textLine, textSummary } from "../conformance/report-text.ts";
import { type ConformanceOptions, type ConformanceResult, runConformance } from "../conformance/run-conformance.ts";
import { tallyOf } from "../conformance/tally.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { isLocalError } from "../operations/errors.ts";
import { pathOfReference, readCardFile } from "./card-reference.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { credentialHint, readExtras } from "./credentials.ts";
import { createHttpFetch, type HttpFetch, withQuery } from "./http-fetch.ts";
import { withoutControls } from "./text-output.ts";
import { listenForWebhooks, type WebhookListener } from "./webhook-listener.ts";

/** What became of a run. */
export interface Judgement {
  /** SVG. */
  readonly badge: string;
  /** True when a MUST is broken, or the list of known failures is old. */
  readonly failed: boolean;
}

const BINDINGS: Readonly<Record<string, BindingName>> = {
  jsonrpc: "jsonrpc",
  "json-rpc": "jsonrpc",
  rest: "rest",
  "http+json": "rest",
  http: "rest",
  grpc: "grpc",
};

/**
 * Judges the agent of `--agent-card`.
 *
 * @throws A usage error for options that make no sense, A2ACLI_ERR_CARD_NOT_FOUND, A2ACLI_ERR_UNREACHABLE
 */
export async function judgeAgent(context: CommandContext): Promise<Judgement> {
  const { settings, report, signal } = context;
  const known = readKnownFailures(context);
  const isInsecure = settings.flag("insecure");
  if (isInsecure) report.warn(context.messages.insecure);
  const target = await findTarget(context, createHttpFetch({ isInsecure, isPatient: false }));
  const { credentials, otherCredentials, fetch } = await callersOf(context, target.card, isInsecure);
  const webhook = await webhooksFor(context, target.card);
  const openGrpc = await grpcFor(context, target.card);
  try {
    const results = await runConformance({
      ...target,
      fetch: fetch as Fetch,
      signal,
      bindings: bindingsOf(context),
      only: settings.list("only"),
      timeoutMs: settings.duration("timeout"),
      credentials,
      otherCredentials,
      webhook,
      openGrpc,
      onResult: (result) => report.progress(textLine(result)),
    });
    signal.throwIfAborted();
    const judged = applyKnownFailures(results, known);
    await presentResults(context, judged, { all: report.options.verbose });
    return { badge: reportBadge(judged), failed: tallyOf(judged).failed > 0 };
  } catch (thrown) {
    if (isLocalError(thrown, "CONFIGURATION")) throw usageError(thrown.message);
    throw thrown;
  } finally {
    await webhook?.close();
  }
}

/** Says the results in the format that was asked for; what passed or was skipped as text only where `all` is wanted. */
export async function presentResults(
  { report, io, settings }: CommandContext,
  results: readonly ConformanceResult[],
  { all }: { readonly all: boolean },
): Promise<void> {
  if (settings.text("output") === "junit") return io.out(reportJunit(results));
  if (report.isJson) return report.json(JSON.stringify(JSON.parse(reportJson(results))));
  for (const result of results) {
    if (all || result.outcome === "fail") await report.text(`${withoutControls(textLine(result))}\n`);
  }
  await report.text(`${textSummary(results)}\n`);
}

interface Target {
  readonly url?: string | undefined;
  readonly card: JsonObject;
}

/** The card as it is, and its address, so that checks can ask for it again. */
async function findTarget(context: CommandContext, fetch: HttpFetch): Promise<Target> {
  const { settings, messages, io, signal } = context;
  const reference = settings.text("agent-card");
  if (reference === undefined) throw usageError(messages.noAgentCard, messages.howToNameAgent);
  const file = pathOfReference(reference, io);
  if (file === undefined) {
    const [first = ""] = cardLocations(reference);
    const found: Fetch = (url, init) => send(fetch as Fetch, url, init);
    return findCard(found, first.replace(/\/\.well-known\/agent-card\.json$/, ""), {}, signal);
  }
  const { json } = readCardFile(file, messages);
  if (!isJsonObject(json)) throw new CliError("A2ACLI_ERR_CARD_INVALID", messages.cardProblem("it is no JSON object"));
  return { card: json };
}

/** Undefined, with a warning where the card declares it, when the library of gRPC is not installed. */
async function grpcFor(
  { report, messages }: CommandContext,
  card: JsonObject,
): Promise<ConformanceOptions["openGrpc"]> {
  const isDeclared = probeableInterfaces(card).some(({ binding }) => binding === "grpc");
  if (!isDeclared) return undefined;
  const { isGrpcInstalled } = await import("../bindings/grpc/load-grpc.ts");
  if (!isGrpcInstalled()) {
    report.warn(messages.noGrpc);
    return undefined;
  }
  const { openGrpcWire } = await import("./grpc-wire.ts");
  return openGrpcWire;
}

type Headers = Readonly<Record<string, string>>;

interface Callers {
  readonly credentials: () => Promise<Headers>;
  readonly otherCredentials: (() => Promise<Headers>) | undefined;
  readonly fetch: HttpFetch;
}

async function callersOf(
  { settings, messages, report }: CommandContext,
  card: JsonObject,
  isInsecure: boolean,
): Promise<Callers> {
  // Read leniently for this alone: where credentials belong. The checks look at the card as it came.
  const readable = await normaliseCard(card).catch(() => undefined);
  const patient = createHttpFetch({ isInsecure, isPatient: true });
  const extras = readable === undefined ? undefined : readExtras(readable.card, settings, messages);
  for (const warning of extras?.warnings ?? []) report.warn(warning);
  if (readable !== undefined && extras?.hasCredential !== true && factsOf(card).authenticates) {
    // Every check would say the same: that the agent lets nobody in.
    const hint = credentialHint(readable.card, messages);
    throw new CliError("A2ACLI_ERR_CREDENTIALS_MISSING", messages.needsCredential, { hint });
  }
  const query = extras?.query ?? {};
  const other = settings.text("other-bearer");
  return {
    credentials: async () => extras?.headers ?? {},
    otherCredentials: other === undefined ? undefined : async () => ({ authorization: `Bearer ${other}` }),
    fetch: Object.keys(query).length === 0 ? patient : withQuery(patient, query),
  };
}

function bindingsOf({ settings, messages }: CommandContext): readonly BindingName[] | undefined {
  const given = settings.list("transport");
  if (given.length === 0) return undefined;
  return given.map((name) => {
    const binding = BINDINGS[name.toLowerCase()];
    if (binding === undefined) {
      throw usageError(messages.wrongValue("--transport", name, messages.oneOf(["jsonrpc", "rest", "grpc"])));
    }
    return binding;
  });
}

/** The list of `--known-failures`; empty without one. @throws A usage error that names file and line. */
export function readKnownFailures(
  { settings, io, messages }: CommandContext,
  checks?: readonly { readonly id: string }[],
): ReturnType<typeof parseKnownFailures> {
  const file = settings.text("known-failures");
  if (file === undefined) return [];
  const absolute = path.resolve(io.cwd, file);
  let text: string;
  try {
    text = readFileSync(absolute, "utf8");
  } catch (cause) {
    throw usageError(messages.unreadableFile(absolute, (cause as NodeJS.ErrnoException).code ?? ""));
  }
  try {
    return parseKnownFailures(text, checks);
  } catch (thrown) {
    throw usageError(`${file}: ${(thrown as Error).message}`);
  }
}

/** An agent of this machine can reach this process; another one only where the user says how. */
async function webhooksFor({ settings }: CommandContext, card: JsonObject): Promise<WebhookListener | undefined> {
  const publicUrl = settings.text("webhook-url");
  if (publicUrl !== undefined) return listenForWebhooks(publicUrl);
  const isLocal = /"url"\s*:\s*"(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/"]/.test(JSON.stringify(card));
  return isLocal ? listenForWebhooks() : undefined;
}

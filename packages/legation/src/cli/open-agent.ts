/** The agent that a command talks to: found, chosen how to reach, with credentials, a time limit and a debug log. */

import type { Client } from "../client/client.ts";
import type { AgentCard } from "../model/gen/types.ts";
import { type Call, plainCall } from "../operations/call.ts";
import { PROTOCOL_VERSION, parseVersion } from "../operations/version.ts";
import { pathOfReference, readCardFile } from "./card-reference.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { type RequestExtras, readExtras } from "./credentials.ts";
import { formatDuration } from "./duration.ts";
import { explainFailure } from "./explain-failure.ts";
import { createHttpFetch, type HttpFetch, withQuery } from "./http-fetch.ts";
import { type Caller, nextCommand } from "./next-command.ts";
import type { TaskFacts } from "./render-task.ts";
import { createRedact, loggingFetch } from "./wire-log.ts";

/** An agent that was found. */
export interface OpenAgent {
  readonly client: Client;
  readonly service: Client["service"];
  readonly card: AgentCard;
  /** The card as it came, before a lenient reading put anything right. */
  readonly receivedCard: unknown;
  readonly caller: Caller;
  /** Aborts on Ctrl-C, and when `--timeout` has run out. */
  readonly signal: AbortSignal;
  /** What travels beside a request. */
  call(): Call;
  /** Remembers what was last heard of the task, for whoever is told that the wait is over. */
  saw(facts: TaskFacts): void;
}

/** What a command knows better. */
export interface WithAgentOptions {
  /** Hints by code of the protocol. */
  readonly hints?: (caller: Caller) => Readonly<Record<string, string>>;
}

/**
 * Finds the agent of `--agent-card` and does something with it. What is thrown inside comes out as a
 * {@link CliError} that knows the card, the credentials and the task.
 */
export async function withAgent(
  context: CommandContext,
  options: WithAgentOptions,
  use: (agent: OpenAgent) => Promise<void>,
): Promise<void> {
  const { settings, messages, report } = context;
  const reference = settings.text("agent-card");
  if (reference === undefined) throw usageError(messages.noAgentCard, messages.howToNameAgent);
  const caller: Caller = { program: context.program, agentCard: reference };
  const timeoutMs = settings.duration("timeout");
  const timeout = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  let facts: TaskFacts | undefined;
  let card: AgentCard | undefined;
  let extras: RequestExtras | undefined;
  try {
    const opened = await openAgent(context, reference, signal);
    ({ card, extras } = opened);
    await use({
      ...opened,
      caller,
      signal,
      call: () => plainCall({ signal }),
      saw: (seen) => {
        if (facts?.taskId !== seen.taskId || facts.state !== seen.state) {
          report.progress(messages.waiting(seen.taskId, seen.state.replace(/^TASK_STATE_/, "")));
        }
        facts = seen;
      },
    });
  } catch (thrown) {
    if (context.signal.aborted) {
      report.warn(facts === undefined ? messages.interruptedBefore : messages.interrupted(nextCommand(caller, facts)));
      throw context.signal.reason;
    }
    if (timeout.signal.aborted) {
      const message = messages.timedOut(formatDuration(timeoutMs ?? 0), facts?.taskId);
      const hint = facts === undefined ? messages.useDebug : nextCommand(caller, facts);
      throw new CliError("A2ACLI_ERR_TIMEOUT", message, { hint, cause: thrown });
    }
    throw explainFailure(thrown, messages, {
      card,
      hasCredential: extras?.hasCredential,
      hints: options.hints?.(caller),
    });
  } finally {
    clearTimeout(timer);
  }
}

async function openAgent(
  context: CommandContext,
  reference: string,
  signal: AbortSignal,
): Promise<Pick<OpenAgent, "client" | "service" | "card" | "receivedCard"> & { readonly extras: RequestExtras }> {
  const { settings, report, io, messages } = context;
  const file = pathOfReference(reference, io);
  const cardFile = file === undefined ? undefined : readCardFile(file, messages).json;
  const isInsecure = settings.flag("insecure");
  if (isInsecure) report.warn(messages.insecure);
  // The card says where credentials belong, so they are known only after it was fetched: the log and the query look here.
  let extras: RequestExtras = {
    headers: {},
    query: {},
    secrets: rawSecrets(context),
    hasCredential: false,
    warnings: [],
  };
  const version = signalledVersion(context);
  const isOld = version !== undefined && isBeforeCurrent(version);
  const plain = createHttpFetch({ isInsecure, isPatient: false });
  const patient = createHttpFetch({ isInsecure, isPatient: true });
  // An agent that does not stream may take hours before the first byte of its answer.
  let isPatient = false;
  const intervalMs = settings.duration("poll-interval") ?? 2_000;
  const isFixed = settings.resolve("poll-interval")?.source !== "default";
  // Loaded here, so that help and arguments that make no sense do not wait for it.
  const { connect } = await import("../client/connect.ts");
  const { installedTransports } = await import("../bindings/grpc/grpc-transport.ts");
  const old = isOld ? { compat: (await import("../compat/v0_3/v0-3.ts")).v0_3(), versions: [version] } : {};
  const client = await connect(cardFile === undefined ? reference : (cardFile as AgentCard), {
    signal,
    fetch: (url, init) => dressed(isPatient ? patient : plain, extras, context)(url, init),
    headers: async () => ({ ...extras.headers, ...(version === undefined || isOld ? {} : { "a2a-version": version }) }),
    ...old,
    prefer: settings.list("transport").map(bindingName),
    transports: installedTransports({ rejectUnauthorized: !isInsecure }),
    polling: { intervalMs, maxMs: isFixed ? intervalMs : intervalMs * 5 },
    onWarning: (sentence) => report.debug(sentence),
  });
  const { card } = client;
  isPatient = card.capabilities.streaming !== true;
  extras = readExtras(card, settings, messages);
  report.debug(
    `interface ${client.interface.protocolBinding} ${client.interface.protocolVersion} at ${client.interface.url}`,
  );
  for (const warning of extras.warnings) report.warn(warning);
  if (extras.hasCredential && isInsecure) report.warn(messages.insecureCredential);
  else if (extras.hasCredential && isPlain(client.interface.url))
    report.warn(messages.plainCredential(client.interface.url));
  const { text } = client.discovered;
  const receivedCard: unknown = text === undefined ? cardFile : JSON.parse(text);
  return { client, service: client.service, card, receivedCard, extras };
}

function rawSecrets({ settings }: CommandContext): string[] {
  const parameters = settings.list("svc-param").map((entry) => entry.slice(entry.indexOf(":") + 1).trim());
  return [settings.text("bearer"), settings.text("api-key"), ...parameters].filter((text) => text !== undefined);
}

function dressed(base: HttpFetch, extras: RequestExtras, { report }: CommandContext): HttpFetch {
  const fetch = report.options.debug
    ? loggingFetch(
        base,
        (line) => report.debug(line),
        createRedact(extras.secrets),
        new Set(Object.keys(extras.headers)),
      )
    : base;
  // A credential in the query belongs to operations, and the request for a card is none.
  return Object.keys(extras.query).length === 0 ? fetch : withQuery(fetch, extras.query);
}

/**
 * The version to signal, where the user says one. One before 1.0, which is spoken only when it is asked for, comes
 * without its patch number; what is older has messages that this program does not speak.
 */
function signalledVersion({ settings, messages }: CommandContext): string | undefined {
  const version = settings.text("a2a-version");
  if (version === undefined) return undefined;
  const parsed = parseVersion(version);
  if (parsed === undefined || !isBeforeCurrent(parsed)) return version;
  if (OLD_VERSIONS.includes(parsed)) return parsed;
  throw new CliError("VersionNotSupportedError", messages.oldVersion(version), {
    hint: messages.noOldVersion,
    a2aCode: -32009,
  });
}

/** Versions before 1.0 that can be asked for. */
const OLD_VERSIONS: readonly string[] = ["0.2", "0.3"];

function isBeforeCurrent(version: string): boolean {
  return Number(version.split(".")[0]) < Number(PROTOCOL_VERSION.split(".")[0]);
}

const BINDINGS: Readonly<Record<string, string>> = {
  jsonrpc: "JSONRPC",
  "json-rpc": "JSONRPC",
  rest: "HTTP+JSON",
  http: "HTTP+JSON",
  "http+json": "HTTP+JSON",
  grpc: "GRPC",
};

function bindingName(typed: string): string {
  return BINDINGS[typed.toLowerCase()] ?? typed;
}

/** True for an address of another machine without TLS. */
function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Every option of every command, once: an option means the same wherever it is taken.
 *
 * @see a2a-cli specification §7.2
 */

/** What the table says of one option. */
export interface OptionSpec {
  readonly short?: string;
  /** Placeholder of its value; an option without one is on or off. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: boolean;
  /** First part of the environment variable that sets it too; absent where only a flag may (§7.2, §11.3). */
  readonly env?: "A2ACLI" | "LEGATION";
  /** The built-in default, as one would type it. */
  readonly fallback?: string;
  /** Never shown. */
  readonly secret?: boolean;
  /** Other spellings of the flag. */
  readonly aliases?: readonly string[];
  /** The only values. */
  readonly choices?: readonly string[];
}

/** The long flag of an option, without its dashes. */
export type OptionName =
  | "agent-card"
  | "output"
  | "stream"
  | "verbose"
  | "debug"
  | "progress"
  | "a2a-version"
  | "transport"
  | "insecure"
  | "bearer"
  | "api-key"
  | "svc-param"
  | "metadata"
  | "timeout"
  | "poll-interval"
  | "async"
  | "wait"
  | "context-id"
  | "task-id"
  | "message-id"
  | "reference-task-id"
  | "text"
  | "file"
  | "data"
  | "media-type"
  | "accept-output"
  | "history"
  | "status"
  | "held"
  | "since"
  | "page-size"
  | "page-token"
  | "all"
  | "include-artifacts"
  | "validate"
  | "extended"
  | "config"
  | "port"
  | "host"
  | "store"
  | "sql"
  | "check"
  | "reason"
  | "url"
  | "no-streaming"
  | "no-push"
  | "v0_3"
  | "no-extended-card"
  | "require-extension"
  | "allow-webhooks"
  | "webhook-key"
  | "outbox-status"
  | "token"
  | "fault"
  | "fault-header"
  | "show"
  | "request"
  | "only"
  | "badge"
  | "known-failures"
  | "other-bearer"
  | "webhook-url"
  | "client"
  | "for"
  | "help";

/** The table by long flag. */
export const OPTIONS: Readonly<Record<OptionName, OptionSpec>> = {
  "agent-card": { short: "a", value: "<ref>", env: "A2ACLI" },
  output: { short: "o", value: "<text|json>", env: "A2ACLI", fallback: "text", choices: ["text", "json"] },
  stream: {},
  verbose: { env: "A2ACLI" },
  debug: { env: "A2ACLI" },
  progress: { env: "LEGATION" },
  "a2a-version": { value: "<version>", env: "A2ACLI" },
  transport: { value: "<binding>", repeat: true, env: "A2ACLI" },
  insecure: { env: "A2ACLI" },
  bearer: { value: "<token>", env: "A2ACLI", secret: true },
  "api-key": { value: "<key>", env: "A2ACLI", secret: true },
  "svc-param": { value: "<k:v>", repeat: true, env: "A2ACLI", secret: true },
  metadata: { value: "<json>", env: "A2ACLI" },
  timeout: { value: "<duration>", env: "A2ACLI" },
  "poll-interval": { value: "<duration>", env: "A2ACLI", fallback: "2s" },
  async: { env: "A2ACLI", aliases: ["return-immediately", "no-wait"] },
  wait: { env: "A2ACLI", aliases: ["watch"] },
  "context-id": { value: "<id>", env: "A2ACLI" },
  "task-id": { value: "<id>", env: "A2ACLI" },
  "message-id": { value: "<id>" },
  "reference-task-id": { value: "<id>", repeat: true },
  text: { value: "<string>", repeat: true },
  file: { value: "<path|url>", repeat: true },
  data: { value: "<path|json|->", repeat: true },
  "media-type": { value: "<type>", repeat: true },
  "accept-output": { value: "<type>", repeat: true, env: "LEGATION" },
  history: { value: "<n>", env: "A2ACLI" },
  status: { value: "<state>" },
  held: {},
  since: { value: "<time>" },
  "page-size": { value: "<n>", env: "A2ACLI", fallback: "50" },
  "page-token": { value: "<token>" },
  all: {},
  "include-artifacts": {},
  validate: {},
  extended: {},
  config: { value: "<path>", env: "A2ACLI" },
  port: { value: "<n>", env: "LEGATION", fallback: "4000" },
  host: { value: "<address>", env: "LEGATION", fallback: "127.0.0.1" },
  store: { value: "<url>", env: "LEGATION", fallback: "memory:", secret: true },
  sql: {},
  check: {},
  reason: { value: "<text>" },
  url: { value: "<url>", env: "LEGATION" },
  "no-streaming": {},
  "no-push": {},
  v0_3: {},
  "no-extended-card": {},
  "require-extension": { value: "<uri>", repeat: true },
  "allow-webhooks": { value: "<cidr>", repeat: true, env: "LEGATION" },
  "webhook-key": { value: "<text>", repeat: true, env: "LEGATION", secret: true },
  "outbox-status": { value: "<dead|pending>", choices: ["dead", "pending"] },
  token: { value: "<token>", env: "LEGATION", secret: true },
  fault: { value: "<fault>", repeat: true },
  "fault-header": {},
  show: {},
  request: { value: "<token>" },
  only: { value: "<check|section>", repeat: true },
  badge: { value: "<file>" },
  "known-failures": { value: "<file>", env: "LEGATION" },
  "other-bearer": { value: "<token>", env: "LEGATION", secret: true },
  "webhook-url": { value: "<url>", env: "LEGATION" },
  client: {},
  for: { value: "<duration>" },
  help: { short: "h" },
};

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly OptionName[] = ["output", "config", "verbose", "debug", "help"];

/** Options that every command takes which talks to an agent. */
export const AGENT_OPTIONS: readonly OptionName[] = [
  "agent-card",
  ...COMMON_OPTIONS,
  "progress",
  "transport",
  "a2a-version",
  "bearer",
  "api-key",
  "svc-param",
  "insecure",
  "timeout",
];

/** The environment variable of an option, or undefined where it has none. */
export function envName(name: OptionName): string | undefined {
  const prefix = OPTIONS[name].env;
  return prefix === undefined ? undefined : `${prefix}_${name.toUpperCase().replaceAll("-", "_")}`;
}

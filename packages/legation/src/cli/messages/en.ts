/** Everything that the program says to people. Labels and codes are not here: programs read them, in any language. */
import type { OptionName } from "../options.ts";

/** The texts of one language. */
export interface Messages {
  /** How the user called the program, for commands to paste. */
  readonly program: string;
  readonly warning: string;
  // Arguments and settings.
  oneOf(choices: readonly string[]): string;
  readonly trueOrFalse: string;
  readonly aDuration: string;
  aNumber(min: number, max: number): string;
  readonly aJsonObject: string;
  readonly aTime: string;
  readonly aState: string;
  readonly aFault: string;
  wrongValue(flag: string, value: string, wanted: string): string;
  unknownCommand(typed: string): string;
  unknownOption(flag: string): string;
  missingValue(flag: string): string;
  missingWord(word: string): string;
  readonly tooManyWords: string;
  readonly quoteWords: string;
  didYouMean(similar: string): string;
  seeHelp(program: string, command: string): string;
  conflict(one: string, other: string): string;
  noConfigFile(file: string): string;
  openSecrets(file: string): string;
  readonly noAgentCard: string;
  readonly howToNameAgent: string;
  readonly badParameter: string;
  // Messages to send.
  readonly nothingToSend: string;
  readonly emptyText: string;
  readonly howToSend: string;
  looseMediaType(type: string): string;
  notJson(where: string, reason: string): string;
  notAVersion(given: string): string;
  readonly dataForms: string;
  unreadableFile(file: string, code: string): string;
  // The agent.
  undeclaredScheme(flag: string): string;
  passCredential(schemes: readonly string[], flags: readonly string[]): string;
  readonly anyCredential: string;
  readonly insecure: string;
  readonly insecureCredential: string;
  plainCredential(url: string): string;
  readonly checkAddress: string;
  readonly checkCard: string;
  oldVersion(version: string): string;
  readonly noOldVersion: string;
  readonly allowOldVersion: string;
  readonly useDebug: string;
  retryAfter(seconds: number): string;
  readonly noStreaming: string;
  polling(reason: string): string;
  rejectedId(next: string): string;
  // Tasks.
  outcome(task: string, state: string): string;
  waiting(task: string, state: string): string;
  timedOut(limit: string, task: string | undefined): string;
  interrupted(next: string): string;
  readonly interruptedBefore: string;
  readonly cardIsValid: string;
  cardProblem(problem: string): string;
  morePages(next: string): string;
  // Servers.
  noAgentIn(module: string, names: string): string;
  cannotLoad(module: string, reason: string): string;
  readonly stopping: string;
  readonly needsCredential: string;
  readonly howToExplain: string;
  readonly notOfProtocol: string;
  readonly notACard: string;
  readonly unknownError: string;
  readonly nothingAsked: string;
  heldHint(retry: string): string;
  readonly noGrpc: string;
  readonly noClient: string;
  readonly believesAll: string;
  cannotListen(host: string, port: number, reason: string): string;
  // Databases.
  readonly noDatabase: string;
  readonly nameStore: string;
  readonly needsUpgrade: string;
  checkStore(program: string): string;
  readonly endedByOperator: string;
  readonly replayOnlyChecks: string;
  doesNotFit(tasks: number): string;
  readonly howToFit: string;
  // Help.
  readonly tagline: string;
  readonly usage: string;
  readonly commands: string;
  readonly options: string;
  readonly examples: string;
  readonly defaultIs: string;
  readonly nowIs: string;
  readonly from: string;
  readonly helpFooter: string;
  readonly summaries: Readonly<Record<string, string>>;
  readonly words: Readonly<Record<string, string>>;
  readonly optionHelp: Readonly<Record<OptionName, string>>;
}

/** English. */
export const en: Messages = {
  program: "legation",
  warning: "warning",
  oneOf: (choices) => choices.join(" or "),
  trueOrFalse: "true or false",
  aDuration: "a duration such as 500ms, 2s, 5m or 1h",
  aNumber: (min, max) => `a whole number from ${min} to ${max}`,
  aJsonObject: `a JSON object such as '{"k":"v"}'`,
  aTime: "a time such as 2026-01-31T12:00:00Z",
  aState: "a state such as WORKING or COMPLETED",
  aFault: "one of",
  wrongValue: (flag, value, wanted) => `${flag} is ${JSON.stringify(value)}, needs ${wanted}`,
  unknownCommand: (typed) => `unknown command ${JSON.stringify(typed)}`,
  unknownOption: (flag) => `unknown option ${flag}`,
  missingValue: (flag) => `${flag} needs a value`,
  missingWord: (word) => `missing <${word}>`,
  tooManyWords: "too many words",
  quoteWords: 'put a text of several words in quotes: "plan a drive"',
  didYouMean: (similar) => `did you mean ${similar}`,
  seeHelp: (program, command) => `see ${program} help${command === "" ? "" : ` ${command}`}`,
  conflict: (one, other) => `${one} and ${other} exclude each other`,
  noConfigFile: (file) => `configuration file ${file} cannot be read`,
  openSecrets: (file) => `warning: ${file} holds a credential and others can read it: chmod 600 ${file}`,
  noAgentCard: "no agent is named",
  howToNameAgent: "pass -a <host, card URL or card file>, or set A2ACLI_AGENT_CARD",
  badParameter: "--svc-param needs the form key:value",
  nothingToSend: "there is nothing to send",
  emptyText: "the text is empty",
  howToSend: 'give a text: send -a <agent> "hello"; or --text, --file, --data',
  looseMediaType: (type) => `--media-type ${type} must follow the --text, --file or --data that it is for`,
  notJson: (where, reason) => `${where} is not JSON: ${reason}`,
  notAVersion: (given) => `${given} is no version; write 1.0`,
  dataForms: "--data takes the path of a JSON file, JSON itself, or - for stdin",
  unreadableFile: (file, code) => `cannot read ${file}${code === "" ? "" : ` (${code})`}`,
  undeclaredScheme: (flag) => `the card of the agent declares no scheme for ${flag}; it is sent all the same`,
  passCredential: (schemes, flags) =>
    `the agent declares ${schemes.join(", ") || "no security scheme"}; pass ${flags.join(" or ") || "--bearer <token> or --api-key <key>"}`,
  anyCredential: "pass --bearer <token> (A2ACLI_BEARER) or --api-key <key> (A2ACLI_API_KEY)",
  insecure: "certificates are not verified (--insecure): use this for development only",
  insecureCredential:
    "SECURITY: a credential is sent over a connection whose certificate is not verified (--insecure); whoever is in between can read it",
  plainCredential: (url) => `SECURITY: a credential is sent without TLS to ${url}; whoever is in between can read it`,
  checkAddress: "check the address and that the agent runs; --debug shows every request",
  checkCard: "-a takes a host, the URL of a card, or the path of a card file",
  oldVersion: (version) => `protocol version ${version} is older than 1.0 and is not spoken by this program`,
  noOldVersion: "use --a2a-version 1.0, or leave it out",
  allowOldVersion: "a version before 1.0 is only spoken when it is asked for: --a2a-version 0.3",
  useDebug: "run it again with --debug to see what went over the wire",
  retryAfter: (seconds) => `try again in ${seconds} s`,
  noStreaming: "the agent does not stream: waiting for the end in its place",
  polling: (reason) => `the stream failed (${reason}): asking for the task at intervals`,
  rejectedId: (next) =>
    `no task was created; run it again with --debug for the error of the protocol, or begin anew: ${next}`,
  outcome: (task, state) => `task ${task} is ${state}`,
  waiting: (task, state) => `task ${task}: ${state}`,
  timedOut: (limit, task) =>
    task === undefined
      ? `no answer within ${limit}; whether a task was created is not known`
      : `task ${task} did not end within ${limit}; it goes on`,
  interrupted: (next) => `interrupted; the task goes on: ${next}`,
  interruptedBefore: "interrupted before the agent had answered; whether a task was created is not known",
  cardIsValid: "the card is valid",
  cardProblem: (problem) => `the card is not valid: ${problem}`,
  morePages: (next) => `there are more: ${next}`,
  noAgentIn: (module, names) =>
    `${module} exports no agent (its exports: ${names || "none"}); export what createAgent gives`,
  cannotLoad: (module, reason) => `cannot load ${module}: ${reason}`,
  believesAll: "every notification is believed: register the webhook with a token and pass --token, or --bearer",
  cannotListen: (host, port, reason) => `cannot listen on ${host} port ${port}: ${reason}`,
  stopping: "stopping",
  needsCredential: "the agent asks every caller for credentials, so that nothing can be judged without",
  howToExplain: "give JSON of a card, message, task, event or error: as an argument, a file, or on stdin",
  notOfProtocol: "this is JSON, but nothing of the protocol",
  notACard: "it has neither name nor skills",
  unknownError: "none of the protocol's",
  nothingAsked: "none",
  heldHint: (retry) => `let one go on: ${retry}; or restart-turn, or fail`,
  noGrpc: "the card declares GRPC, which is not judged: npm install @grpc/grpc-js",
  noClient: "no request came: point the client under test at the address above",
  noDatabase: "memory: has no database",
  nameStore: "name one with --store sqlite:<path> or --store postgres://<user>@<host>/<database>, or LEGATION_STORE",
  needsUpgrade: "the schema is not up to date: the next start of a server upgrades it, or run db upgrade",
  replayOnlyChecks: "replay only checks: say --check",
  doesNotFit: (tasks) => `the code does not fit the journals of ${tasks} tasks, which would be held`,
  howToFit: "branch with task.patched(id) where the new code differs, or keep a process of the old version",
  endedByOperator: "the operator ended this task",
  checkStore: (program) => `${program} db status --store <url> looks at the database alone`,
  tagline: "Agent2Agent (A2A) 1.0 on the command line",
  usage: "Usage",
  commands: "Commands",
  options: "Options",
  examples: "Examples",
  defaultIs: "default",
  nowIs: "now",
  from: "from",
  helpFooter:
    "Every option can also be set as A2ACLI_<OPTION> in the environment or in a .env file, where its help names a variable.\nOrder: flag, environment, .env here or above (or --config), ~/.config/a2a-cli/.env, default.",
  summaries: {
    "card get": "Show the card of an agent",
    conformance: "Judge an agent by the specification, or with --client a client",
    "card lint": "Say what is wrong with a card, and what will hurt",
    "card upgrade": "Write the card of an older version as one of 1.0",
    "config show": "Show every setting and where its value came from",
    "db status": "Show how far the schema of a store is",
    "db upgrade": "Bring the schema of a store up to date; --sql prints what that takes",
    "demo-server": "Run the rehearsal agent, which does what a message says (also: rehearse)",
    explain: "Say what some JSON of the protocol means, and what it is in 1.0",
    help: "Show how to use a command",
    "outbox list": "List the webhooks of all tasks, and what is still to be delivered",
    "outbox redrive": "Try the webhooks of a task again, from where they stopped",
    "outbox show": "Show the webhooks of a task",
    replay: "Check whether the agents of a module fit the journals of the tasks that wait in a store",
    send: "Send a message, to begin or to go on, and wait for the outcome",
    serve: "Serve the agents that a module exports",
    "task authorize": "Grant what a task in AUTH_REQUIRED asks for",
    "task cancel": "Cancel a task",
    "task fail": "End a task that is held or stuck as FAILED",
    "task get": "Show a task; --wait until it ends or needs you",
    "task list": "List tasks, newest first",
    "task restart-turn": "Let a held task begin its turn afresh; its steps keep their keys",
    "task retry": "Let a held task go on from its journal",
    "task subscribe": "Follow a task until it ends or needs you",
    version: "Show the version",
    "webhook listen": "Print the push notifications that come to a port of this machine",
  },
  words: {
    "[message]": "Text of the message; comes before the parts of other flags",
    "[json]": "JSON, the path of a file, or - for stdin",
    "[card]": "Path of a card file, JSON, or - for stdin; or name an agent with -a",
    "<task-id>": "Id of the task",
    "[webhook-id]": "Id of one of its webhooks; all of them when not given",
    "<module>": "JavaScript or TypeScript file that exports agents",
    "[command...]": "The command to explain",
  },
  optionHelp: {
    "agent-card": "The agent: a host, the URL of its card, or a card file",
    output: "Format of the result; json gives the protocol's own types",
    stream: "Follow live; with -o json one JSON object per line",
    verbose: "Show everything that was sent and received",
    debug: "Show on stderr how it is done, with the raw messages; secrets are hidden",
    progress: "Show on stderr what is being waited for",
    "a2a-version": "Protocol version to speak, even 0.3; the highest that both speak from 1.0 on when not given",
    transport: "Preferred binding (JSONRPC, HTTP+JSON), repeatable; the order of the card when not given",
    insecure: "Do not verify certificates (development only); they are verified when not given",
    bearer: "Bearer token; a flag shows in the process list and the shell history, the variable does not",
    "api-key": "API key, sent where the card says; a flag shows in the process list and the shell history",
    "svc-param": "Service parameter key:value of the transport, repeatable",
    metadata: "Metadata of the request",
    timeout: "Give up waiting after this time; no limit when not given",
    "poll-interval": "How often to ask for a task that is waited for",
    async: "Do not wait: answer with the ids at once (also: --return-immediately, --no-wait)",
    wait: "Wait until the task ends or needs you (also: --watch)",
    "context-id": "Context to begin a new task in, or to filter by",
    "task-id": "Task to go on with",
    "message-id": "Id of the message; give the same one to repeat a send safely",
    "reference-task-id": "Task that the message refers to, repeatable",
    text: "Text part, repeatable",
    file: "File part: a path is sent inline, a URL as a reference; repeatable",
    data: "Data part: a JSON file, JSON itself, or - for stdin; repeatable",
    "media-type": "Media type of the part flag before it; guessed when not given",
    "accept-output": "Media type that you can use, repeatable",
    history: "At most so many messages of the history; 0 for none",
    status: "Only tasks in this state",
    held: "Only tasks that are held, read from the database that --store names",
    since: "Only tasks whose status is of this time or later",
    "page-size": "Tasks in one answer, 1 to 100",
    "page-token": "Go on where another list ended",
    all: "All pages",
    "include-artifacts": "With artifacts",
    validate: "Check the card against the schema of the protocol",
    extended: "The extended card, for authenticated callers",
    config: "Read this .env file in place of the one here or above",
    port: "Port; 0 takes a free one",
    host: "Address to listen on",
    store: "Where tasks are kept: memory:, sqlite:<path> or postgres://<user>@<host>/<database>",
    check: "Report, and write nothing",
    sql: "Print the statements and run nothing",
    reason: "What the caller of the task is told",
    url: "Public URL for the card",
    "no-streaming": "A card without streaming",
    "no-push": "A card without push notifications",
    v0_3: "Serve A2A 0.3, too, at the same addresses; one card tells of both",
    "no-extended-card": "A card without an extended card; with it, any Bearer token gets one",
    "require-extension": "Refuse callers that do not ask for this extension, repeatable",
    "allow-webhooks": "Network that webhooks may be in, over http too, such as 127.0.0.0/8; repeatable",
    "webhook-key": "Random text that encrypts the secrets of webhooks at rest, the current one first; repeatable",
    "outbox-status": "Only webhooks that were given up, or that are behind",
    token: "Token that every notification must carry",
    fault:
      "Break answers on purpose, repeatable: cut:<frames> truncate:<frames> end:<frames> duplicate delay:<ms> 5xx:<requests>",
    show: "Show the token of what is asked for, and grant nothing",
    request: "Grant the request of this token and no other",
    only: "Checks to run: an id or a section such as 3.1.5, repeatable",
    badge: "Write the result as an SVG badge to this file",
    "known-failures": "File of checks that are expected to fail, one a line; one that passes turns the result red",
    "other-bearer": "Bearer token of a second caller, who must not see the tasks of the first",
    "webhook-url": "Where the agent reaches this machine with webhooks; its port is listened to",
    client: "Serve an agent that breaks streams, and judge the client that calls it",
    for: "How long to serve; until Ctrl-C when not given",
    "fault-header": "Let a request ask for faults by the header Legation-Fault",
    help: "Show this",
  },
};

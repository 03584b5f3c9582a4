/** §3.3 to §3.7: what holds for all operations. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const IDEMPOTENCY: readonly Requirement[] = [
  must(
    "3.3.1/get-idempotent",
    "Reading operations give the same answer when they are repeated and nothing has changed.",
  ),
  must("3.3.1/cancel-idempotent", "Cancelling again has the same effect as cancelling once."),
];

const ERRORS: readonly Requirement[] = [
  must("3.3.2/rejects-missing-credentials", "A request without the credentials that the card asks for is rejected."),
  must("3.3.2/rejects-invalid-credentials", "A request with invalid credentials is rejected."),
  should("3.3.2/challenge", "The rejection carries an authentication challenge."),
  should("3.3.2/challenge-names-scheme", "The rejection says which authentication scheme is required."),
  must("3.3.2/hides-existence", "An error never reveals that a resource of somebody else exists."),
  must("3.3.2/not-found", "A resource that does not exist or is not accessible gets a not-found error."),
  should("3.3.2/same-error", "The error does not tell a resource of somebody else from one that does not exist."),
  must("3.3.2/validates", "Input is validated before it is processed."),
  should("3.3.2/names-parameter", "A validation error names the parameters and why each was refused."),
  should("3.3.2/guides", "A validation error says what would be valid."),
  must("3.3.2/code-and-message", "Every error carries a machine-readable code and a readable message."),
  must("3.3.2/typed-details", "Every detail of an error has an @type."),
  should("3.3.2/well-known-details", "Details are of the well-known google.rpc types."),
  must("3.3.2/appropriate-error", "A failing request gets an error of the protocol, in the shape of its binding."),
  should("3.3.2/actionable", "The message of an error helps the client to resolve it."),
  ...unseen(
    "which permissions exist, and who has them, is the agent's own affair",
    must("3.3.2/permission-error", "A caller without a needed permission gets an authorisation error."),
    should("3.3.2/names-permission", "The authorisation error says which permission or scope is missing."),
  ),
  ...unseen(
    "a test cannot make the inside of an agent fail",
    should("3.3.2/temporary-errors", "Temporary failures are told from permanent ones by their codes."),
    should("3.3.2/logs-system-errors", "System errors are logged."),
  ),
];

const CAPABILITIES: readonly Requirement[] = [
  must("3.3.4/push", "Without the push capability each of its four operations gets PushNotificationNotSupportedError."),
  must("3.3.4/streaming", "Without the streaming capability both streaming operations get UnsupportedOperationError."),
  must("3.3.4/extended-card", "Without the capability GetExtendedAgentCard gets UnsupportedOperationError."),
  must(
    "3.3.4/extended-card-not-configured",
    "An extended card that is declared but not there gets ExtendedAgentCardNotConfiguredError.",
  ),
  must("3.3.4/required-extension", "A caller without a required extension gets ExtensionSupportRequiredError."),
  clientShould(
    "3.3.4/client-validates",
    "A client looks at the capabilities of the card before it uses an optional one.",
  ),
];

const MULTI_TURN: readonly Requirement[] = [
  must("3.4.1/generated-context-returned", "A contextId that the agent makes is part of its answer."),
  must("3.4.1/keeps-or-rejects-context", "A contextId of the client is kept, or the request is rejected."),
  must("3.4.1/never-replaces-context", "A contextId of the client is never answered by another one."),
  clientShould(
    "3.4.1/no-own-context",
    "A client makes no contextId of its own unless it knows how the agent treats it.",
  ),
  clientShould("3.4.1/opaque-context", "A client treats contextIds of the agent as opaque."),
  ...unseen(
    "what an agent makes of a context is its own affair",
    should("3.4.1/one-session", "Everything with one contextId is treated as one conversation."),
    should("3.4.1/documents-expiry", "An agent that lets contexts expire documents it."),
    should("3.4.3/uses-references", "The agent uses the tasks that a message refers to."),
    should("3.4.3/uses-context", "The agent uses the shared context for its answers."),
  ),
  must("3.4.2/unique-task-id", "Every new task gets a unique id."),
  must("3.4.2/task-id-returned", "The id is part of the Task that is returned."),
  must("3.4.2/unknown-task-id", "A message with an unknown taskId gets TaskNotFoundError and makes no task."),
  clientMust("3.4.2/existing-task-id", "A taskId in a client's message is that of an existing task."),
  must("3.4.3/infers-context", "A message with only a taskId belongs to the context of that task."),
  must("3.4.3/rejects-mismatch", "A message whose contextId is not that of its task is rejected."),
  must("3.4.3/continues-after-input", "A message to a task that waits for input continues that task."),
  clientShould("3.4.3/references", "A client names related tasks in referenceTaskIds."),
];

const STREAMS: readonly Requirement[] = [
  must("3.5.2/order", "Events are delivered in the order in which they were made."),
  must("3.5.2/broadcast", "Every open stream of a task gets every event."),
  must("3.5.2/same-order", "All streams of a task get the same events in the same order."),
  must("3.5.2/independent-streams", "Closing one stream does not affect the others."),
  must("3.5.2/independent-task", "Closing a stream does not affect the task."),
];

const VERSIONS: readonly Requirement[] = [
  should("3.6/no-patch-in-card", "Versions in a card have no patch number."),
  must("3.6/patch-ignored", "A patch number plays no part in the choice of a version."),
  clientShould("3.6/no-patch-in-request", "Versions in requests have no patch number."),
  clientMust("3.6.1/sends-version", "A client sends A2A-Version with every request."),
  must("3.6.2/serves-version", "A request is processed by the rules of the version that it asks for."),
  must("3.6.2/unsupported-version", "A version that the interface does not speak gets VersionNotSupportedError."),
  must("3.6.2/empty-is-0-3", "A request without a version is taken for 0.3."),
  ...unseen(
    "a rule for the interfaces of libraries, not for what they send",
    clientMust("3.6.3/version-management", "Libraries help clients to choose transport and version."),
    clientShould(
      "3.6.3/no-silent-fallback",
      "A client that needs the newest features does not fall back to older versions.",
    ),
  ),
];

const MESSAGES: readonly Requirement[] = [
  ...unseen(
    "only the author of an agent knows which of its words are results",
    should("3.7/no-output-in-messages", "Messages do not carry the results of a task."),
    should("3.7/results-are-artifacts", "Results are artifacts of the task."),
  ),
  ...unseen(
    "what a client relies on shows in none of its requests",
    clientMust("3.7/messages-unreliable", "Messages are no reliable way to deliver critical information."),
    clientMust("3.7/history-not-relied-on", "A client does not count on every message being kept in the history."),
  ),
];

/** Every requirement of §3.3 to §3.7. */
export const SEMANTICS: readonly Requirement[] = [
  ...IDEMPOTENCY,
  ...ERRORS,
  ...CAPABILITIES,
  ...MULTI_TURN,
  ...STREAMS,
  ...VERSIONS,
  ...MESSAGES,
];

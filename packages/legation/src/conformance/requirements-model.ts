/** §4 and §5: the data model, and what all bindings share. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const OBJECTS: readonly Requirement[] = [
  must("4/equivalent", "Every binding represents the data model in an equivalent way."),
  must("4.1.1/task", "A Task has an id and a status."),
  must("4.1.2/status", "A status has a state."),
  must("4.1.3/state", "A state is one of the eight of the protocol."),
  must("4.1.4/message", "A Message has a messageId, a role and at least one part."),
  must("4.1.5/agent-role", "Messages of the agent have the role ROLE_AGENT."),
  must("4.1.6/part", "A part has exactly one content: text, raw, url or data."),
  must("4.1.7/artifact", "An Artifact has an artifactId and at least one part."),
  must("4.1.7/unique-id", "An artifactId is unique within its task."),
  must("4.2.1/status-update", "A status update names its task and context and has a status."),
  must("4.2.2/artifact-update", "An artifact update names its task and context and has an artifact."),
  must("4.2.2/append", "An update with append adds to an artifact that was sent before."),
];

const WEBHOOKS: readonly Requirement[] = [
  must("4.3.3/payload", "A notification is a StreamResponse with exactly one of its four members."),
  must("4.3.3/credentials", "A notification carries the credentials of the configuration in its headers."),
  must("4.3.3/attempts-delivery", "Delivery to each configured webhook is attempted at least once."),
  ...unseen(
    "a webhook that hangs sees the connection end for any of many reasons",
    should("4.3.3/timeout", "A notification is given up after a reasonable time."),
  ),
  clientMust("4.3.3/acknowledges", "A receiver answers a notification with a status of 2xx."),
  clientMust("4.3.3/validates-task", "A receiver checks that the task is one that it expects."),
  clientShould("4.3.3/idempotent", "A receiver processes a repeated notification once."),
  clientShould("4.3.3/verifies-source", "A receiver verifies where a notification comes from."),
];

const DISCOVERY: readonly Requirement[] = [
  must("4.4.1/card", "A card has name, description, version, interfaces, capabilities, default modes and skills."),
  must("4.4.5/skill", "A skill has id, name, description and at least one tag."),
  must("4.4.6/interface", "An interface has a URL, a binding and a protocol version."),
  must("4.5.1/scheme", "A security scheme has exactly one kind, with the fields of that kind."),
  should("4.6.3/version-in-uri", "The URI of an extension includes its version."),
  should("4.6.3/ignores-unknown", "An extension that the agent does not know is ignored."),
  must("4.6.3/unknown-required", "Asking for another version of a required extension gets an error."),
  must("4.6.3/no-fallback", "An unknown version of an extension is never answered by an earlier one."),
  ...unseen(
    "shows only when an extension is changed",
    must("4.6.3/new-uri", "A breaking change of an extension gets a new URI."),
  ),
];

const EQUIVALENCE: readonly Requirement[] = [
  must("5.1/same-operations", "Every binding of an agent offers the same operations."),
  must("5.1/same-results", "Every binding gives equivalent results for the same request."),
  must("5.1/same-errors", "Every binding maps the same failure to the same error."),
  must("5.1/same-authentication", "Every binding takes the authentication schemes of the card."),
  ...unseen(
    "a binding that is not declared is not found",
    must("5.2/declares-all", "The card declares every binding that the agent speaks."),
  ),
  clientShould("5.2/fallback", "A client falls back to another binding of the card."),
];

const MAPPINGS: readonly Requirement[] = [
  must("5.4/task-not-found", "TaskNotFoundError is -32001 and 404."),
  must("5.4/task-not-cancelable", "TaskNotCancelableError is -32002 and 400."),
  must("5.4/push-not-supported", "PushNotificationNotSupportedError is -32003 and 400."),
  must("5.4/unsupported-operation", "UnsupportedOperationError is -32004 and 400."),
  must("5.4/content-type", "ContentTypeNotSupportedError is -32005 and 400."),
  must("5.4/extended-card", "ExtendedAgentCardNotConfiguredError is -32007 and 400."),
  must("5.4/extension-required", "ExtensionSupportRequiredError is -32008 and 400."),
  must("5.4/version", "VersionNotSupportedError is -32009 and 400."),
  ...unseen(
    "a test cannot make the inside of an agent answer wrongly",
    must("5.4/invalid-agent-response", "InvalidAgentResponseError is -32006 and 500."),
  ),
  ...unseen(
    "a rule for the documents of custom bindings",
    must("5.4/custom-mapping", "A custom binding maps every error of the protocol."),
    should("5.4/custom-table", "A custom binding prints its mapping as a table."),
    must("5.8/new-uri", "A breaking change of a custom binding gets a new URI."),
  ),
];

const JSON_FORM: readonly Requirement[] = [
  must("5.5/camel-case", "Field names in JSON are camelCase."),
  must("5.5/enum-names", "Enum values in JSON are the names of the proto."),
  must("5.5/proto-json-input", "Input is read as ProtoJSON allows: enum numbers, null for unset, numbers as strings."),
  must("5.6.1/utc", "Timestamps are ISO 8601 in UTC, with Z and no other offset."),
  should("5.6.1/milliseconds", "Timestamps have milliseconds."),
  must("5.6.1/parses", "Timestamps of any ISO 8601 precision are read."),
  must("5.7/required-present", "REQUIRED fields are present in what the agent sends."),
  must("5.7/required-lists", "REQUIRED lists that the agent sends have at least one element."),
  clientMust("5.7/client-valid", "REQUIRED fields are present in what a client sends."),
  should("5.7/validates-required", "A request without a REQUIRED field is rejected."),
  should("5.7/ignores-unknown", "Fields that are not known are ignored."),
  should("5.8/custom-binding-uri", "A custom binding is named by a URI in the card."),
  clientMust("5.6.1/client-timestamps", "A client reads and writes ISO 8601 timestamps."),
];

/** Every requirement of §4 and §5. */
export const MODEL: readonly Requirement[] = [
  ...OBJECTS,
  ...WEBHOOKS,
  ...DISCOVERY,
  ...EQUIVALENCE,
  ...MAPPINGS,
  ...JSON_FORM,
];

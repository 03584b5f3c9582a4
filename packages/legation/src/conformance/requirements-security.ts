/** §7 and §13: who may do what. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const AUTHENTICATION: readonly Requirement[] = [
  must("7.1/encrypted", "An agent in production is reached over TLS."),
  ...unseen(
    "which TLS a connection speaks is decided below HTTP",
    should("7.1/modern-tls", "TLS is of a modern version with strong ciphers."),
    should("13.4/old-tls-disabled", "Deprecated versions of TLS are disabled."),
    clientShould("7.2/verifies-server", "A client verifies the certificate of the agent."),
  ),
  must("7.4/authenticates-every-request", "Every request is authenticated as the card declares."),
  should("7.4/error-codes", "Rejections use the authentication error of the binding."),
  should("7.4/challenge", "Rejections carry a challenge."),
];

const IN_TASK: readonly Requirement[] = [
  must("7.6.1/uses-task", "An agent that needs an authorisation tracks the work as a task."),
  must("7.6.1/auth-required", "An agent that needs an authorisation moves the task to TASK_STATE_AUTH_REQUIRED."),
  must("7.6.1/explains", "The status of that state carries a message that explains what is needed."),
  should("7.6.1/keeps-stream", "Open streams stay open while the task waits for an authorisation."),
  should("7.6.1/takes-messages", "A task that waits for an authorisation takes messages."),
  ...unseen(
    "how the authorisation reaches the agent is outside the protocol",
    must("7.6.1/out-of-band", "Credentials reach the agent outside the protocol unless agreed otherwise."),
    should("7.6.3/secure-channel", "Credentials reach the agent over a secure channel."),
    should("7.6.3/bound", "Credentials in band are bound to the agent that asked."),
    should("7.6.3/readable-by-origin", "Sensitive credentials in band can be read only by the agent that asked."),
    must("7.6.4/not-by-transition", "The state itself authorises nothing."),
    must("7.6.4/defined-scope", "What an authorisation covers is defined by the agent, its issuer or an extension."),
    must("7.6.4/not-for-later", "An authorisation does not cover later messages unless that is defined."),
  ),
  ...unseen(
    "what a client does about an authorisation shows in none of its requests",
    clientShould("7.6.2/chains", "A client that is an agent itself passes the request for authorisation on."),
    clientShould("7.6.2/follows", "A client follows such a task by stream, webhook or polling."),
  ),
];

const SCOPING: readonly Requirement[] = [
  must("13.1/scoped-results", "Results are limited to what the caller may see, whatever filters are given."),
  must("13.1/list", "ListTasks gives only tasks that the caller may see."),
  must("13.1/get", "GetTask gives a task only to a caller who may see it."),
  must(
    "13.1/task-operations",
    "Cancel, subscribe and push configurations are open only to callers with access to the task.",
  ),
  ...unseen(
    "the order of steps inside an agent cannot be seen",
    must("13.1/checks-first", "Access is checked before anything that could leak what exists."),
  ),
  ...unseen("a rule for documents", should("13.1/documented", "The authorisation model is documented.")),
];

const WEBHOOKS: readonly Requirement[] = [
  must("13.2/credentials", "Webhook requests carry the credentials of the configuration."),
  should("13.2/ssrf", "Webhook URLs at private and local addresses are refused, or never called."),
  ...unseen(
    "shows only in how an agent treats a webhook over a long time",
    should("13.2/timeouts", "Webhook requests have a timeout."),
    should("13.2/retries", "Failed deliveries are tried again with growing pauses."),
    should("13.2/stores-securely", "Configurations and their credentials are stored securely."),
  ),
  clientMust("13.2/validates", "A receiver checks the credentials of a notification."),
  clientMust("13.2/acknowledges", "A receiver answers with a status of 2xx."),
  clientShould("13.2/verifies-task", "A receiver checks that the task is one of its own."),
  clientShould("13.2/idempotent", "A receiver processes a repeated notification once."),
  ...unseen(
    "a policy of whoever runs the receiver",
    clientShould("13.2/rate-limits", "A receiver limits the rate of notifications."),
    clientShould("13.2/https", "Webhook URLs use HTTPS."),
    clientShould("13.2/rotates", "Tokens of configurations are secrets and are rotated."),
    clientShould("13.2/single-purpose", "Each configuration has a token of its own."),
  ),
];

const EXTENDED_CARD: readonly Requirement[] = [
  must("13.3/requires-authentication", "GetExtendedAgentCard requires authentication."),
  must("13.3/declared-schemes", "GetExtendedAgentCard takes the schemes of the public card."),
  should("13.3/caching", "The extended card has headers that control how clients cache it."),
  must("13.3/not-supported", "Without the capability the operation gets UnsupportedOperationError."),
  must("13.3/not-configured", "With the capability and no card it gets ExtendedAgentCardNotConfiguredError."),
  clientShould("13.3/replaces", "A client puts the extended card in the place of the public one."),
  ...unseen(
    "which information is privileged only the agent knows",
    must("13.3/permissions", "Privileged information is given only to callers who may have it."),
    should("13.3/nothing-sensitive", "Extended cards hold nothing that could be exploited."),
    should("13.3/documented", "What each level of authentication sees is documented."),
    should("13.3/versioned", "Extended cards are versioned."),
  ),
];

const PRACTICES: readonly Requirement[] = [
  must("13.4/validates", "All input is validated before it is processed."),
  should("13.4/limits-size", "Messages beyond a limit of size are refused."),
  should("13.4/limits-complexity", "Requests beyond a limit of complexity are refused."),
  should("13.4/media-types", "Media types that are not expected are refused."),
  ...unseen(
    "a practice of whoever runs the agent",
    should("13.4/hsts", "HTTP interfaces send HSTS."),
    must("13.4/secrets", "Credentials are treated as secrets."),
    should("13.4/rotation", "Credentials are rotated, revoked and sent only encrypted."),
    should("13.4/audit", "Security events are logged, monitored and kept for audit."),
    must("13.4/clean-logs", "Logs hold no credentials and no unprotected personal data."),
    should("13.4/rate-limits", "Operations are limited in rate, with an error that says so."),
    must("13.4/data-protection", "Data protection law is kept."),
    should("13.4/retention", "Data can be deleted and is not kept for ever."),
    must("13.4/custom-bindings", "Custom bindings say how they are secured."),
  ),
];

/** Every requirement of §7 and §13. */
export const SECURITY: readonly Requirement[] = [
  ...AUTHENTICATION,
  ...IN_TASK,
  ...SCOPING,
  ...WEBHOOKS,
  ...EXTENDED_CARD,
  ...PRACTICES,
];

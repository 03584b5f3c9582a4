// The face "./conformance": the requirements of the specification as data, and the checks that judge an agent by them.

export type { Fetch, FetchBody, FetchInit, FetchResponse } from "../bindings/http/outgoing.ts";
export type { ClientSetting } from "./client-rules.ts";
export type { ClientExchange } from "./client-traffic.ts";
export { judgeClient } from "./judge-client.ts";
export { applyKnownFailures, type KnownFailure, parseKnownFailures } from "./known-failures.ts";
export type { BindingName } from "./raw-reply.ts";
export { reportBadge } from "./report-badge.ts";
export { reportJson } from "./report-json.ts";
export { reportJunit } from "./report-junit.ts";
export { reportText } from "./report-text.ts";
export type { Requirement } from "./requirement.ts";
export { findRequirement, REQUIREMENTS } from "./requirements.ts";
export { type ConformanceOptions, type ConformanceResult, runConformance } from "./run-conformance.ts";
export { type Tally, tallyOf } from "./tally.ts";
export type { ReceivedWebhook, WebhookReceiver } from "./webhook-receiver.ts";
export type { Wire, WireOptions } from "./wire.ts";

// The face "./node": put agents on a port, and call them over every binding.

export type { Outbox, OutboxEntry, OutboxPage, OutboxQuery } from "../../engine/push-outbox.ts";
export type { SafeFetchInit } from "../../outbound/safe-dialler.ts";
export { connect } from "./connect.ts";
export type { Logger } from "./log.ts";
export { openStore } from "./open-store.ts";
export { createOutbound, type Outbound, type OutboundRules } from "./outbound.ts";
export type { Host, ServeOptions } from "./serve.ts";
export { serve } from "./serve.ts";
export type { ServePush } from "./serve-push.ts";

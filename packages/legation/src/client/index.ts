// The face "./client": finds agents and calls them. Runs wherever JavaScript does.

export type { RpcChannel, RpcMethod, RpcReading, RpcSchema } from "../bindings/http/rpc-service.ts";
export type * from "../model/gen/types.ts";
export type { JsonObject, JsonValue } from "../model/json.ts";
export type { ErrorCode, LocalErrorCode } from "../operations/errors.ts";
export { A2AError, isA2AError, isLocalError, LocalError } from "../operations/errors.ts";
export type { Interceptor, Invocation } from "../operations/interceptor.ts";
export type { Service } from "../operations/service.ts";
export type { Acceptance, AcceptanceProblem, AcceptanceQuery } from "./accepts.ts";
export type { ArtifactHandle } from "./artifact-handle.ts";
export type {
  ArtifactHistoryOptions,
  ArtifactHistoryStore,
  ArtifactVersion,
  ArtifactVersions,
  VersionDecision,
  VersionRecord,
} from "./artifact-history.ts";
export type { Backoff } from "./backoff.ts";
export { type CachedCard, type CardCache, createCardCache } from "./card-cache.ts";
export { type AgentDirectory, type AgentTarget, agents, type CardSource } from "./card-source.ts";
export type { Client, SubscribeOptions } from "./client.ts";
export type { ClientClock } from "./client-clock.ts";
export type { MessageDraft, MessageFrame, Sendable } from "./compose-message.ts";
export { type ClientCompat, type ConnectOptions, connect } from "./connect.ts";
export type { ContextHandle } from "./context-handle.ts";
export type { CredentialRequest, Credentials } from "./credentials.ts";
export type { DiscoveredCard } from "./discover-card.ts";
export type { ClientFetch, ClientResponse, FetchCardContext } from "./fetch-card.ts";
export type { Polling } from "./follow-task.ts";
export { normaliseCard } from "./normalise-card.ts";
export type { CardGeneration, NormalisedCard } from "./normalised-card.ts";
export type { FileContent, LoadUrl } from "./part-content.ts";
export type { PushFeed } from "./push-feed.ts";
export type { CancelOptions, MessageHandle, RefineOptions, Reply, TaskHandle, Until, WaitOptions } from "./reply.ts";
export type { Run, RunOutcome } from "./run.ts";
export type { ArtifactRunEvent, MessageRunEvent, RunEvent, StatusRunEvent, TaskRunEvent } from "./run-event.ts";
export type { CallOptions, SendOptions } from "./send-options.ts";
export type { TaskFilter, TaskList, TaskPage } from "./task-list.ts";
export type { TaskStateName } from "./task-state.ts";
export type { TransportContext, TransportFactory } from "./transports.ts";

// The face "./server": make an agent.

export type { HttpRequest } from "../bindings/http/exchange.ts";
export type { RpcMethod, RpcSchema, RpcService } from "../bindings/http/rpc-service.ts";
export type { EngineSettings } from "../engine/defaults.ts";
export type { DeferOptions } from "../engine/deferral.ts";
export type {
  Deliver,
  PushAnswer,
  PushEvent,
  PushOptions,
  PushRequest,
  PushSettings,
  PushShape,
} from "../engine/push-options.ts";
export { createPushSealer, type PushSealer } from "../engine/push-seal.ts";
export type { Store } from "../engine/store.ts";
export type { Chunk, Deferred, Ending, StepContext } from "../engine/turn.ts";
export type { Principal } from "../operations/call.ts";
export type { DeferredArtifact, DeferredReport, DeferredStanding } from "../operations/deferred-report.ts";
export type {
  DeferredContent,
  DeferredSays,
  DeferredTask,
  ReportOptions,
  SendReport,
} from "../operations/deferred-task.ts";
export { IDEMPOTENT_SEND_EXTENSION, SKILL_EXTENSION } from "../operations/extension-uris.ts";
export type { Interceptor, Invocation } from "../operations/interceptor.ts";
export type { Service } from "../operations/service.ts";
export type { Agent } from "./agent.ts";
export { createAgent } from "./agent.ts";
export type { AgentOptions, DeclaredCapabilities, MessageResult, TaskResult } from "./agent-options.ts";
export { SKILL_SCHEMAS_EXTENSION } from "./answer.ts";
export type { ArtifactSource } from "./artifact-source.ts";
export type { Content, Says } from "./content.ts";
export type { ContextArtifact, ContextView, Referenced } from "./context-view.ts";
export { type DeferredTaskOptions, deferredTask } from "./deferred-task.ts";
export type { FetchOptions } from "./fetch-runtime.ts";
export type { MessageFile, MessageHandle } from "./message-handle.ts";
export type { MessageReply, MessageTurn, StartedTask } from "./message-turn.ts";
export type { Mount, MountedAgent, MountOptions } from "./mount.ts";
export { mountAgents } from "./mount.ts";
export type { ServerCompat } from "./server-compat.ts";
export type { ServerLog, ServerLogEntry } from "./server-log.ts";
export type { SchemaOutput, StandardSchema } from "./standard-schema.ts";
export type { ArtifactContent, ArtifactOptions, TaskContext } from "./task-context.ts";

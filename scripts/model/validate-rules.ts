import type { ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";

/** Which messages share a generated file, so that each can be read. */
export const VALIDATE_FILES: Readonly<Record<string, readonly string[]>> = {
  "validate-task.ts": [
    "Task",
    "TaskStatus",
    "Message",
    "Part",
    "Artifact",
    "TaskStatusUpdateEvent",
    "TaskArtifactUpdateEvent",
    "SendMessageResponse",
    "StreamResponse",
    "ListTasksResponse",
  ],
  "validate-card.ts": [
    "AgentCard",
    "AgentInterface",
    "AgentProvider",
    "AgentCapabilities",
    "AgentExtension",
    "AgentSkill",
    "AgentCardSignature",
    "StringList",
    "SecurityRequirement",
    "SecurityScheme",
    "APIKeySecurityScheme",
    "HTTPAuthSecurityScheme",
    "OAuth2SecurityScheme",
    "OpenIdConnectSecurityScheme",
    "MutualTlsSecurityScheme",
    "OAuthFlows",
    "AuthorizationCodeOAuthFlow",
    "ClientCredentialsOAuthFlow",
    "ImplicitOAuthFlow",
    "PasswordOAuthFlow",
    "DeviceCodeOAuthFlow",
  ],
  "validate-request.ts": [
    "SendMessageRequest",
    "SendMessageConfiguration",
    "TaskPushNotificationConfig",
    "AuthenticationInfo",
    "GetTaskRequest",
    "ListTasksRequest",
    "CancelTaskRequest",
    "SubscribeToTaskRequest",
    "GetTaskPushNotificationConfigRequest",
    "DeleteTaskPushNotificationConfigRequest",
    "ListTaskPushNotificationConfigsRequest",
    "ListTaskPushNotificationConfigsResponse",
    "GetExtendedAgentCardRequest",
  ],
};

/**
 * True for the message whose REQUIRED fields mean something when they are empty, the last page of a list: over gRPC and
 * in JSON alike "missing" is "empty" (§3.1.4).
 */
export function hasMeaningWhenEmpty(message: ProtoMessage): boolean {
  return message.name === "ListTasksResponse";
}

/**
 * True for a REQUIRED field that a peer may leave out: lists in what agents answer, and the context of an event, by
 * which nothing is addressed or decided. Not in a card: one with anything missing is read by rules of its own.
 */
export function isTolerated(message: ProtoMessage, field: ProtoField): boolean {
  if (VALIDATE_FILES["validate-card.ts"]?.includes(message.name) === true) return false;
  return field.repeated || CONTEXT_OF_EVENT.has(`${message.name}.${field.name}`);
}

const CONTEXT_OF_EVENT: ReadonlySet<string> = new Set([
  "TaskStatusUpdateEvent.context_id",
  "TaskArtifactUpdateEvent.context_id",
]);

/**
 * Holds the list of files against the proto.
 *
 * @throws Error when a message is in no file, or a name is no message.
 */
export function assertAllFiled(file: ProtoFile): void {
  const filed = Object.values(VALIDATE_FILES).flat();
  const names = file.messages.map((message) => message.name);
  const lost = names.filter((name) => !filed.includes(name));
  const foreign = filed.filter((name) => !names.includes(name));
  if (lost.length + foreign.length > 0) throw new Error(`VALIDATE_FILES: missing ${lost}, unknown ${foreign}`);
}

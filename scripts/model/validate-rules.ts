import type { ProtoField, ProtoFile, ProtoMessage } from "./proto-schema.ts";

/** Which messages share a generated file, so that a client bundles no request checks and each file can be read. */
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

/** What stands in for a REQUIRED field that is missing, and when. */
export interface FillRule {
  readonly fill: "string" | "list" | "object" | "zero" | undefined;
  readonly always: boolean;
}

/**
 * The rule for a missing REQUIRED field.
 *
 * A peer's lists and maps may be missing everywhere, its strings and objects only where nothing is addressed or decided
 * by them: in a card, and as the context of an event. The four fields of ListTasksResponse have meaningful empty
 * values (§3.1.4), so over gRPC and in JSON alike "missing" is "empty".
 *
 * @param message - The message.
 * @param field - One of its REQUIRED fields.
 */
export function fillRule(message: ProtoMessage, field: ProtoField): FillRule {
  const always = message.name === "ListTasksResponse";
  if (field.repeated) return { fill: "list", always };
  const { type } = field;
  if (type.kind === "map") return { fill: "object", always };
  if (type.kind === "scalar" && type.name === "int32") return { fill: "zero", always };
  const tolerated = always || CARD_MESSAGES.has(message.name) || CONTEXT_OF_EVENT.has(`${message.name}.${field.name}`);
  if (!tolerated) return { fill: undefined, always };
  return { fill: type.kind === "message" ? "object" : "string", always };
}

const CARD_MESSAGES: ReadonlySet<string> = new Set(VALIDATE_FILES["validate-card.ts"]);
const CONTEXT_OF_EVENT: ReadonlySet<string> = new Set([
  "TaskStatusUpdateEvent.context_id",
  "TaskArtifactUpdateEvent.context_id",
]);

/** A card that names a scheme or flow of a newer protocol is still a card: never concluded to need no authentication. */
export const NONE_WHEN_LENIENT: ReadonlySet<string> = new Set(["SecurityScheme", "OAuthFlows"]);

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

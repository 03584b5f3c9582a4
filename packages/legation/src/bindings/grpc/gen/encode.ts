// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import { ROLE_NAMES, TASK_STATE_NAMES } from "../../../model/enum-names.ts";
import type { APIKeySecurityScheme, AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider, AgentSkill, Artifact, AuthenticationInfo, AuthorizationCodeOAuthFlow, CancelTaskRequest, ClientCredentialsOAuthFlow, DeleteTaskPushNotificationConfigRequest, DeviceCodeOAuthFlow, GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, HTTPAuthSecurityScheme, ImplicitOAuthFlow, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Message, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme, Part, PasswordOAuthFlow, SecurityRequirement, SecurityScheme, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, StringList, SubscribeToTaskRequest, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskStatus, TaskStatusUpdateEvent } from "../../../model/gen/types.ts";
import type { BinaryWriter } from "../binary-writer.ts";
import { requireOneArm, writeBase64, writeEnum } from "../scalars.ts";
import { writeStruct, writeTimestamp, writeValue } from "../well-known.ts";

/** Writes the fields of a SendMessageConfiguration. */
export function writeSendMessageConfiguration(w: BinaryWriter, o: SendMessageConfiguration): void {
  if (o.acceptedOutputModes !== undefined) {
    for (const e of o.acceptedOutputModes) {
      w.text(10, e);
    }
  }
  if (o.taskPushNotificationConfig !== undefined) {
    const at = w.begin(18);
    writeTaskPushNotificationConfig(w, o.taskPushNotificationConfig);
    w.end(at);
  }
  if (o.historyLength !== undefined) w.int(24, o.historyLength);
  if (o.returnImmediately !== undefined && o.returnImmediately !== false) w.bool(32, o.returnImmediately);
}

/** Writes the fields of a Task. */
export function writeTask(w: BinaryWriter, o: Task): void {
  if (o.id !== undefined && o.id !== "") w.text(10, o.id);
  if (o.contextId !== undefined && o.contextId !== "") w.text(18, o.contextId);
  if (o.status !== undefined) {
    const at = w.begin(26);
    writeTaskStatus(w, o.status);
    w.end(at);
  }
  if (o.artifacts !== undefined) {
    for (const e of o.artifacts) {
      const at = w.begin(34);
      writeArtifact(w, e);
      w.end(at);
    }
  }
  if (o.history !== undefined) {
    for (const e of o.history) {
      const at = w.begin(42);
      writeMessage(w, e);
      w.end(at);
    }
  }
  if (o.metadata !== undefined) {
    const at = w.begin(50);
    writeStruct(w, o.metadata);
    w.end(at);
  }
}

/** Writes the fields of a TaskStatus. */
export function writeTaskStatus(w: BinaryWriter, o: TaskStatus): void {
  if (o.state !== undefined) writeEnum(w, 8, o.state, TASK_STATE_NAMES);
  if (o.message !== undefined) {
    const at = w.begin(18);
    writeMessage(w, o.message);
    w.end(at);
  }
  if (o.timestamp !== undefined) {
    const at = w.begin(26);
    writeTimestamp(w, o.timestamp);
    w.end(at);
  }
}

/** Writes the fields of a Part. */
export function writePart(w: BinaryWriter, o: Part): void {
  requireOneArm(o.text !== undefined, o.raw !== undefined, o.url !== undefined, o.data !== undefined);
  if (o.text !== undefined) w.text(10, o.text);
  if (o.raw !== undefined) writeBase64(w, 18, o.raw);
  if (o.url !== undefined) w.text(26, o.url);
  if (o.data !== undefined) {
    const at = w.begin(34);
    writeValue(w, o.data);
    w.end(at);
  }
  if (o.metadata !== undefined) {
    const at = w.begin(42);
    writeStruct(w, o.metadata);
    w.end(at);
  }
  if (o.filename !== undefined && o.filename !== "") w.text(50, o.filename);
  if (o.mediaType !== undefined && o.mediaType !== "") w.text(58, o.mediaType);
}

/** Writes the fields of a Message. */
export function writeMessage(w: BinaryWriter, o: Message): void {
  if (o.messageId !== undefined && o.messageId !== "") w.text(10, o.messageId);
  if (o.contextId !== undefined && o.contextId !== "") w.text(18, o.contextId);
  if (o.taskId !== undefined && o.taskId !== "") w.text(26, o.taskId);
  if (o.role !== undefined) writeEnum(w, 32, o.role, ROLE_NAMES);
  if (o.parts !== undefined) {
    for (const e of o.parts) {
      const at = w.begin(42);
      writePart(w, e);
      w.end(at);
    }
  }
  if (o.metadata !== undefined) {
    const at = w.begin(50);
    writeStruct(w, o.metadata);
    w.end(at);
  }
  if (o.extensions !== undefined) {
    for (const e of o.extensions) {
      w.text(58, e);
    }
  }
  if (o.referenceTaskIds !== undefined) {
    for (const e of o.referenceTaskIds) {
      w.text(66, e);
    }
  }
}

/** Writes the fields of a Artifact. */
export function writeArtifact(w: BinaryWriter, o: Artifact): void {
  if (o.artifactId !== undefined && o.artifactId !== "") w.text(10, o.artifactId);
  if (o.name !== undefined && o.name !== "") w.text(18, o.name);
  if (o.description !== undefined && o.description !== "") w.text(26, o.description);
  if (o.parts !== undefined) {
    for (const e of o.parts) {
      const at = w.begin(34);
      writePart(w, e);
      w.end(at);
    }
  }
  if (o.metadata !== undefined) {
    const at = w.begin(42);
    writeStruct(w, o.metadata);
    w.end(at);
  }
  if (o.extensions !== undefined) {
    for (const e of o.extensions) {
      w.text(50, e);
    }
  }
}

/** Writes the fields of a TaskStatusUpdateEvent. */
export function writeTaskStatusUpdateEvent(w: BinaryWriter, o: TaskStatusUpdateEvent): void {
  if (o.taskId !== undefined && o.taskId !== "") w.text(10, o.taskId);
  if (o.contextId !== undefined && o.contextId !== "") w.text(18, o.contextId);
  if (o.status !== undefined) {
    const at = w.begin(26);
    writeTaskStatus(w, o.status);
    w.end(at);
  }
  if (o.metadata !== undefined) {
    const at = w.begin(34);
    writeStruct(w, o.metadata);
    w.end(at);
  }
}

/** Writes the fields of a TaskArtifactUpdateEvent. */
export function writeTaskArtifactUpdateEvent(w: BinaryWriter, o: TaskArtifactUpdateEvent): void {
  if (o.taskId !== undefined && o.taskId !== "") w.text(10, o.taskId);
  if (o.contextId !== undefined && o.contextId !== "") w.text(18, o.contextId);
  if (o.artifact !== undefined) {
    const at = w.begin(26);
    writeArtifact(w, o.artifact);
    w.end(at);
  }
  if (o.append !== undefined && o.append !== false) w.bool(32, o.append);
  if (o.lastChunk !== undefined && o.lastChunk !== false) w.bool(40, o.lastChunk);
  if (o.metadata !== undefined) {
    const at = w.begin(50);
    writeStruct(w, o.metadata);
    w.end(at);
  }
}

/** Writes the fields of a AuthenticationInfo. */
export function writeAuthenticationInfo(w: BinaryWriter, o: AuthenticationInfo): void {
  if (o.scheme !== undefined && o.scheme !== "") w.text(10, o.scheme);
  if (o.credentials !== undefined && o.credentials !== "") w.text(18, o.credentials);
}

/** Writes the fields of a AgentInterface. */
export function writeAgentInterface(w: BinaryWriter, o: AgentInterface): void {
  if (o.url !== undefined && o.url !== "") w.text(10, o.url);
  if (o.protocolBinding !== undefined && o.protocolBinding !== "") w.text(18, o.protocolBinding);
  if (o.tenant !== undefined && o.tenant !== "") w.text(26, o.tenant);
  if (o.protocolVersion !== undefined && o.protocolVersion !== "") w.text(34, o.protocolVersion);
}

/** Writes the fields of a AgentCard. */
export function writeAgentCard(w: BinaryWriter, o: AgentCard): void {
  if (o.name !== undefined && o.name !== "") w.text(10, o.name);
  if (o.description !== undefined && o.description !== "") w.text(18, o.description);
  if (o.supportedInterfaces !== undefined) {
    for (const e of o.supportedInterfaces) {
      const at = w.begin(26);
      writeAgentInterface(w, e);
      w.end(at);
    }
  }
  if (o.provider !== undefined) {
    const at = w.begin(34);
    writeAgentProvider(w, o.provider);
    w.end(at);
  }
  if (o.version !== undefined && o.version !== "") w.text(42, o.version);
  if (o.documentationUrl !== undefined) w.text(50, o.documentationUrl);
  if (o.capabilities !== undefined) {
    const at = w.begin(58);
    writeAgentCapabilities(w, o.capabilities);
    w.end(at);
  }
  if (o.securitySchemes !== undefined) {
    for (const key in o.securitySchemes) {
      const e = o.securitySchemes[key];
      if (e === undefined) continue;
      const entry = w.begin(66);
      w.text(10, key);
      const at = w.begin(18);
      writeSecurityScheme(w, e);
      w.end(at);
      w.end(entry);
    }
  }
  if (o.securityRequirements !== undefined) {
    for (const e of o.securityRequirements) {
      const at = w.begin(74);
      writeSecurityRequirement(w, e);
      w.end(at);
    }
  }
  if (o.defaultInputModes !== undefined) {
    for (const e of o.defaultInputModes) {
      w.text(82, e);
    }
  }
  if (o.defaultOutputModes !== undefined) {
    for (const e of o.defaultOutputModes) {
      w.text(90, e);
    }
  }
  if (o.skills !== undefined) {
    for (const e of o.skills) {
      const at = w.begin(98);
      writeAgentSkill(w, e);
      w.end(at);
    }
  }
  if (o.signatures !== undefined) {
    for (const e of o.signatures) {
      const at = w.begin(106);
      writeAgentCardSignature(w, e);
      w.end(at);
    }
  }
  if (o.iconUrl !== undefined) w.text(114, o.iconUrl);
}

/** Writes the fields of a AgentProvider. */
export function writeAgentProvider(w: BinaryWriter, o: AgentProvider): void {
  if (o.url !== undefined && o.url !== "") w.text(10, o.url);
  if (o.organization !== undefined && o.organization !== "") w.text(18, o.organization);
}

/** Writes the fields of a AgentCapabilities. */
export function writeAgentCapabilities(w: BinaryWriter, o: AgentCapabilities): void {
  if (o.streaming !== undefined) w.bool(8, o.streaming);
  if (o.pushNotifications !== undefined) w.bool(16, o.pushNotifications);
  if (o.extensions !== undefined) {
    for (const e of o.extensions) {
      const at = w.begin(26);
      writeAgentExtension(w, e);
      w.end(at);
    }
  }
  if (o.extendedAgentCard !== undefined) w.bool(32, o.extendedAgentCard);
}

/** Writes the fields of a AgentExtension. */
export function writeAgentExtension(w: BinaryWriter, o: AgentExtension): void {
  if (o.uri !== undefined && o.uri !== "") w.text(10, o.uri);
  if (o.description !== undefined && o.description !== "") w.text(18, o.description);
  if (o.required !== undefined && o.required !== false) w.bool(24, o.required);
  if (o.params !== undefined) {
    const at = w.begin(34);
    writeStruct(w, o.params);
    w.end(at);
  }
}

/** Writes the fields of a AgentSkill. */
export function writeAgentSkill(w: BinaryWriter, o: AgentSkill): void {
  if (o.id !== undefined && o.id !== "") w.text(10, o.id);
  if (o.name !== undefined && o.name !== "") w.text(18, o.name);
  if (o.description !== undefined && o.description !== "") w.text(26, o.description);
  if (o.tags !== undefined) {
    for (const e of o.tags) {
      w.text(34, e);
    }
  }
  if (o.examples !== undefined) {
    for (const e of o.examples) {
      w.text(42, e);
    }
  }
  if (o.inputModes !== undefined) {
    for (const e of o.inputModes) {
      w.text(50, e);
    }
  }
  if (o.outputModes !== undefined) {
    for (const e of o.outputModes) {
      w.text(58, e);
    }
  }
  if (o.securityRequirements !== undefined) {
    for (const e of o.securityRequirements) {
      const at = w.begin(66);
      writeSecurityRequirement(w, e);
      w.end(at);
    }
  }
}

/** Writes the fields of a AgentCardSignature. */
export function writeAgentCardSignature(w: BinaryWriter, o: AgentCardSignature): void {
  if (o.protected !== undefined && o.protected !== "") w.text(10, o.protected);
  if (o.signature !== undefined && o.signature !== "") w.text(18, o.signature);
  if (o.header !== undefined) {
    const at = w.begin(26);
    writeStruct(w, o.header);
    w.end(at);
  }
}

/** Writes the fields of a TaskPushNotificationConfig. */
export function writeTaskPushNotificationConfig(w: BinaryWriter, o: TaskPushNotificationConfig): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.id !== undefined && o.id !== "") w.text(18, o.id);
  if (o.taskId !== undefined && o.taskId !== "") w.text(26, o.taskId);
  if (o.url !== undefined && o.url !== "") w.text(34, o.url);
  if (o.token !== undefined && o.token !== "") w.text(42, o.token);
  if (o.authentication !== undefined) {
    const at = w.begin(50);
    writeAuthenticationInfo(w, o.authentication);
    w.end(at);
  }
}

/** Writes the fields of a StringList. */
export function writeStringList(w: BinaryWriter, o: StringList): void {
  if (o.list !== undefined) {
    for (const e of o.list) {
      w.text(10, e);
    }
  }
}

/** Writes the fields of a SecurityRequirement. */
export function writeSecurityRequirement(w: BinaryWriter, o: SecurityRequirement): void {
  if (o.schemes !== undefined) {
    for (const key in o.schemes) {
      const e = o.schemes[key];
      if (e === undefined) continue;
      const entry = w.begin(10);
      w.text(10, key);
      const at = w.begin(18);
      writeStringList(w, e);
      w.end(at);
      w.end(entry);
    }
  }
}

/** Writes the fields of a SecurityScheme. */
export function writeSecurityScheme(w: BinaryWriter, o: SecurityScheme): void {
  requireOneArm(o.apiKeySecurityScheme !== undefined, o.httpAuthSecurityScheme !== undefined, o.oauth2SecurityScheme !== undefined, o.openIdConnectSecurityScheme !== undefined, o.mtlsSecurityScheme !== undefined);
  if (o.apiKeySecurityScheme !== undefined) {
    const at = w.begin(10);
    writeAPIKeySecurityScheme(w, o.apiKeySecurityScheme);
    w.end(at);
  }
  if (o.httpAuthSecurityScheme !== undefined) {
    const at = w.begin(18);
    writeHTTPAuthSecurityScheme(w, o.httpAuthSecurityScheme);
    w.end(at);
  }
  if (o.oauth2SecurityScheme !== undefined) {
    const at = w.begin(26);
    writeOAuth2SecurityScheme(w, o.oauth2SecurityScheme);
    w.end(at);
  }
  if (o.openIdConnectSecurityScheme !== undefined) {
    const at = w.begin(34);
    writeOpenIdConnectSecurityScheme(w, o.openIdConnectSecurityScheme);
    w.end(at);
  }
  if (o.mtlsSecurityScheme !== undefined) {
    const at = w.begin(42);
    writeMutualTlsSecurityScheme(w, o.mtlsSecurityScheme);
    w.end(at);
  }
}

/** Writes the fields of a APIKeySecurityScheme. */
export function writeAPIKeySecurityScheme(w: BinaryWriter, o: APIKeySecurityScheme): void {
  if (o.description !== undefined && o.description !== "") w.text(10, o.description);
  if (o.location !== undefined && o.location !== "") w.text(18, o.location);
  if (o.name !== undefined && o.name !== "") w.text(26, o.name);
}

/** Writes the fields of a HTTPAuthSecurityScheme. */
export function writeHTTPAuthSecurityScheme(w: BinaryWriter, o: HTTPAuthSecurityScheme): void {
  if (o.description !== undefined && o.description !== "") w.text(10, o.description);
  if (o.scheme !== undefined && o.scheme !== "") w.text(18, o.scheme);
  if (o.bearerFormat !== undefined && o.bearerFormat !== "") w.text(26, o.bearerFormat);
}

/** Writes the fields of a OAuth2SecurityScheme. */
export function writeOAuth2SecurityScheme(w: BinaryWriter, o: OAuth2SecurityScheme): void {
  if (o.description !== undefined && o.description !== "") w.text(10, o.description);
  if (o.flows !== undefined) {
    const at = w.begin(18);
    writeOAuthFlows(w, o.flows);
    w.end(at);
  }
  if (o.oauth2MetadataUrl !== undefined && o.oauth2MetadataUrl !== "") w.text(26, o.oauth2MetadataUrl);
}

/** Writes the fields of a OpenIdConnectSecurityScheme. */
export function writeOpenIdConnectSecurityScheme(w: BinaryWriter, o: OpenIdConnectSecurityScheme): void {
  if (o.description !== undefined && o.description !== "") w.text(10, o.description);
  if (o.openIdConnectUrl !== undefined && o.openIdConnectUrl !== "") w.text(18, o.openIdConnectUrl);
}

/** Writes the fields of a MutualTlsSecurityScheme. */
export function writeMutualTlsSecurityScheme(w: BinaryWriter, o: MutualTlsSecurityScheme): void {
  if (o.description !== undefined && o.description !== "") w.text(10, o.description);
}

/** Writes the fields of a OAuthFlows. */
export function writeOAuthFlows(w: BinaryWriter, o: OAuthFlows): void {
  requireOneArm(o.authorizationCode !== undefined, o.clientCredentials !== undefined, o.implicit !== undefined, o.password !== undefined, o.deviceCode !== undefined);
  if (o.authorizationCode !== undefined) {
    const at = w.begin(10);
    writeAuthorizationCodeOAuthFlow(w, o.authorizationCode);
    w.end(at);
  }
  if (o.clientCredentials !== undefined) {
    const at = w.begin(18);
    writeClientCredentialsOAuthFlow(w, o.clientCredentials);
    w.end(at);
  }
  if (o.implicit !== undefined) {
    const at = w.begin(26);
    writeImplicitOAuthFlow(w, o.implicit);
    w.end(at);
  }
  if (o.password !== undefined) {
    const at = w.begin(34);
    writePasswordOAuthFlow(w, o.password);
    w.end(at);
  }
  if (o.deviceCode !== undefined) {
    const at = w.begin(42);
    writeDeviceCodeOAuthFlow(w, o.deviceCode);
    w.end(at);
  }
}

/** Writes the fields of a AuthorizationCodeOAuthFlow. */
export function writeAuthorizationCodeOAuthFlow(w: BinaryWriter, o: AuthorizationCodeOAuthFlow): void {
  if (o.authorizationUrl !== undefined && o.authorizationUrl !== "") w.text(10, o.authorizationUrl);
  if (o.tokenUrl !== undefined && o.tokenUrl !== "") w.text(18, o.tokenUrl);
  if (o.refreshUrl !== undefined && o.refreshUrl !== "") w.text(26, o.refreshUrl);
  if (o.scopes !== undefined) {
    for (const key in o.scopes) {
      const e = o.scopes[key];
      if (e === undefined) continue;
      const entry = w.begin(34);
      w.text(10, key);
      w.text(18, e);
      w.end(entry);
    }
  }
  if (o.pkceRequired !== undefined && o.pkceRequired !== false) w.bool(40, o.pkceRequired);
}

/** Writes the fields of a ClientCredentialsOAuthFlow. */
export function writeClientCredentialsOAuthFlow(w: BinaryWriter, o: ClientCredentialsOAuthFlow): void {
  if (o.tokenUrl !== undefined && o.tokenUrl !== "") w.text(10, o.tokenUrl);
  if (o.refreshUrl !== undefined && o.refreshUrl !== "") w.text(18, o.refreshUrl);
  if (o.scopes !== undefined) {
    for (const key in o.scopes) {
      const e = o.scopes[key];
      if (e === undefined) continue;
      const entry = w.begin(26);
      w.text(10, key);
      w.text(18, e);
      w.end(entry);
    }
  }
}

/** Writes the fields of a ImplicitOAuthFlow. */
export function writeImplicitOAuthFlow(w: BinaryWriter, o: ImplicitOAuthFlow): void {
  if (o.authorizationUrl !== undefined && o.authorizationUrl !== "") w.text(10, o.authorizationUrl);
  if (o.refreshUrl !== undefined && o.refreshUrl !== "") w.text(18, o.refreshUrl);
  if (o.scopes !== undefined) {
    for (const key in o.scopes) {
      const e = o.scopes[key];
      if (e === undefined) continue;
      const entry = w.begin(26);
      w.text(10, key);
      w.text(18, e);
      w.end(entry);
    }
  }
}

/** Writes the fields of a PasswordOAuthFlow. */
export function writePasswordOAuthFlow(w: BinaryWriter, o: PasswordOAuthFlow): void {
  if (o.tokenUrl !== undefined && o.tokenUrl !== "") w.text(10, o.tokenUrl);
  if (o.refreshUrl !== undefined && o.refreshUrl !== "") w.text(18, o.refreshUrl);
  if (o.scopes !== undefined) {
    for (const key in o.scopes) {
      const e = o.scopes[key];
      if (e === undefined) continue;
      const entry = w.begin(26);
      w.text(10, key);
      w.text(18, e);
      w.end(entry);
    }
  }
}

/** Writes the fields of a DeviceCodeOAuthFlow. */
export function writeDeviceCodeOAuthFlow(w: BinaryWriter, o: DeviceCodeOAuthFlow): void {
  if (o.deviceAuthorizationUrl !== undefined && o.deviceAuthorizationUrl !== "") w.text(10, o.deviceAuthorizationUrl);
  if (o.tokenUrl !== undefined && o.tokenUrl !== "") w.text(18, o.tokenUrl);
  if (o.refreshUrl !== undefined && o.refreshUrl !== "") w.text(26, o.refreshUrl);
  if (o.scopes !== undefined) {
    for (const key in o.scopes) {
      const e = o.scopes[key];
      if (e === undefined) continue;
      const entry = w.begin(34);
      w.text(10, key);
      w.text(18, e);
      w.end(entry);
    }
  }
}

/** Writes the fields of a SendMessageRequest. */
export function writeSendMessageRequest(w: BinaryWriter, o: SendMessageRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.message !== undefined) {
    const at = w.begin(18);
    writeMessage(w, o.message);
    w.end(at);
  }
  if (o.configuration !== undefined) {
    const at = w.begin(26);
    writeSendMessageConfiguration(w, o.configuration);
    w.end(at);
  }
  if (o.metadata !== undefined) {
    const at = w.begin(34);
    writeStruct(w, o.metadata);
    w.end(at);
  }
}

/** Writes the fields of a GetTaskRequest. */
export function writeGetTaskRequest(w: BinaryWriter, o: GetTaskRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.id !== undefined && o.id !== "") w.text(18, o.id);
  if (o.historyLength !== undefined) w.int(24, o.historyLength);
}

/** Writes the fields of a ListTasksRequest. */
export function writeListTasksRequest(w: BinaryWriter, o: ListTasksRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.contextId !== undefined && o.contextId !== "") w.text(18, o.contextId);
  if (o.status !== undefined) writeEnum(w, 24, o.status, TASK_STATE_NAMES);
  if (o.pageSize !== undefined) w.int(32, o.pageSize);
  if (o.pageToken !== undefined && o.pageToken !== "") w.text(42, o.pageToken);
  if (o.historyLength !== undefined) w.int(48, o.historyLength);
  if (o.statusTimestampAfter !== undefined) {
    const at = w.begin(58);
    writeTimestamp(w, o.statusTimestampAfter);
    w.end(at);
  }
  if (o.includeArtifacts !== undefined) w.bool(64, o.includeArtifacts);
}

/** Writes the fields of a ListTasksResponse. */
export function writeListTasksResponse(w: BinaryWriter, o: ListTasksResponse): void {
  if (o.tasks !== undefined) {
    for (const e of o.tasks) {
      const at = w.begin(10);
      writeTask(w, e);
      w.end(at);
    }
  }
  if (o.nextPageToken !== undefined && o.nextPageToken !== "") w.text(18, o.nextPageToken);
  if (o.pageSize !== undefined && o.pageSize !== 0) w.int(24, o.pageSize);
  if (o.totalSize !== undefined && o.totalSize !== 0) w.int(32, o.totalSize);
}

/** Writes the fields of a CancelTaskRequest. */
export function writeCancelTaskRequest(w: BinaryWriter, o: CancelTaskRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.id !== undefined && o.id !== "") w.text(18, o.id);
  if (o.metadata !== undefined) {
    const at = w.begin(26);
    writeStruct(w, o.metadata);
    w.end(at);
  }
}

/** Writes the fields of a GetTaskPushNotificationConfigRequest. */
export function writeGetTaskPushNotificationConfigRequest(w: BinaryWriter, o: GetTaskPushNotificationConfigRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.taskId !== undefined && o.taskId !== "") w.text(18, o.taskId);
  if (o.id !== undefined && o.id !== "") w.text(26, o.id);
}

/** Writes the fields of a DeleteTaskPushNotificationConfigRequest. */
export function writeDeleteTaskPushNotificationConfigRequest(w: BinaryWriter, o: DeleteTaskPushNotificationConfigRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.taskId !== undefined && o.taskId !== "") w.text(18, o.taskId);
  if (o.id !== undefined && o.id !== "") w.text(26, o.id);
}

/** Writes the fields of a SubscribeToTaskRequest. */
export function writeSubscribeToTaskRequest(w: BinaryWriter, o: SubscribeToTaskRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
  if (o.id !== undefined && o.id !== "") w.text(18, o.id);
}

/** Writes the fields of a ListTaskPushNotificationConfigsRequest. */
export function writeListTaskPushNotificationConfigsRequest(w: BinaryWriter, o: ListTaskPushNotificationConfigsRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(34, o.tenant);
  if (o.taskId !== undefined && o.taskId !== "") w.text(10, o.taskId);
  if (o.pageSize !== undefined && o.pageSize !== 0) w.int(16, o.pageSize);
  if (o.pageToken !== undefined && o.pageToken !== "") w.text(26, o.pageToken);
}

/** Writes the fields of a GetExtendedAgentCardRequest. */
export function writeGetExtendedAgentCardRequest(w: BinaryWriter, o: GetExtendedAgentCardRequest): void {
  if (o.tenant !== undefined && o.tenant !== "") w.text(10, o.tenant);
}

/** Writes the fields of a SendMessageResponse. */
export function writeSendMessageResponse(w: BinaryWriter, o: SendMessageResponse): void {
  requireOneArm(o.task !== undefined, o.message !== undefined);
  if (o.task !== undefined) {
    const at = w.begin(10);
    writeTask(w, o.task);
    w.end(at);
  }
  if (o.message !== undefined) {
    const at = w.begin(18);
    writeMessage(w, o.message);
    w.end(at);
  }
}

/** Writes the fields of a StreamResponse. */
export function writeStreamResponse(w: BinaryWriter, o: StreamResponse): void {
  requireOneArm(o.task !== undefined, o.message !== undefined, o.statusUpdate !== undefined, o.artifactUpdate !== undefined);
  if (o.task !== undefined) {
    const at = w.begin(10);
    writeTask(w, o.task);
    w.end(at);
  }
  if (o.message !== undefined) {
    const at = w.begin(18);
    writeMessage(w, o.message);
    w.end(at);
  }
  if (o.statusUpdate !== undefined) {
    const at = w.begin(26);
    writeTaskStatusUpdateEvent(w, o.statusUpdate);
    w.end(at);
  }
  if (o.artifactUpdate !== undefined) {
    const at = w.begin(34);
    writeTaskArtifactUpdateEvent(w, o.artifactUpdate);
    w.end(at);
  }
}

/** Writes the fields of a ListTaskPushNotificationConfigsResponse. */
export function writeListTaskPushNotificationConfigsResponse(w: BinaryWriter, o: ListTaskPushNotificationConfigsResponse): void {
  if (o.configs !== undefined) {
    for (const e of o.configs) {
      const at = w.begin(10);
      writeTaskPushNotificationConfig(w, e);
      w.end(at);
    }
  }
  if (o.nextPageToken !== undefined && o.nextPageToken !== "") w.text(18, o.nextPageToken);
}

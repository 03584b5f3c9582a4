import { type Check, type Loose, show, violate, warn } from "./notes.ts";

/**
 * Answers to the old and mistaken forms that tutorials and earlier versions of the protocol have spread: what was
 * written, and what to write in its place. Everything here runs only for fields that the protocol does not have.
 */

/** Fields that are ignored with a warning: they had a meaning once, or look as if they had one. */
const HINTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["AgentCard.authentication", "has no authentication: use securitySchemes and securityRequirements"],
  ["AgentCard.security", "has no security: use securityRequirements"],
  ["AgentCard.url", "has no url: use supportedInterfaces"],
  ["AgentCard.preferredTransport", "has no preferredTransport: use supportedInterfaces, the first is preferred"],
  ["AgentCard.additionalInterfaces", "has no additionalInterfaces: use supportedInterfaces"],
  ["AgentCard.protocolVersion", "has no protocolVersion: each of supportedInterfaces has its own"],
  [
    "AgentCard.supportsAuthenticatedExtendedCard",
    "has no supportsAuthenticatedExtendedCard: use capabilities.extendedAgentCard",
  ],
  ["AgentCard.supportsStreaming", "has no supportsStreaming: use capabilities.streaming"],
  ["AgentCapabilities.supportsStreaming", "has no supportsStreaming: use streaming"],
  ["AgentCapabilities.supportsPushNotifications", "has no supportsPushNotifications: use pushNotifications"],
  ["AgentCapabilities.stateTransitionHistory", "has no stateTransitionHistory: it was removed"],
  ["AgentInterface.transport", "has no transport: use protocolBinding"],
  [
    "SecurityScheme.type",
    'has no type: the member says the kind, such as {"httpAuthSecurityScheme":{"scheme":"Bearer"}}',
  ],
  ["SendMessageConfiguration.blocking", "has no blocking: use returnImmediately, which means the opposite"],
  ["SendMessageConfiguration.pushNotificationConfig", "has no pushNotificationConfig: use taskPushNotificationConfig"],
  ["Part.mimeType", "has no mimeType: use mediaType"],
  ["Part.mime_type", "has no mime_type: use mediaType"],
  ["TaskStatusUpdateEvent.final", "has no final: the state says whether the task has ended"],
]);

/**
 * Comments on a field that its message does not have. Most are ignored, as the protocol wants; a few cannot be,
 * because what the sender meant would be lost.
 *
 * @param message - The name of the message, such as `Part`.
 * @param object - The message itself, the field already taken out.
 * @param key - The name of the field.
 * @param value - Its value.
 * @param check - Takes the note.
 */
export function teachUnknownField(message: string, object: Loose, key: string, value: unknown, check: Check): void {
  if (teachMistake(message, object, key, value, check)) return;
  const hint = HINTS.get(`${message}.${key}`);
  if (hint !== undefined) warn(check, key, `${message} ${hint}`);
}

/** @returns True when the field was dealt with: the sender's meaning would be lost by ignoring it. */
function teachMistake(message: string, object: Loose, key: string, value: unknown, check: Check): boolean {
  switch (message) {
    case "Part":
      if (key === "kind") return teachKind(partKindHint(value), check);
      if (key !== "file") return false;
      violate(check, "", `${key} is not a member of a part: write ${filePart(value)}`);
      return true;
    case "Message":
      if (key === "kind") return teachKind("leave it out", check);
      if ((key !== "text" && key !== "content") || Array.isArray(object["parts"])) return false;
      violate(check, key, `a message has no ${key}: write ${messageOf(value)}`);
      return true;
    case "SendMessageRequest":
      return teachSend(object, key, check);
    case "TaskPushNotificationConfig":
      if (key !== "pushNotificationConfig" && key !== "push_notification_config") return false;
      violate(check, key, "has no such member: url, token and authentication stand beside taskId");
      return true;
    default:
      return false;
  }
}

function teachKind(advice: string, check: Check): true {
  violate(check, "kind", `kind belongs to A2A 0.3: ${advice}`);
  return true;
}

function partKindHint(kind: unknown): string {
  if (kind === "file") return 'write {"url":"…"} or {"raw":"<base64>"}, with filename and mediaType beside it';
  return kind === "data" ? 'write {"data":…}' : 'write {"text":"…"}';
}

function filePart(file: unknown): string {
  const { uri, bytes, name, mimeType } = (typeof file === "object" && file !== null ? file : {}) as Loose;
  const content = typeof bytes === "string" && uri === undefined ? '"raw":"<base64>"' : `"url":${text(uri, "…")}`;
  return `{${content},"filename":${text(name, "report.pdf")},"mediaType":${text(mimeType, "application/pdf")}}`;
}

function text(value: unknown, otherwise: string): string {
  return show(typeof value === "string" ? value : otherwise);
}

function messageOf(value: unknown): string {
  return `{"messageId":"<a new id>","role":"ROLE_USER or ROLE_AGENT","parts":[{"text":${text(value, "…")}}]}`;
}

function teachSend(object: Loose, key: string, check: Check): boolean {
  switch (key) {
    case "taskId":
    case "task_id":
      violate(check, key, "belongs into the message: write message.taskId");
      return true;
    case "contextId":
    case "context_id":
      violate(check, key, "belongs into the message: write message.contextId");
      return true;
    case "jsonrpc":
      if (object["message"] !== undefined) return false;
      violate(
        check,
        key,
        "this is a JSON-RPC envelope: post only what is in its params, or post it to the JSON-RPC URL",
      );
      return true;
    default:
      return false;
  }
}

/**
 * What to say about a REQUIRED field that is not there.
 *
 * @param message - The name of the message.
 * @param field - The missing field.
 * @param isList - Whether it is a list, which must not be empty either.
 * @returns A description for a violation.
 */
export function teachMissing(message: string, field: string, isList: boolean): string {
  switch (`${message}.${field}`) {
    case "Message.messageId":
      return "is required: make a new id for each message, such as a UUID";
    case "Message.role":
      return "is required: ROLE_USER from a client, ROLE_AGENT from an agent";
    case "Message.parts":
    case "Artifact.parts":
      return 'is required: give at least one part, such as {"text":"…"}';
    case "SendMessageRequest.message":
      return 'is required: write {"message":{"messageId":"<a new id>","role":"ROLE_USER","parts":[{"text":"…"}]}}';
    case "TaskStatus.state":
      return "is required: one of the TASK_STATE_ names, such as TASK_STATE_WORKING";
    default:
      return isList ? "is required: give at least one entry" : "is required";
  }
}

/**
 * What to say about an object with none of the members of its oneof.
 *
 * @param message - The name of the message.
 * @param arms - The members.
 * @returns A description for a violation.
 */
export function teachNoArm(message: string, arms: readonly string[]): string {
  if (message === "Part") return 'has no content: give exactly one of text, raw, url, data, such as {"text":"…"}';
  const shape = arms.map((arm) => `{"${arm}":{…}}`).join(" or ");
  return `must be ${shape}`;
}

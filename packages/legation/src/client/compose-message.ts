import type { Message, Part } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import { invalidField } from "../operations/errors.ts";

/** A message before the client fills in what is missing: id and role. A complete wire `Message` is one, too. */
export interface MessageDraft {
  readonly parts: readonly Part[];
  readonly messageId?: string | undefined;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
  readonly referenceTaskIds?: readonly string[] | undefined;
}

/** What can be sent: a text, one part, several parts, or a message. */
export type Sendable = string | Part | readonly Part[] | MessageDraft;

/** What surrounds a message; a message that says something itself keeps it. */
export interface MessageFrame {
  readonly messageId?: string | undefined;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly messageMetadata?: JsonObject | undefined;
  readonly messageExtensions?: readonly string[] | undefined;
  readonly referenceTaskIds?: readonly string[] | undefined;
}

/**
 * Makes the wire Message of what a caller sends.
 *
 * @param content a text, a part, parts or a message
 * @param frame ids and metadata; what the message itself says counts first, metadata are merged
 * @param newId gives the messageId where none is given
 * @throws INVALID_PARAMS when there is no part, or a part has not exactly one of text, raw, url and data
 */
export function composeMessage(content: Sendable, frame: MessageFrame, newId: () => string): Message {
  const draft = toDraft(content);
  if (draft.parts.length === 0)
    throw invalidField("message.parts", 'must hold at least one part, such as { text: "hello" }');
  draft.parts.forEach(checkPart);
  const message: Message = {
    messageId: given(draft.messageId) ?? given(frame.messageId) ?? newId(),
    role: "ROLE_USER",
    parts: [...draft.parts],
  };
  const contextId = given(draft.contextId) ?? given(frame.contextId);
  if (contextId !== undefined) message.contextId = contextId;
  const taskId = given(draft.taskId) ?? given(frame.taskId);
  if (taskId !== undefined) message.taskId = taskId;
  const metadata = { ...frame.messageMetadata, ...draft.metadata };
  if (Object.keys(metadata).length > 0) message.metadata = metadata;
  const extensions = [...new Set([...(frame.messageExtensions ?? []), ...(draft.extensions ?? [])])];
  if (extensions.length > 0) message.extensions = extensions;
  const references = [...new Set([...(frame.referenceTaskIds ?? []), ...(draft.referenceTaskIds ?? [])])];
  if (references.length > 0) message.referenceTaskIds = references;
  return message;
}

function toDraft(content: Sendable): MessageDraft {
  if (typeof content === "string") return { parts: [{ text: content }] };
  if (isParts(content)) return { parts: content };
  if ("parts" in content) return content;
  return { parts: [content] };
}

// Array.isArray does not narrow a readonly array.
function isParts(content: Exclude<Sendable, string>): content is readonly Part[] {
  return Array.isArray(content);
}

function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function checkPart(part: Part, index: number): void {
  const arms = [part.text, part.raw, part.url, part.data].filter((arm) => arm !== undefined);
  if (arms.length === 1) return;
  const found = `${arms.length} of them, keys ${Object.keys(part).join(", ") || "none"}`;
  const legacy = "kind" in part || "file" in part ? "; `kind` and `file` are the forms of version 0.3" : "";
  throw invalidField(`message.parts[${index}]`, `needs exactly one of text, raw, url and data, has ${found}${legacy}`);
}

import type { AgentCard, SendMessageConfiguration, SendMessageRequest } from "../model/gen/types.ts";
import { A2AError, LocalError } from "../operations/errors.ts";
import { SKILL_EXTENSION } from "../operations/extension-uris.ts";
import { composeMessage, type Sendable } from "./compose-message.ts";
import type { SendOptions } from "./send-options.ts";

/** A send as it goes out, and the extensions that it uses. */
export interface PreparedSend {
  readonly request: SendMessageRequest;
  readonly extensions: readonly string[];
}

/**
 * Makes the request of a send, and refuses what the card shows to be in vain.
 *
 * @throws INVALID_PARAMS for a message that is none, PUSH_NOTIFICATION_NOT_SUPPORTED for a webhook without the
 *   capability, LocalError CONFIGURATION for a skill that the card does not have
 */
export function buildSendRequest(
  card: AgentCard,
  content: Sendable,
  options: SendOptions,
  newId: () => string,
): PreparedSend {
  if (options.push !== undefined) requirePush(card);
  const { frame, extensions } = withSkill(card, options);
  const request: SendMessageRequest = { message: composeMessage(content, frame, newId) };
  const configuration: SendMessageConfiguration = {};
  if (options.acceptedOutputModes !== undefined) configuration.acceptedOutputModes = [...options.acceptedOutputModes];
  if (options.push !== undefined) configuration.taskPushNotificationConfig = options.push;
  if (options.historyLength !== undefined) configuration.historyLength = options.historyLength;
  if (options.returnImmediately === true) configuration.returnImmediately = true;
  if (Object.keys(configuration).length > 0) request.configuration = configuration;
  if (options.metadata !== undefined) request.metadata = options.metadata;
  return { request, extensions };
}

/** @throws PUSH_NOTIFICATION_NOT_SUPPORTED */
export function requirePush({ name, capabilities }: AgentCard): void {
  if (capabilities.pushNotifications === true) return;
  throw new A2AError(
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    `${name} sends no push notifications (capabilities.pushNotifications); stream or poll instead`,
  );
}

function withSkill(
  card: AgentCard,
  options: SendOptions,
): { readonly frame: SendOptions; readonly extensions: readonly string[] } {
  const { skill } = options;
  const extensions = options.extensions ?? [];
  if (skill === undefined) return { frame: options, extensions };
  if (!card.skills.some(({ id }) => id === skill)) {
    const known = card.skills.map(({ id }) => id).join(", ") || "none";
    throw new LocalError("CONFIGURATION", `${card.name} has no skill ${skill}; it has ${known}`);
  }
  // The metadata says the same to an agent that reads it without declaring the extension; the header would be in vain.
  const messageMetadata = { ...options.messageMetadata, [SKILL_EXTENSION]: { skillId: skill } };
  const isDeclared = card.capabilities.extensions?.some(({ uri }) => uri === SKILL_EXTENSION) === true;
  if (!isDeclared) return { frame: { ...options, messageMetadata }, extensions };
  const messageExtensions = [...(options.messageExtensions ?? []), SKILL_EXTENSION];
  return { frame: { ...options, messageMetadata, messageExtensions }, extensions: [...extensions, SKILL_EXTENSION] };
}

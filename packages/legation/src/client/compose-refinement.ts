import { LocalError } from "../operations/errors.ts";
import { composeMessage, type MessageDraft, type Sendable } from "./compose-message.ts";
import type { RefineOptions, TaskHandle } from "./reply.ts";

/**
 * Makes the message that asks for something on top of a task: in its context, with a reference to it, and where one
 * artifact is meant with its id in every part.
 *
 * @param task what is refined
 * @param content as `composeMessage` takes it
 * @param options what surrounds the message; `artifact` by name or id
 * @param newId gives the messageId where none is given
 * @throws LocalError CONFIGURATION when the task has no such artifact; INVALID_PARAMS for a message that is none
 * @see specification §3.4.3
 */
export function composeRefinement(
  task: TaskHandle,
  content: Sendable,
  { artifact, ...frame }: RefineOptions,
  newId: () => string,
): MessageDraft {
  const message = composeMessage(content, frame, newId);
  const refined = artifact === undefined ? undefined : task.artifact(artifact);
  if (artifact !== undefined && refined === undefined) {
    const known = task.artifacts.map(({ name }) => name).join(", ") || "none";
    throw new LocalError("CONFIGURATION", `task ${task.id} has no artifact ${artifact}; it has ${known}`);
  }
  const named = refined && { taskId: task.id, artifactId: refined.artifactId };
  const parts = named
    ? message.parts.map((part) => ({ ...part, metadata: { ...part.metadata, ...named } }))
    : message.parts;
  const referenceTaskIds = [...new Set([task.id, ...(message.referenceTaskIds ?? [])])];
  // A new task: the old one is terminal or goes its own way.
  const { taskId: _, ...kept } = message;
  return { ...kept, parts, referenceTaskIds, contextId: task.contextId ?? message.contextId };
}

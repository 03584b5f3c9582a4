import type { Message, StreamResponse, Task, TaskStatus } from "../model/gen/types.ts";
import { renderArtifact, renderMessage } from "./render-parts.ts";
import { shortState } from "./task-states.ts";
import { formatField } from "./text-output.ts";

/** The three fields that every answer about a task has. */
export interface TaskFacts {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: string;
}

/** The facts of a task. */
export function factsOf(task: Task): TaskFacts {
  return { taskId: task.id, contextId: task.contextId ?? "", state: task.status.state };
}

/** `Task`, `Context` and `State`. */
export function renderFacts({ taskId, contextId, state }: TaskFacts): string {
  return formatField("Task", taskId) + formatField("Context", contextId) + formatField("State", shortState(state));
}

function renderStatus(status: TaskStatus, isVerbose: boolean): string {
  const time = isVerbose && status.timestamp !== undefined ? formatField("Since", status.timestamp) : "";
  return time + (status.message === undefined ? "" : renderMessage("Status", status.message, isVerbose));
}

/** A whole task: facts, what the agent says, artifacts, and the history where it was asked for. */
export function renderTask(
  task: Task,
  options: { readonly isVerbose: boolean; readonly withHistory: boolean },
): string {
  const { isVerbose, withHistory } = options;
  let text = renderFacts(factsOf(task)) + renderStatus(task.status, isVerbose);
  for (const artifact of task.artifacts ?? []) text += renderArtifact(artifact, isVerbose);
  if (withHistory) {
    for (const message of task.history ?? []) {
      text += formatField("History", `${message.role.replace(/^ROLE_/, "").toLowerCase()} ${message.messageId}`);
      text += renderMessage("History", message, isVerbose);
    }
  }
  if (isVerbose && task.metadata !== undefined) text += formatField("Metadata", JSON.stringify(task.metadata));
  return text;
}

/** A reply that needed no task. */
export function renderReply(message: Message, isVerbose: boolean): string {
  let text = formatField("Message", message.messageId);
  if (message.contextId !== undefined) text += formatField("Context", message.contextId);
  if (message.taskId !== undefined) text += formatField("Task", message.taskId);
  return text + renderMessage("Message", message, isVerbose);
}

/** One event of a stream. */
export function renderEvent(event: StreamResponse, isVerbose: boolean): string {
  if (event.task !== undefined) return renderTask(event.task, { isVerbose, withHistory: isVerbose });
  if (event.message !== undefined) return renderReply(event.message, isVerbose);
  if (event.statusUpdate !== undefined) {
    const { taskId, contextId, status } = event.statusUpdate;
    return renderFacts({ taskId, contextId, state: status.state }) + renderStatus(status, isVerbose);
  }
  if (event.artifactUpdate !== undefined) {
    const { artifact, append, lastChunk } = event.artifactUpdate;
    const chunk = append === true ? formatField("Append", lastChunk === true ? "yes, last" : "yes") : "";
    return chunk + renderArtifact(artifact, isVerbose);
  }
  return "";
}

/**
 * What a handler sees of the context of its task: the other tasks that the same caller has in it, on this agent.
 *
 * It is read from the store when it is asked for, and is not a decision: after a crash the replay may see more than
 * the first run did. Put what the handler's course depends on into a `step`.
 */
import type { Engine, Scope } from "../engine/engine.ts";
import type { Artifact, Message, Task } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";

/** An artifact and the task that made it. */
export interface ContextArtifact {
  readonly taskId: string;
  readonly artifact: Artifact;
}

/** The context of a task or message, as far as its caller may see it. */
export interface ContextView {
  readonly id: string;
  /** The tasks of the context with history and artifacts, the one that was touched last at the end; the newest 100. */
  tasks(): Promise<readonly Task[]>;
  /** What was said in these tasks, task by task: histories, each followed by the message of its status. */
  messages(): Promise<readonly Message[]>;
  /** The artifacts of these tasks, task by task. */
  artifacts(): Promise<readonly ContextArtifact[]>;
}

/** What a message refers to. */
export interface Referenced {
  /** The artifact that is meant, when there is no doubt. */
  readonly artifact: ContextArtifact | undefined;
  /** All that may be meant: one when `artifact` is set; several to ask about; none in a new context. */
  readonly candidates: readonly ContextArtifact[];
}

/** One page of ListTasks is what a handler looks back upon. */
const MAX_CONTEXT_TASKS = 100;

/** Makes the view of one context for one caller. */
export function createContextView(engine: Engine, scope: Scope, contextId: string): ContextView {
  async function tasks(): Promise<readonly Task[]> {
    const page = await engine.listTasks(scope, { contextId, limit: MAX_CONTEXT_TASKS, artifacts: true });
    return page.tasks.map((json) => JSON.parse(json) as Task).reverse();
  }
  return {
    id: contextId,
    tasks,
    async messages() {
      return (await tasks()).flatMap((task) => [
        ...(task.history ?? []),
        ...(task.status.message === undefined ? [] : [task.status.message]),
      ]);
    },
    async artifacts() {
      return artifactsOf(await tasks());
    },
  };
}

/**
 * Finds the artifact that a message means: by `artifactId` or `taskId` in the metadata of its parts, else by
 * `referenceTaskIds`, else what the context holds. An artifact that a later task has refined (it refers to the task
 * and keeps the name) is not meant unless it is named.
 *
 * @param ownTaskId the task of the message itself, which is never meant; undefined before there is one
 */
export async function findReferenced(
  context: ContextView,
  message: Message,
  ownTaskId?: string | undefined,
): Promise<Referenced> {
  const tasks = (await context.tasks()).filter((task) => task.id !== ownTaskId);
  const all = artifactsOf(tasks);
  const named = all.filter((candidate) => isNamedBy(candidate, message));
  if (named.length > 0) return referenced(named);
  const ids = message.referenceTaskIds ?? [];
  const byTask = all.filter(({ taskId }) => ids.includes(taskId));
  if (byTask.length > 0) return referenced(byTask);
  return referenced(all.filter((candidate) => !isRefined(candidate, tasks)));
}

function referenced(candidates: readonly ContextArtifact[]): Referenced {
  return { artifact: candidates.length === 1 ? candidates[0] : undefined, candidates };
}

function artifactsOf(tasks: readonly Task[]): ContextArtifact[] {
  return tasks.flatMap((task) => (task.artifacts ?? []).map((artifact) => ({ taskId: task.id, artifact })));
}

function isNamedBy({ taskId, artifact }: ContextArtifact, message: Message): boolean {
  return message.parts.some(({ metadata }) => {
    if (!isJsonObject(metadata)) return false;
    const { artifactId: wantedArtifact, taskId: wantedTask } = metadata;
    if (wantedArtifact === undefined && wantedTask === undefined) return false;
    return (
      (wantedArtifact === undefined || wantedArtifact === artifact.artifactId) &&
      (wantedTask === undefined || wantedTask === taskId)
    );
  });
}

function isRefined({ taskId, artifact }: ContextArtifact, tasks: readonly Task[]): boolean {
  return tasks.some(
    (task) =>
      task.id !== taskId &&
      (task.history ?? []).some(({ referenceTaskIds }) => referenceTaskIds?.includes(taskId) === true) &&
      (task.artifacts ?? []).some(({ name }) => name !== undefined && name === artifact.name),
  );
}

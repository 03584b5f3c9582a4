/**
 * The projection of the house: what a Task is after an event. The engine, the client and the console all fold with
 * this one function.
 */
import type { Artifact, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatus } from "./gen/types.ts";

/**
 * Folds one event into a task and gives the task as it is afterwards. The task is changed in place, and takes over
 * what the event holds: an append costs what its chunk is long, whatever is there already. A status that is replaced
 * leaves its message in the history; a snapshot in mid-stream replaces the state but never erases artifacts or
 * history that it does not carry.
 *
 * A `message` event does not belong to a task and changes nothing.
 *
 * @param task the task so far; undefined before the first event
 * @param event a canonical event; not to be used afterwards by the caller
 * @returns the same object when there was one
 * @throws TypeError when an event other than a snapshot or a Message comes first
 * @see specification §3.1.2, §4.2
 */
export function applyStreamResponse(task: Task | undefined, event: StreamResponse): Task | undefined {
  if (event.task !== undefined) return applySnapshot(task, event.task);
  if (event.message !== undefined) return task;
  if (task === undefined) throw new TypeError("the first event of a task must be the task itself");
  if (event.statusUpdate !== undefined) applyStatus(task, event.statusUpdate.status);
  else if (event.artifactUpdate !== undefined) applyArtifact(task, event.artifactUpdate);
  return task;
}

function applySnapshot(task: Task | undefined, snapshot: Task): Task {
  if (task === undefined) return snapshot;
  task.status = snapshot.status;
  if (snapshot.contextId !== undefined) task.contextId = snapshot.contextId;
  if (snapshot.artifacts !== undefined) task.artifacts = withUncarried(snapshot.artifacts, task.artifacts ?? []);
  if (snapshot.history !== undefined) task.history = snapshot.history;
  if (snapshot.metadata !== undefined) task.metadata = snapshot.metadata;
  return task;
}

/** Some peers' snapshots carry only what changed last: what they leave out is still there. */
function withUncarried(carried: Artifact[], known: readonly Artifact[]): Artifact[] {
  for (const artifact of known) if (indexOfArtifact(carried, artifact.artifactId) < 0) carried.push(artifact);
  return carried;
}

/**
 * Puts a status in place; the message of the one before it moves to the history (§3.7).
 *
 * @param arrivedSince how many messages of the history came after the status that is replaced: its message goes
 *   before them, so that the history keeps the order of arrival
 */
export function applyStatus(task: Task, status: TaskStatus, arrivedSince = 0): void {
  const superseded = task.status.message;
  if (superseded !== undefined) {
    if (task.history === undefined) task.history = [superseded];
    else if (arrivedSince === 0) task.history.push(superseded);
    else task.history.splice(Math.max(0, task.history.length - arrivedSince), 0, superseded);
  }
  task.status = status;
}

/** Replaces an artifact, or appends to the one of that id: parts in order, metadata by key. */
export function applyArtifact(task: Task, update: TaskArtifactUpdateEvent): void {
  const artifacts = task.artifacts;
  if (artifacts === undefined) {
    task.artifacts = [update.artifact];
    return;
  }
  const at = indexOfArtifact(artifacts, update.artifact.artifactId);
  const known = at < 0 ? undefined : artifacts[at];
  if (known === undefined) artifacts.push(update.artifact);
  else if (update.append === true) mergeArtifact(known, update.artifact);
  else artifacts[at] = update.artifact;
}

/** From the end, where the artifact that is being written mostly is. */
function indexOfArtifact(artifacts: readonly Artifact[], artifactId: string): number {
  for (let index = artifacts.length - 1; index >= 0; index--) {
    if (artifacts[index]?.artifactId === artifactId) return index;
  }
  return -1;
}

function mergeArtifact(known: Artifact, chunk: Artifact): void {
  for (const part of chunk.parts) known.parts.push(part);
  if (chunk.name !== undefined) known.name = chunk.name;
  if (chunk.description !== undefined) known.description = chunk.description;
  if (chunk.metadata !== undefined) {
    known.metadata = known.metadata === undefined ? chunk.metadata : { ...known.metadata, ...chunk.metadata };
  }
  if (chunk.extensions !== undefined) {
    known.extensions = [...new Set([...(known.extensions ?? []), ...chunk.extensions])];
  }
}

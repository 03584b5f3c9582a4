/**
 * What a Task is after its log: the fold of the model, and what the engine's own entries add to it.
 */
import { applyArtifact, applyStatus } from "../model/apply-stream-response.ts";
import type { Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatus } from "../model/gen/types.ts";
import type { MessageEntry } from "./journal.ts";
import type { EventKind, EventRow, TaskIdentity } from "./store.ts";

/** A task as of some seq of its log. Changed in place; see {@link applyArtifact} for what that costs. */
export interface Projection {
  task: Task;
  /** Messages that came after the last status. */
  since: number;
}

/**
 * The content of a log entry that changes the Task; other kinds are the journal's. `json`, where it is at hand, is that
 * of the status of a new task, of the message, of the status (`said`: of the message in it), or of the artifact.
 */
export type Change =
  | { readonly kind: "created"; readonly task: Task; readonly json?: string | undefined }
  | { readonly kind: "message"; readonly message: Message; readonly json?: string | undefined }
  | {
      readonly kind: "status";
      readonly status: TaskStatus;
      readonly json?: string | undefined;
      readonly said?: string | undefined;
      /** Whose it is. */
      readonly of?: Pick<TaskIdentity, "id" | "contextId"> | undefined;
    }
  | { readonly kind: "artifact"; readonly update: TaskArtifactUpdateEvent; readonly json?: string | undefined };

/** Folds one change. The projection takes over what the change holds. */
export function applyChange(projection: Projection, change: Change): void {
  switch (change.kind) {
    case "created":
      return;
    case "message":
      if (projection.task.history === undefined) projection.task.history = [change.message];
      else projection.task.history.push(change.message);
      projection.since += 1;
      return;
    case "status":
      applyStatus(projection.task, change.status, projection.since);
      projection.since = 0;
      return;
    case "artifact":
      applyArtifact(projection.task, change.update);
  }
}

/** The change that an entry means, or undefined for an entry of the journal and for one whose payload was erased. */
export function changeOf(kind: EventKind, payload: string): Change | undefined {
  if (payload === "") return undefined;
  switch (kind) {
    case "message":
      return { kind, message: (JSON.parse(payload) as MessageEntry).message };
    case "status": {
      const event = JSON.parse(payload) as StreamResponse;
      return event.statusUpdate === undefined ? undefined : { kind, status: event.statusUpdate.status };
    }
    case "artifact": {
      const event = JSON.parse(payload) as StreamResponse;
      return event.artifactUpdate === undefined ? undefined : { kind, update: event.artifactUpdate };
    }
    default:
      return undefined;
  }
}

/** Folds entries as they are read from a store; the first entry of a whole log makes the task. */
export function foldRows(projection: Projection | undefined, rows: readonly EventRow[]): Projection | undefined {
  let folded = projection;
  for (const row of rows) {
    if (row.kind === "created" && folded === undefined) {
      folded = { task: JSON.parse(row.payload) as Task, since: 0 };
      continue;
    }
    const change = folded === undefined ? undefined : changeOf(row.kind, row.payload);
    if (folded !== undefined && change !== undefined) applyChange(folded, change);
  }
  return folded;
}

/** How much of a task an answer carries. */
export interface TaskShape {
  /** Newest messages; undefined is all up to the cap, 0 leaves the field out (§3.2.4). */
  readonly historyLength?: number | undefined;
  /** False leaves the artifacts out (§3.1.4). */
  readonly artifacts?: boolean | undefined;
}

/** Serialises a task in a shape; nothing of it is copied but the list of messages that are kept. */
export function shapeTask(task: Task, shape: TaskShape, historyCap: number): string {
  return JSON.stringify(shapedTask(task, shape, historyCap));
}

/** What {@link shapeTask} serialises. */
export function shapedTask(
  task: Task,
  shape: TaskShape,
  historyCap: number,
): { readonly [name in keyof Task]: Task[name] | undefined } {
  const length = Math.min(shape.historyLength ?? historyCap, historyCap);
  const history = task.history;
  const kept = length === 0 || history === undefined || history.length === 0 ? undefined : history.slice(-length);
  const artifacts = shape.artifacts === false || task.artifacts?.length === 0 ? undefined : task.artifacts;
  return {
    id: task.id,
    contextId: task.contextId,
    status: task.status,
    artifacts,
    history: kept,
    metadata: task.metadata,
  };
}

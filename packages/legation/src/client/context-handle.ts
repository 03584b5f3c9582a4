import type { ArtifactHistory, ArtifactVersions } from "./artifact-history.ts";
import type { Sendable } from "./compose-message.ts";
import type { Reply } from "./reply.ts";
import type { Run } from "./run.ts";
import type { SendOptions } from "./send-options.ts";
import type { TaskFilter, TaskList } from "./task-list.ts";

/** A context: the common goal of several tasks, and what the client knows of their artifacts. */
export interface ContextHandle {
  readonly id: string;
  /** Names of the artifacts seen in this context, in the order in which they were first seen. */
  readonly artifactNames: readonly string[];
  /** The versions of one name; empty until an artifact of that name was seen. */
  artifact(name: string): ArtifactVersions;
  /** Sends into this context: a new task, or a message. */
  send(content: Sendable, options?: SendOptions): Promise<Reply>;
  /** The same, followed event by event. */
  stream(content: Sendable, options?: SendOptions): Run;
  /** The tasks of this context. */
  tasks(filter?: Omit<TaskFilter, "contextId">): TaskList;
  /** Reads what the history store knows; needed once, after a restart. */
  load(): Promise<ContextHandle>;
  /** Resolves when everything that was seen and decided is in the history store. */
  saved(): Promise<void>;
}

/** What a context needs of its client. */
export interface ContextActions {
  send(content: Sendable, options: SendOptions): Promise<Reply>;
  stream(content: Sendable, options: SendOptions): Run;
  tasks(filter: TaskFilter): TaskList;
}

/** @param id as an agent gave it */
export function createContextHandle(id: string, history: ArtifactHistory, actions: ContextActions): ContextHandle {
  const context: ContextHandle = {
    id,
    get artifactNames() {
      return history.names(id);
    },
    artifact: (name) => createVersions(id, name, history),
    send: (content, options = {}) => actions.send(content, { ...options, contextId: id }),
    stream: (content, options = {}) => actions.stream(content, { ...options, contextId: id }),
    tasks: (filter = {}) => actions.tasks({ ...filter, contextId: id }),
    load: async () => {
      await history.load(id);
      return context;
    },
    saved: () => history.saved(id),
  };
  return Object.freeze(context);
}

function createVersions(contextId: string, name: string, history: ArtifactHistory): ArtifactVersions {
  return Object.freeze({
    name,
    get versions() {
      return history.versions(contextId, name);
    },
    get latest() {
      return history.versions(contextId, name).at(-1);
    },
    get accepted() {
      return history.versions(contextId, name).findLast(({ decision }) => decision === "accepted");
    },
    accept: (version?: number | string) => history.decide(contextId, name, version, "accepted"),
    reject: (version?: number | string) => history.decide(contextId, name, version, "rejected"),
  });
}

import type { StreamResponse } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { ArtifactHandle } from "./artifact-handle.ts";
import type { MessageHandle, TaskHandle } from "./reply.ts";
import type { TaskStateName } from "./task-state.ts";

interface RunEventBase {
  /** Position in the log of the task; undefined for peers without event ids and for what was made up for a gap. */
  readonly seq: number | undefined;
  /** The wire form; do not change it. For what was made up for a gap, the event that would have come. */
  readonly raw: Readonly<StreamResponse>;
}

/** The task as it stood when the run began to follow it. Its artifacts follow as artifact events. */
export interface TaskRunEvent extends RunEventBase {
  readonly kind: "task";
  readonly task: TaskHandle;
}

/** The task reached a state, or said something in it. */
export interface StatusRunEvent extends RunEventBase {
  readonly kind: "status";
  readonly taskId: string;
  readonly contextId: string | undefined;
  readonly state: TaskStateName;
  readonly isTerminal: boolean;
  readonly isInterrupted: boolean;
  /** Text of the status message; `""` where there is none. */
  readonly text: string;
  readonly message: MessageHandle | undefined;
  readonly metadata: Readonly<JsonObject> | undefined;
}

/** An artifact, or a piece of one. Taking each event at its word gives every artifact exactly, breaks included. */
export interface ArtifactRunEvent extends RunEventBase {
  readonly kind: "artifact";
  readonly taskId: string;
  readonly artifactId: string;
  /** Name of the artifact, also where the piece does not repeat it; its id where it has none. */
  readonly name: string;
  /** Text of this piece. */
  readonly text: string;
  /** False: begins the artifact anew; what was shown of it is void. True: goes on behind what was there. */
  readonly append: boolean;
  /** True with the last piece. */
  readonly lastChunk: boolean;
  /** This piece. */
  readonly artifact: ArtifactHandle;
  readonly metadata: Readonly<JsonObject> | undefined;
}

/** The agent answered with a message and no task; the run ends with it. */
export interface MessageRunEvent extends RunEventBase {
  readonly kind: "message";
  readonly message: MessageHandle;
  readonly text: string;
}

/** What a run yields, a closed union told apart by `kind`. */
export type RunEvent = TaskRunEvent | StatusRunEvent | ArtifactRunEvent | MessageRunEvent;

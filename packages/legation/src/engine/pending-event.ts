import type { TaskState } from "../model/gen/types.ts";
import type { Change } from "./projection.ts";
import type { EventKind } from "./store.ts";

/** One entry on its way into the log. */
export interface PendingEvent {
  readonly kind: EventKind;
  readonly time: number;
  /** As stored. */
  readonly payload: string;
  /** What it does to the Task. */
  readonly change: Change | undefined;
  /** As subscribers see it; the same string as `payload` unless a part went into a blob. */
  readonly json: string | undefined;
  /** Set on a status. */
  readonly state: TaskState | undefined;
}

import type { ListTasksRequest, ListTasksResponse, TaskState } from "../model/gen/types.ts";
import type { TaskHandle } from "./reply.ts";
import type { CallOptions } from "./send-options.ts";
import type { TaskStateName } from "./task-state.ts";

/** Which tasks are listed. */
export interface TaskFilter extends CallOptions {
  readonly contextId?: string | undefined;
  readonly state?: Exclude<TaskStateName, "UNRECOGNIZED"> | undefined;
  /** Tasks whose status is of this time or later. */
  readonly since?: Date | string | undefined;
  /** 1 to 100; the agent's default is 50. */
  readonly pageSize?: number | undefined;
  /** From an earlier page of the same filter. */
  readonly pageToken?: string | undefined;
  /** Messages of history per task; 0 for none. */
  readonly historyLength?: number | undefined;
  /** Default false: the tasks come without their artifacts. */
  readonly includeArtifacts?: boolean | undefined;
}

/** One page of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskHandle[];
  /** For the next page; `""` on the last one. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  /** Tasks of the filter on all pages. */
  readonly totalSize: number;
}

/** The tasks of a filter, newest status first: all of them by `for await`, page after page, or one page. */
export interface TaskList extends AsyncIterable<TaskHandle> {
  page(): Promise<TaskPage>;
}

/**
 * @param fetchPage one ListTasks
 * @param wrap makes the handle of a task
 * @see specification §3.1.4
 */
export function createTaskList(
  filter: TaskFilter,
  fetchPage: (request: ListTasksRequest) => Promise<ListTasksResponse>,
  wrap: (task: ListTasksResponse["tasks"][number]) => TaskHandle,
): TaskList {
  const page = async (pageToken: string | undefined): Promise<TaskPage> => {
    const { tasks, nextPageToken, pageSize, totalSize } = await fetchPage(toRequest(filter, pageToken));
    return Object.freeze({ tasks: Object.freeze(tasks.map(wrap)), nextPageToken, pageSize, totalSize });
  };
  return {
    page: () => page(filter.pageToken),
    async *[Symbol.asyncIterator]() {
      const used = new Set<string>();
      let token = filter.pageToken;
      do {
        const { tasks, nextPageToken } = await page(token);
        yield* tasks;
        // A peer that gives the same token again would be listed for ever.
        if (used.has(nextPageToken)) return;
        used.add(nextPageToken);
        token = nextPageToken;
      } while (token !== "");
    },
  };
}

function toRequest(filter: TaskFilter, pageToken: string | undefined): ListTasksRequest {
  const request: ListTasksRequest = {};
  const { contextId, state, since, pageSize, historyLength, includeArtifacts } = filter;
  if (contextId !== undefined) request.contextId = contextId;
  if (state !== undefined) request.status = `TASK_STATE_${state}` satisfies TaskState;
  if (since !== undefined) request.statusTimestampAfter = since instanceof Date ? since.toISOString() : since;
  if (pageSize !== undefined) request.pageSize = pageSize;
  if (historyLength !== undefined) request.historyLength = historyLength;
  if (includeArtifacts !== undefined) request.includeArtifacts = includeArtifacts;
  if (pageToken !== undefined && pageToken !== "") request.pageToken = pageToken;
  return request;
}

/**
 * ListTasks: filters, page sizes and page tokens over the engine's pages. The answer is put together from the JSON of
 * the tasks as it is stored.
 *
 * @see specification §3.1.4
 */
import type { Engine, Scope } from "../engine/engine.ts";
import type { ListTasksRequest, ListTasksResponse } from "../model/gen/types.ts";
import { invalidField } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import { admitHistoryLength } from "./admission.ts";
import type { PageTokens } from "./page-token.ts";

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/**
 * Lists the tasks of a caller, the one with the newest status first.
 *
 * @throws INVALID_PARAMS for a page size, history length or token that does not fit
 */
export async function listTasks(
  engine: Engine,
  pageTokens: PageTokens,
  scope: Scope,
  request: ListTasksRequest,
): Promise<Payload<ListTasksResponse>> {
  const { pageSize = DEFAULT_PAGE_SIZE, pageToken, historyLength, includeArtifacts = false } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    throw invalidField(
      "pageSize",
      `${pageSize} is outside 1 to ${MAX_PAGE_SIZE}; leave it out for ${DEFAULT_PAGE_SIZE}`,
    );
  }
  admitHistoryLength("historyLength", historyLength);
  const filter = filterOf(request);
  const after =
    pageToken === undefined || pageToken === "" ? undefined : await pageTokens.decode(pageToken, scope, filter);
  const page = await engine.listTasks(scope, {
    ...filter,
    limit: pageSize,
    artifacts: includeArtifacts,
    ...(historyLength === undefined ? {} : { historyLength }),
    ...(after === undefined ? {} : { after }),
  });
  const next = page.next === undefined ? "" : await pageTokens.encode(page.next, scope, filter);
  return payloadOfJson(
    `{"tasks":[${page.tasks.join(",")}],"nextPageToken":"${next}","pageSize":${pageSize},"totalSize":${page.total}}`,
  );
}

type Filter = Pick<Parameters<Engine["listTasks"]>[1], "contextId" | "state" | "since">;

function filterOf({ contextId, status, statusTimestampAfter }: ListTasksRequest): Filter {
  return {
    ...(contextId === undefined ? {} : { contextId }),
    ...(status === undefined ? {} : { state: status }),
    ...(statusTimestampAfter === undefined ? {} : { since: Date.parse(statusTimestampAfter) }),
  };
}

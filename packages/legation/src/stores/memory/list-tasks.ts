import type { ListPage, ListQuery, TaskRow } from "../../engine/store.ts";
import { comparePlaces, type OrderedTasks, type Place } from "./ordered-tasks.ts";
import { placeAsOf, type Scope, type StoredTask, viewTask } from "./stored-task.ts";

/** A task that stands in this listing elsewhere than its status time says, because it was touched after `asOf`. */
interface Moved extends Place {
  readonly task: StoredTask;
}

/** What a listing is made of. */
type Entry = StoredTask | Moved;

/** Answers `list` of the store for one scope. */
export function listTasks(scope: Scope | undefined, query: ListQuery): ListPage {
  if (scope === undefined) return { rows: [], places: [], more: false, total: 0 };
  if (query.contextId !== undefined) {
    const there = scope.byContext.get(query.contextId);
    return listContext(there === undefined ? [] : [there].flat(), query);
  }
  const orders: OrderedTasks<StoredTask>[] = [];
  let total = 0;
  for (const [state, order] of scope.byState) {
    if (query.state !== undefined && query.state !== state) continue;
    orders.push(order);
    total += query.since === undefined ? order.size : order.countSince(query.since);
  }
  // One more than the page, to know whether there is more.
  return toPage(mergeDescending(runs(orders, query), query.limit + 1), query.limit, total);
}

/** A context is a conversation: few tasks, sorted when somebody asks. */
function listContext(tasks: readonly StoredTask[], query: ListQuery): ListPage {
  const { state, since, after } = query;
  const matching = tasks.filter(
    (task) => (state === undefined || task.state === state) && (since === undefined || task.statusTime >= since),
  );
  const entries = after === undefined ? [...matching] : placeAll(matching, after);
  entries.sort((a, b) => comparePlaces(b, a));
  return toPage(entries, query.limit, matching.length);
}

/** The descending runs whose merge is the listing. */
function runs(orders: readonly OrderedTasks<StoredTask>[], query: ListQuery): readonly (readonly Entry[])[] {
  const { after, since = Number.NEGATIVE_INFINITY } = query;
  const limit = query.limit + 1;
  if (after === undefined) return orders.map((order) => order.takeDescending(limit, undefined, since));
  // Those that nobody touched since the first page stand in the order as they did; the others are placed one by one.
  const justAfter = { statusTime: after.asOf + 1, id: "" };
  const before = comparePlaces(after, justAfter) < 0 ? after : justAfter;
  const touchedSince = Math.max(since, after.asOf + 1);
  const touched = orders.flatMap((order) =>
    placeAll(order.takeDescending(Number.POSITIVE_INFINITY, undefined, touchedSince), after),
  );
  touched.sort((a, b) => comparePlaces(b, a));
  return [touched, ...orders.map((order) => order.takeDescending(limit, before, since))];
}

/** Places tasks as they stood at `asOf` and keeps those that come after the page before. */
function placeAll(tasks: readonly StoredTask[], after: NonNullable<ListQuery["after"]>): Entry[] {
  const entries: Entry[] = [];
  for (const task of tasks) {
    const statusTime = task.createdAt > after.asOf ? undefined : placeAsOf(task, after.asOf);
    if (statusTime === undefined) continue;
    const entry = { task, statusTime, id: task.id };
    if (comparePlaces(entry, after) < 0) entries.push(entry);
  }
  return entries;
}

/** Merges at most nine descending runs until there are `limit`. */
function mergeDescending(from: readonly (readonly Entry[])[], limit: number): readonly Entry[] {
  const heads = from.filter((run) => run.length > 0).map((run) => ({ run, at: 0 }));
  const merged: Entry[] = [];
  while (merged.length < limit) {
    let best: Entry | undefined;
    let bestHead: (typeof heads)[number] | undefined;
    for (const head of heads) {
      const entry = head.run[head.at];
      if (entry === undefined || (best !== undefined && comparePlaces(entry, best) < 0)) continue;
      best = entry;
      bestHead = head;
    }
    if (best === undefined || bestHead === undefined) break;
    merged.push(best);
    bestHead.at += 1;
  }
  return merged;
}

function toPage(entries: readonly Entry[], limit: number, total: number): ListPage {
  const rows: TaskRow[] = [];
  const places: number[] = [];
  for (const entry of entries.slice(0, limit)) {
    rows.push(viewTask("task" in entry ? entry.task : entry));
    places.push(entry.statusTime);
  }
  return { rows, places, more: entries.length > limit, total };
}

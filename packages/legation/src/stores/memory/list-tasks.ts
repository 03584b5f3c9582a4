import type { ListPage, ListQuery } from "../../engine/store.ts";
import { comparePlaces, type OrderedTasks, type Place } from "./ordered-tasks.ts";
import { placeAsOf, type Scope, type StoredTask, viewTask } from "./stored-task.ts";

/** A task and where it stands in this listing, which is not its status time when it was touched after `asOf`. */
interface Placed extends Place {
  readonly task: StoredTask;
}

/** Answers `list` of the store for one scope. */
export function listTasks(scope: Scope | undefined, query: ListQuery): ListPage {
  if (scope === undefined) return { rows: [], places: [], more: false, total: 0 };
  const context = query.contextId === undefined ? undefined : scope.byContext.get(query.contextId);
  if (query.contextId !== undefined) return listContext(context === undefined ? [] : [context].flat(), query);
  const orders = query.state === undefined ? [...scope.byState.values()] : [scope.byState.get(query.state)];
  const present = orders.filter((order) => order !== undefined);
  let total = 0;
  for (const order of present) total += query.since === undefined ? order.size : order.countSince(query.since);
  return page(mergeDescending(sources(present, query)), total, query.limit);
}

/** A context is a conversation: few tasks, sorted when somebody asks. */
function listContext(tasks: readonly StoredTask[], query: ListQuery): ListPage {
  const { state, since, after } = query;
  const matching = tasks.filter(
    (task) => (state === undefined || task.state === state) && (since === undefined || task.statusTime >= since),
  );
  const placed: Placed[] = [];
  for (const task of matching) {
    const statusTime = after === undefined ? task.statusTime : placeAsOf(task, after.asOf);
    if (statusTime === undefined) continue;
    const entry = { task, statusTime, id: task.id };
    if (after === undefined || comparePlaces(entry, after) < 0) placed.push(entry);
  }
  placed.sort((a, b) => comparePlaces(b, a));
  return page(placed, matching.length, query.limit);
}

/** The descending sequences whose merge is the listing. */
function sources(orders: readonly OrderedTasks<StoredTask>[], query: ListQuery): Iterator<Placed>[] {
  const { after, since } = query;
  if (after === undefined) return orders.map((order) => untouched(order, undefined, since));
  // Those that nobody touched since the first page stand in the order as they did; the others are placed one by one.
  const end: Place = after.statusTime > after.asOf ? { statusTime: after.asOf + 1, id: "" } : after;
  const touched: Placed[] = [];
  for (const order of orders) {
    for (const task of order.descending()) {
      if (task.statusTime <= after.asOf) break;
      if (since !== undefined && task.statusTime < since) break;
      if (task.createdAt > after.asOf) continue;
      const statusTime = placeAsOf(task, after.asOf);
      if (statusTime === undefined) continue;
      const entry = { task, statusTime, id: task.id };
      if (comparePlaces(entry, after) < 0) touched.push(entry);
    }
  }
  touched.sort((a, b) => comparePlaces(b, a));
  return [touched.values(), ...orders.map((order) => untouched(order, end, since))];
}

function* untouched(
  order: OrderedTasks<StoredTask>,
  before: Place | undefined,
  since: number | undefined,
): Generator<Placed> {
  for (const task of order.descending(before)) {
    if (since !== undefined && task.statusTime < since) return;
    yield { task, statusTime: task.statusTime, id: task.id };
  }
}

/** Merges at most nine descending sequences. */
function* mergeDescending(iterators: readonly Iterator<Placed>[]): Generator<Placed> {
  const heads = iterators.map((iterator) => ({ iterator, next: iterator.next() }));
  for (;;) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done === true) continue;
      if (best === undefined || comparePlaces(head.next.value, best.next.value) > 0) best = head;
    }
    if (best === undefined) return;
    yield best.next.value;
    best.next = best.iterator.next();
  }
}

function page(placed: Iterable<Placed>, total: number, limit: number): ListPage {
  const rows = [];
  const places: number[] = [];
  for (const { task, statusTime } of placed) {
    if (rows.length === limit) return { rows, places, more: true, total };
    rows.push(viewTask(task));
    places.push(statusTime);
  }
  return { rows, places, more: false, total };
}

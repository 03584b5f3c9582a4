import type {
  Batch,
  DedupeKey,
  NewEvent,
  Store,
  TaskColumns,
  TaskCommit,
  TaskIdentity,
  TaskOutcome,
  TaskRow,
} from "../../engine/store.ts";

/** A moment in the past that every sample begins at; the whole suite lies within the minutes after it. */
export const START: number = Date.now() - 600_000;

/** What a sample task may say about itself; everything else has a default. */
export type SampleOptions = Partial<TaskIdentity> & Partial<TaskColumns> & Omit<Partial<TaskCommit>, "create">;

let samples = 0;

/** Gives an id that no sample had before, rising with time as UUIDv7 do. */
export function sampleId(): string {
  samples += 1;
  return `01900000-0000-7000-8000-${samples.toString(16).padStart(12, "0")}`;
}

/** Gives the columns of a fresh task, with what is given instead. */
export function sampleColumns(given: Partial<TaskColumns> = {}): TaskColumns {
  return {
    state: given.state ?? "TASK_STATE_SUBMITTED",
    statusTime: given.statusTime ?? START,
    epoch: given.epoch ?? 1,
    holder: given.holder ?? null,
    leaseUntil: given.leaseUntil ?? 0,
    attempts: given.attempts ?? 0,
    due: given.due ?? null,
    held: given.held ?? null,
    agentVersion: given.agentVersion ?? "1",
    run: given.run ?? '{"turn":0}',
  };
}

/** Gives the commit that makes a task. */
export function creation(given: SampleOptions = {}): TaskCommit {
  const columns = sampleColumns(given);
  const create: TaskIdentity = {
    id: given.id ?? sampleId(),
    tenant: given.tenant ?? "",
    owner: given.owner ?? "",
    contextId: given.contextId ?? "context",
    agent: given.agent ?? "agent",
    createdAt: given.createdAt ?? columns.statusTime,
  };
  const events = given.events ?? [event("created", columns.statusTime)];
  const { snapshot, dedupe, blobs } = given;
  return { create, key: 0, seq: 0, epoch: 0, events, columns, snapshot, dedupe, blobs };
}

/** Gives an entry of a log. */
export function event(kind: NewEvent["kind"], time: number = START, payload: string = `{"kind":"${kind}"}`): NewEvent {
  return { kind, time, payload };
}

/** Gives the key of an accepted request. */
export function dedupeKey(messageId: string, given: Partial<DedupeKey> = {}): DedupeKey {
  return { tenant: "", owner: "", messageId, hash: "00".repeat(32), ...given };
}

/** Commits one entry and gives its outcome. */
export async function commitOne(store: Store, commit: TaskCommit): Promise<TaskOutcome> {
  const outcome = (await store.commit({ tasks: [commit], replies: [] })).tasks[0];
  if (outcome === undefined) throw new Error("the store gave no outcome for the entry of the batch");
  return outcome;
}

/** Makes a task and gives its row. */
export async function createTask(store: Store, given: SampleOptions = {}): Promise<TaskRow> {
  const commit = creation(given);
  const outcome = await commitOne(store, commit);
  if (!outcome.ok) throw new Error(`the store refused a new task: ${outcome.why}`);
  return rowOf(store, commit.create?.id ?? "");
}

/** Gives the row of a task that must be there. */
export async function rowOf(store: Store, id: string): Promise<TaskRow> {
  const row = await store.task(id);
  if (row === undefined) throw new Error(`task ${id} is not in the store`);
  return row;
}

/** Gives the commit that appends to a task as it is in `row`, with columns when some are given. */
export function append(
  row: TaskColumns & Pick<TaskRow, "key" | "seq">,
  events: readonly NewEvent[],
  columns?: Partial<TaskColumns>,
): TaskCommit {
  return {
    key: row.key,
    seq: row.seq,
    epoch: row.epoch,
    events,
    columns: columns === undefined ? undefined : { ...columnsOf(row), ...columns },
  };
}

/** Gives the changeable columns of a row. */
export function columnsOf(row: TaskColumns): TaskColumns {
  const { state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run } = row;
  return { state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run };
}

/** Gives a batch of tasks alone. */
export function batchOf(tasks: readonly TaskCommit[]): Batch {
  return { tasks, replies: [] };
}

/** Reads the whole log of a task, page by page. */
export async function readLog(store: Store, key: number, maxBytes: number = 65_536): Promise<readonly string[]> {
  const payloads: string[] = [];
  for (;;) {
    const page = await store.events(key, payloads.length, maxBytes);
    if (page.length === 0) return payloads;
    for (const row of page) {
      if (row.seq !== payloads.length + 1) throw new Error(`entry ${row.seq} follows entry ${payloads.length}`);
      payloads.push(row.payload);
    }
  }
}

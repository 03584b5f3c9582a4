import assert from "node:assert/strict";
import fc from "fast-check";
import type { ListQuery, Store, TaskRow } from "../../src/engine/store.ts";
import type { TaskState } from "../../src/model/gen/types.ts";
import { append, commitOne, createTask, event, START } from "../../src/testing/store-contract/sample.ts";

const STATES: readonly TaskState[] = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"];

/** What the naive model keeps of a task: all its statuses. */
interface Model {
  row: TaskRow;
  readonly statuses: { time: number; state: TaskState }[];
}

type Step =
  | { readonly do: "create"; readonly state: number; readonly context: number }
  | { readonly do: "touch"; readonly task: number; readonly state: number; readonly quiet: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("create" as const), state: fc.nat(2), context: fc.nat(2) }),
  fc.record({ do: fc.constant("touch" as const), task: fc.nat(40), state: fc.nat(2), quiet: fc.boolean() }),
);

const scenario: fc.Arbitrary<{ before: Step[]; between: Step[][]; limit: number; query: Partial<ListQuery> }> =
  fc.record({
    before: fc.array(step, { minLength: 5, maxLength: 25 }),
    between: fc.array(fc.array(step, { maxLength: 6 }), { minLength: 8, maxLength: 8 }),
    limit: fc.integer({ min: 1, max: 6 }),
    query: fc.record({
      contextId: fc.option(fc.constantFrom("c0", "c1"), { nil: undefined }),
      state: fc.option(fc.constantFrom(...STATES), { nil: undefined }),
      since: fc.option(fc.constantFrom(START, START + 8, START + 15), { nil: undefined }),
    }),
  });

/**
 * Pages through listings while tasks are made and touched between the pages, and holds every page against a model
 * that sorts and filters everything each time.
 *
 * @param makeStore gives an open, empty store.
 * @param numRuns how many scenarios.
 */
export async function checkListProperty(makeStore: () => Promise<Store>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ before, between, limit, query }) => {
      await using store = await makeStore();
      const models: Model[] = [];
      let now = START;
      const play = async (steps: readonly Step[]): Promise<void> => {
        for (const each of steps) {
          // Two steps share a millisecond now and then: ties are broken by id.
          now += models.length % 3 === 0 ? 0 : 1;
          await playStep(store, models, each, now);
        }
      };
      await play(before);
      now += 1;
      const asOf = now;
      let after: ListQuery["after"];
      for (const steps of between) {
        const full = { tenant: "", owner: "", agent: "agent", limit, after, ...query };
        const page = await store.list(full);
        assert.deepEqual(
          { ids: page.rows.map((row) => row.id), places: page.places, more: page.more, total: page.total },
          expectedPage(models, full),
        );
        const last = page.rows.at(-1);
        const place = page.places.at(-1);
        if (last === undefined || place === undefined || !page.more) return;
        after = { statusTime: place, id: last.id, asOf };
        now += 1;
        await play(steps);
      }
    }),
    { numRuns },
  );
}

async function playStep(store: Store, models: Model[], each: Step, now: number): Promise<void> {
  const state = STATES[each.state] ?? "TASK_STATE_FAILED";
  if (each.do === "create") {
    const events = [event("created", now), event("message", now)];
    const row = await createTask(store, { events, state, statusTime: now, contextId: `c${each.context}` });
    models.push({ row, statuses: [{ time: now, state }] });
    return;
  }
  const model = models[each.task % Math.max(1, models.length)];
  if (model === undefined) return;
  if (each.quiet) {
    await commitOne(store, append(model.row, [event("artifact", now)]));
    model.row = { ...model.row, seq: model.row.seq + 1 };
    return;
  }
  const outcome = await commitOne(store, append(model.row, [event("status", now)], { state, statusTime: now }));
  assert.equal(outcome.ok, true);
  model.row = { ...model.row, seq: model.row.seq + 1, state, statusTime: now };
  model.statuses.push({ time: now, state });
}

function expectedPage(models: readonly Model[], query: ListQuery): unknown {
  const { contextId, state, since, after, limit } = query;
  const matching = models.filter(
    ({ row }) =>
      (contextId === undefined || row.contextId === contextId) &&
      (state === undefined || row.state === state) &&
      (since === undefined || row.statusTime >= since),
  );
  const placed = matching
    .map(({ row, statuses }) => ({
      id: row.id,
      place: statuses.findLast(({ time }) => after === undefined || time <= after.asOf)?.time,
    }))
    .filter((entry): entry is { id: string; place: number } => entry.place !== undefined)
    .sort((a, b) => b.place - a.place || (a.id < b.id ? 1 : -1))
    .filter(
      ({ place, id }) =>
        after === undefined || place < after.statusTime || (place === after.statusTime && id < after.id),
    );
  const rows = placed.slice(0, limit);
  return {
    ids: rows.map(({ id }) => id),
    places: rows.map(({ place }) => place),
    more: placed.length > limit,
    total: matching.length,
  };
}

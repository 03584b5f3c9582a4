import assert from "node:assert/strict";
import { test } from "node:test";
import { CannotMeasure } from "../scenarios/cannot-measure.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { measure } from "./measure.ts";
import { markdownTable, printable } from "./report.ts";

const OPTIONS = { quick: true };

function scenario(open: Scenario["open"]): Scenario {
  const bounds = [
    { what: "p99, ms", of: "p99", atMost: 30 },
    { what: "of the database", of: "nobody's" },
  ];
  return {
    name: "across",
    work: "hints",
    unit: "ms",
    ratios: [{ what: "a / b", of: "a", to: "b", atMost: 2 }],
    bounds,
    open,
  };
}

test("what cannot be measured here is said, and stops nobody", async () => {
  const outcome = await measure(
    scenario(() => Promise.reject(new CannotMeasure("no database"))),
    2,
    OPTIONS,
  );
  assert.match(printable(outcome), /^across: hints\n {2}! not measured here: no database$/);
  assert.match(markdownTable([outcome]), /\| `across`: hints \| not measured here: no database \| \| \| \| \|$/);
});

test("any other failure ends the run", async () => {
  await assert.rejects(
    measure(
      scenario(() => Promise.reject(new Error("broken"))),
      1,
      OPTIONS,
    ),
    /broken/,
  );
});

test("ratios are taken within a round, bounds by themselves, and a value that is not there has no row", async () => {
  let round = 0;
  const outcome = await measure(
    scenario(async () => [
      {
        round: async () => {
          round += 1;
          return { a: 3 * round, b: round, p99: 10 * round };
        },
      },
    ]),
    3,
    OPTIONS,
  );
  const verdicts = outcome.verdicts.map(({ what, median, met }) => ({ what, median, met }));
  assert.deepEqual(verdicts, [
    { what: "a / b", median: 3, met: false },
    { what: "p99, ms", median: 20, met: true },
  ]);
});

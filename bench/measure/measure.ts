/** Runs a scenario: round by round, subject by subject, so that what the machine does meanwhile hits all alike. */
import { CannotMeasure } from "../scenarios/cannot-measure.ts";
import { Lab, type LabOptions } from "../scenarios/lab.ts";
import type { Bound, Ratio, Scenario } from "../scenarios/scenario.ts";
import { type Summary, summarise } from "./statistics.ts";

/** A ratio or a bound, measured, beside its goal. */
export interface Verdict extends Summary {
  readonly what: string;
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
  /** Absent where there is no goal. */
  readonly met?: boolean | undefined;
}

/** What a scenario gave. */
export interface Outcome {
  readonly name: string;
  readonly work: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, Summary>>;
  readonly verdicts: readonly Verdict[];
  /** Why nothing was measured; absent when it was. */
  readonly missing?: string | undefined;
}

/** Measures one scenario, or says why it cannot be measured here. */
export async function measure(scenario: Scenario, rounds: number, options: LabOptions): Promise<Outcome> {
  const { name, work, unit } = scenario;
  try {
    return await measured(scenario, rounds, options);
  } catch (thrown) {
    if (!(thrown instanceof CannotMeasure)) throw thrown;
    return { name, work, unit, values: {}, verdicts: [], missing: thrown.message };
  }
}

async function measured(scenario: Scenario, rounds: number, options: LabOptions): Promise<Outcome> {
  await using lab = new Lab(options);
  const subjects = await scenario.open(lab);
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      if (round >= (subject.maxRounds ?? rounds)) continue;
      for (const [name, value] of Object.entries(await subject.round())) {
        samples.set(name, [...(samples.get(name) ?? []), value]);
      }
    }
  }
  const values = Object.fromEntries([...samples].map(([name, all]) => [name, summarise(all)]));
  const verdicts = [
    ...scenario.ratios
      .filter(({ of, to }) => samples.has(of) && samples.has(to))
      .map((ratio) => judgeRatio(ratio, samples)),
    ...(scenario.bounds ?? []).filter(({ of }) => samples.has(of)).map((bound) => judgeBound(bound, samples)),
  ];
  return { name: scenario.name, work: scenario.work, unit: scenario.unit, values, verdicts };
}

/** Ratios are taken within a round, where both sides met the same machine, and only then summed up. */
function judgeRatio({ what, of, to, atMost, atLeast }: Ratio, samples: ReadonlyMap<string, number[]>): Verdict {
  const above = samples.get(of) ?? [];
  const below = samples.get(to) ?? [];
  const ratios = above.slice(0, below.length).map((value, round) => value / (below[round] ?? Number.NaN));
  return judged({ what, atMost, atLeast, ...summarise(ratios) });
}

function judgeBound({ what, of, atMost }: Bound, samples: ReadonlyMap<string, number[]>): Verdict {
  return judged({ what, atMost, ...summarise(samples.get(of) ?? []) });
}

function judged(verdict: Verdict): Verdict {
  const { atMost, atLeast, median } = verdict;
  if (atMost === undefined && atLeast === undefined) return verdict;
  const met = (atMost === undefined || median <= atMost) && (atLeast === undefined || median >= atLeast);
  return { ...verdict, met };
}

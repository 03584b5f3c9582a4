/** What a scenario is: subjects that are measured in turns, and the ratios that follow. */
import type { Lab } from "./lab.ts";

/** One round's values by name. */
export type Sample = Readonly<Record<string, number>>;

/** Something that is measured, mostly one server under one load. */
export interface Subject {
  /** Measures once. Values are per operation, in the unit of the scenario. */
  round(): Promise<Sample>;
  /** At most that many rounds, for what takes very long; all by default. */
  readonly maxRounds?: number | undefined;
}

/** Two values that are compared. The limit is that of the issue on the engine. */
export interface Ratio {
  readonly what: string;
  readonly of: string;
  readonly to: string;
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
}

/** A value that has a limit by itself. */
export interface Bound {
  readonly what: string;
  readonly of: string;
  readonly atMost?: number | undefined;
}

/** One scenario. */
export interface Scenario {
  readonly name: string;
  /** What is done, in words. */
  readonly work: string;
  /** Of the values. */
  readonly unit: string;
  readonly ratios: readonly Ratio[];
  readonly bounds?: readonly Bound[] | undefined;
  /** Starts and warms what is measured. @throws CannotMeasure */
  open(lab: Lab): Promise<readonly Subject[]>;
}

/** The two ratios that most scenarios have. */
export function goals(atMostBare: number | undefined, atLeastSdk: number | undefined): readonly Ratio[] {
  return [
    { what: "ours / bare", of: "ours", to: "bare", atMost: atMostBare },
    { what: "SDK / ours", of: "sdk", to: "ours", atLeast: atLeastSdk },
  ];
}

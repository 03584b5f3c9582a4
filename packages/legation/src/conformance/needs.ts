/** Whether an agent has what a check needs. */
import type { Need, Probe } from "./check.ts";

/** What is known of the runner beside the probe. */
export interface RunnerFacts {
  /** Credentials of a second caller were given. */
  readonly secondCaller: boolean;
}

/** Why a need is not met; undefined where it is. */
export function whyUnmet(need: Need, probe: Probe, runner: RunnerFacts): string | undefined {
  const { facts, wire, wires } = probe;
  switch (need) {
    case "rehearsal":
      return facts.rehearsal ? undefined : "the agent does not declare the rehearsal extension";
    case "streaming":
      return facts.streaming ? undefined : "the card declares no streaming";
    case "no-streaming":
      return facts.streaming ? "the card declares streaming" : undefined;
    case "push":
      return facts.push ? undefined : "the card declares no push notifications";
    case "no-push":
      return facts.push ? "the card declares push notifications" : undefined;
    case "extended-card":
      return facts.extendedCard ? undefined : "the card declares no extended card";
    case "no-extended-card":
      return facts.extendedCard ? "the card declares an extended card" : undefined;
    case "required-extension":
      return facts.requiredExtensions.length > 0 ? undefined : "the card requires no extension";
    case "authentication":
      return facts.authenticates ? undefined : "the card requires no authentication";
    case "second-caller":
      return runner.secondCaller ? undefined : "no credentials of a second caller were given";
    case "several-bindings":
      return wires.length > 1 ? undefined : "the card declares one binding";
    case "webhook":
      return probe.webhook !== undefined ? undefined : "the runner has no webhook receiver";
    case "card-url":
      return probe.fetchCard !== undefined ? undefined : "the card was given as a value";
    case "jsonrpc":
    case "rest":
      return wire.binding === need ? undefined : `the check is about ${need}`;
  }
}

/** What a scenario needs cannot be had here: it is reported, and the run goes on. */
export class CannotMeasure extends Error {}

/** Makes the events of a stream, so that they all have one shape and every binding reads them fast. */
import type { StreamResponse } from "../model/gen/types.ts";
import type { StreamEvent } from "./service.ts";

class Event implements StreamEvent {
  readonly seq: number | undefined;
  memo: string | undefined = undefined;
  #json: string | undefined;
  #value: StreamResponse | undefined;

  constructor(json: string | undefined, value: StreamResponse | undefined, seq: number | undefined) {
    this.#json = json;
    this.#value = value;
    this.seq = seq;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.#value);
    return this.#json;
  }

  get value(): StreamResponse {
    this.#value ??= JSON.parse(this.json) as StreamResponse;
    return this.#value;
  }
}

/** An event of canonical JSON on one line; it is parsed when `value` is first read. */
export function streamEventOfJson(json: string, seq?: number): StreamEvent {
  return new Event(json, undefined, seq);
}

/** An event of which both are at hand. */
export function streamEventOf(json: string, value: StreamResponse | undefined, seq?: number): StreamEvent {
  return new Event(json, value, seq);
}

/** An event of a canonical value; it is serialised when `json` is first read. */
export function streamEventOfValue(value: StreamResponse, seq?: number): StreamEvent {
  return new Event(undefined, value, seq);
}

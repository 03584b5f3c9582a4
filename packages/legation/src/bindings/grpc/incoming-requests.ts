/**
 * The requests that are still coming. One that takes too long is given up: its caller may have stopped in the middle of
 * it on a connection that lives on, and nothing else would ever end it.
 *
 * Timer: one for all of them, ten times within the limit, from the first request on until it finds none. It keeps no
 * process alive.
 */
import { OpenCalls } from "./open-calls.ts";

/** How long a request may take to arrive, as node:http has it. */
export const DEFAULT_REQUEST_MS = 300_000;

/** A request is given up between one and one and a tenth of the limit after it began. */
const ROUNDS = 10;

/** A call of which the request is still coming. */
export interface IncomingCall {
  /** The limit has passed. */
  giveUpRequest(limitMs: number): void;
}

/** Those of one handler. */
export class IncomingRequests {
  readonly #limitMs: number;
  readonly #open = new OpenCalls<{ readonly call: IncomingCall; readonly round: number }>();
  #round = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs 0 is none */
  constructor(limitMs: number = DEFAULT_REQUEST_MS) {
    this.#limitMs = limitMs;
  }

  /** @returns to be called when the request is there, or is not waited for any longer; once or more */
  add(call: IncomingCall): () => void {
    if (this.#limitMs > 0) this.#timer ??= setInterval(() => this.#goRound(), this.#limitMs / ROUNDS).unref();
    return this.#open.add({ call, round: this.#round });
  }

  #goRound(): void {
    this.#round += 1;
    const open = this.#open.list();
    for (const { call, round } of open) if (this.#round - round > ROUNDS) call.giveUpRequest(this.#limitMs);
    if (open.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

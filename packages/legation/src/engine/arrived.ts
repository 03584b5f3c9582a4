/** The messages that arrived in this process and that no turn has taken: they are not read from the store again. */
import type { Incoming } from "./turn.ts";

export class Arrived {
  readonly #messages: Incoming[] = [];

  /** Keeps a message that is committed. */
  keep(incoming: Incoming): void {
    this.#messages.push(incoming);
  }

  /** Gives the message of an entry, once; undefined when it arrived elsewhere or was taken. */
  take(seq: number): Incoming | undefined {
    // Mostly it is the only one.
    if (this.#messages.length === 1) return this.#messages[0]?.seq === seq ? this.#messages.pop() : undefined;
    const at = this.#messages.findIndex((message) => message.seq === seq);
    return at === -1 ? undefined : this.#messages.splice(at, 1)[0];
  }
}

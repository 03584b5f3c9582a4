/** How a run talks to a server that it started: over the channel of `child_process.fork`. */

/** What a server can be asked for, by name. */
export type Controls = Readonly<Record<string, (input: unknown) => unknown>>;

/** One question, and its answer. */
export interface ControlMessage {
  readonly id: number;
  readonly name: string;
  readonly input?: unknown;
}

/** Tells the port and answers what is asked from then on; the process ends when the run that started it does. */
export function serveControls(port: number, controls: Controls): void {
  process.on("message", async ({ id, name, input }: ControlMessage) => {
    try {
      process.send?.({ id, result: await controls[name]?.(input) });
    } catch (thrown) {
      process.send?.({ id, error: String(thrown) });
    }
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ port });
}

/** Lets streams that are gated go on, all at once, as often as it is opened. */
export class Gate {
  #waiting: (() => void)[] = [];

  /** Resolves when it is opened the next time. */
  passed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  open(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Bytes that are in use after a collection: objects of the heap and what they hold outside. Needs --expose-gc. */
export function usedBytes(): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error("start the server with --expose-gc");
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

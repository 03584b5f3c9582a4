/** What Ctrl-C or SIGTERM did to this invocation. */
export interface Interruption {
  /** Aborts at the first signal. A second one ends the process at once. */
  readonly signal: AbortSignal;
  /** 128 + the number of the signal; undefined when there was none, or when a command made it its normal end. */
  readonly exitCode: number | undefined;
  dispose(): void;
}

const NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** The reason of the abort: a server takes it as its normal end, a client as a failure. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Turns the signals of the process into an abort. */
export function listenForSignals(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  const listeners = names.map((name) => {
    const listener = (): void => {
      const code = 128 + NUMBERS[name];
      if (exitCode !== undefined) process.exit(code);
      exitCode = code;
      controller.abort(new Interrupted(`received ${name}`));
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    dispose: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}

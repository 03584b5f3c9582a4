/**
 * A value that follows asynchronous calls, where the runtime has such a thing (Node, Bun, Deno, Workers). It tells
 * whether a call comes from inside a step; without it only what is certain is refused.
 */
interface Storage<T> {
  run<R>(value: T, fn: () => R): R;
  getStore(): T | undefined;
}

interface Builtins {
  getBuiltinModule?(name: string): { AsyncLocalStorage?: new <T>() => Storage<T> } | undefined;
}

const AsyncLocalStorage = (globalThis as { process?: Builtins }).process?.getBuiltinModule?.(
  "node:async_hooks",
)?.AsyncLocalStorage;

export class AsyncScope<T> {
  readonly #storage = AsyncLocalStorage === undefined ? undefined : new AsyncLocalStorage<T>();

  /** True where the runtime can tell where a call comes from. */
  get isSupported(): boolean {
    return this.#storage !== undefined;
  }

  run<R>(value: T, fn: () => R): R {
    return this.#storage === undefined ? fn() : this.#storage.run(value, fn);
  }

  /** The value of the innermost {@link run} that this call comes from; undefined outside and where it is unknown. */
  get value(): T | undefined {
    return this.#storage?.getStore();
  }
}

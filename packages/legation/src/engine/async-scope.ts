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
  /** Made by the first {@link run}: most turns never have one. */
  #storage: Storage<T> | undefined;

  /** True where the runtime can tell where a call comes from. */
  get isSupported(): boolean {
    return AsyncLocalStorage !== undefined;
  }

  run<R>(value: T, fn: () => R): R {
    if (AsyncLocalStorage === undefined) return fn();
    this.#storage ??= new AsyncLocalStorage<T>();
    return this.#storage.run(value, fn);
  }

  /** The value of the innermost {@link run} that this call comes from; undefined outside and where it is unknown. */
  get value(): T | undefined {
    return this.#storage?.getStore();
  }
}

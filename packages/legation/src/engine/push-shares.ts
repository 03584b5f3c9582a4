/** How many webhooks of which owner are held. */
import type { HookOwner } from "./push-hook.ts";

export class HookShares {
  readonly #counts = new Map<string, { readonly owner: HookOwner; count: number }>();
  #size = 0;

  /** All of them. */
  get size(): number {
    return this.#size;
  }

  add({ tenant, owner }: HookOwner): void {
    const name = JSON.stringify([tenant, owner]);
    const share = this.#counts.get(name) ?? { owner: { tenant, owner }, count: 0 };
    this.#counts.set(name, share);
    share.count += 1;
    this.#size += 1;
  }

  remove({ tenant, owner }: HookOwner): void {
    const name = JSON.stringify([tenant, owner]);
    const share = this.#counts.get(name);
    if (share === undefined) return;
    share.count -= 1;
    this.#size -= 1;
    if (share.count === 0) this.#counts.delete(name);
  }

  /** The owners that hold as many as `limit`, or more. */
  above(limit: number): readonly HookOwner[] {
    return [...this.#counts.values()].filter(({ count }) => count >= limit).map(({ owner }) => owner);
  }
}

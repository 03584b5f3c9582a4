/**
 * Room for so many requests at once. Nobody may have more under way than is left free for others: not an owner, not a host
 * within the share of its owner, not a webhook within the share of its host. So what hangs never takes the last room from
 * somebody who has nothing under way. Those that wait take turns: owners, within an owner hosts, within a host webhooks.
 */

/** Whose request, to which host, to which webhook. */
export type SlotPlace = readonly [owner: string, host: string, url: string];

interface Share {
  used: number;
  readonly parts: Map<string, Share>;
  readonly waiting: (() => void)[];
}

export class PushSlots {
  #free: number;
  readonly #all: Share = newShare();

  constructor(size: number) {
    this.#free = size;
  }

  /** How many wait for a webhook. */
  waitingFor([owner, host, url]: SlotPlace): number {
    return this.#all.parts.get(owner)?.parts.get(host)?.parts.get(url)?.waiting.length ?? 0;
  }

  /** Runs `work` when there is room. */
  async use<T>(place: SlotPlace, work: () => Promise<T>): Promise<T> {
    const shares = this.#sharesOf(place);
    if (shares.every((share, at) => share.used < this.#roomOf(shares, at))) this.#take(shares);
    else await new Promise<void>((resolve) => shares.at(-1)?.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#free += 1;
      for (const share of shares) share.used -= 1;
      this.#forget(place);
      while (this.#admit(this.#all, this.#free)) {}
    }
  }

  #take(shares: readonly Share[]): void {
    this.#free -= 1;
    for (const share of shares) share.used += 1;
  }

  /** What a share may have under way at most: what is free beside those that it is a part of. */
  #roomOf(shares: readonly Share[], at: number): number {
    return shares.slice(0, at).reduce((room, { used }) => room - used, this.#free);
  }

  #sharesOf(place: SlotPlace): readonly Share[] {
    let { parts } = this.#all;
    return place.map((name) => {
      const share = parts.get(name) ?? newShare();
      parts.set(name, share);
      parts = share.parts;
      return share;
    });
  }

  /** Lets one of those that wait go on, whoever's turn it is; false when there is room for none of them. */
  #admit(whole: Share, room: number, above: readonly Share[] = []): boolean {
    for (const [name, share] of whole.parts) {
      if (share.used >= room) continue;
      const shares = [...above, share];
      const next = share.waiting.shift();
      if (next !== undefined) {
        this.#take(shares);
        next();
      } else if (!this.#admit(share, room - share.used, shares)) continue;
      // The next turn is another one's.
      whole.parts.delete(name);
      whole.parts.set(name, share);
      return true;
    }
    return false;
  }

  #forget([owner, host, url]: SlotPlace): void {
    const ofOwner = this.#all.parts.get(owner);
    const ofHost = ofOwner?.parts.get(host);
    const ofUrl = ofHost?.parts.get(url);
    if (ofUrl !== undefined && isIdle(ofUrl)) ofHost?.parts.delete(url);
    if (ofHost !== undefined && isIdle(ofHost)) ofOwner?.parts.delete(host);
    if (ofOwner !== undefined && isIdle(ofOwner)) this.#all.parts.delete(owner);
  }
}

function newShare(): Share {
  return { used: 0, parts: new Map(), waiting: [] };
}

function isIdle({ used, parts, waiting }: Share): boolean {
  return used === 0 && parts.size === 0 && waiting.length === 0;
}

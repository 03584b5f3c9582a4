/** How many notifications are looked at: so many of each sender that is known, and so many of what nobody vouches for. */

/** Senders and addresses that are remembered at once; the one heard of least lately is forgotten. */
const REMEMBERED = 10_000;
/** All addresses together may ask for that many times what one of them may. */
const ADDRESSES_AT_ONCE = 20;
/** Of an address of version 6: the network. Whoever has one address there has all of them. */
const NETWORK_GROUPS = 4;
const ADDRESS_GROUPS = 8;

interface Bucket {
  tokens: number;
  last: number;
}

/** Buckets that fill evenly, by name. */
export class Rates {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** The least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param now time in ms, not to be set back: from there on it counts anew */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** False when there is nothing left to take. */
  take(name: string): boolean {
    const bucket = this.#bucket(name);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Undoes a {@link take}. */
  giveBack(name: string): void {
    const bucket = this.#bucket(name);
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + 1);
  }

  #bucket(name: string): Bucket {
    const time = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: this.#perMinute, last: time };
    const more = (Math.max(0, time - bucket.last) * this.#perMinute) / 60_000;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + more);
    bucket.last = time;
    putLast(this.#buckets, name, bucket);
    return bucket;
  }
}

/** What nobody vouches for yet: each address has its own part, and all of them have a bound together. */
export class UnverifiedRates {
  readonly #ofAddress: Rates;
  readonly #ofAll: Rates;

  constructor(perMinute: number, now: () => number) {
    this.#ofAddress = new Rates(perMinute, now);
    this.#ofAll = new Rates(ADDRESSES_AT_ONCE * perMinute, now);
  }

  take(address: string | undefined): boolean {
    const network = networkOf(address);
    if (!this.#ofAddress.take(network)) return false;
    if (this.#ofAll.take("")) return true;
    this.#ofAddress.giveBack(network);
    return false;
  }

  /** It has turned out who it was. */
  giveBack(address: string | undefined): void {
    this.#ofAddress.giveBack(networkOf(address));
    this.#ofAll.giveBack("");
  }
}

/** Credentials that were right, by their digests. */
export class KnownSenders {
  readonly #digests = new Map<string, true>();

  has(digest: string | undefined): digest is string {
    return digest !== undefined && this.#digests.has(digest);
  }

  add(digest: string): void {
    putLast(this.#digests, digest, true);
  }

  remove(digest: string | undefined): void {
    if (digest !== undefined) this.#digests.delete(digest);
  }
}

function putLast<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  const [first] = map.keys();
  if (map.size > REMEMBERED && first !== undefined) map.delete(first);
}

/** Those who can take each other's place count as one; so do all whose address is not known. */
function networkOf(address: string | undefined): string {
  const text = address?.trim().toLowerCase() ?? "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  if (!text.includes(":")) return text;
  const [head = "", tail = ""] = text.split("%", 1)[0]?.split("::") ?? [];
  const [first, last] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
  const groups = first ?? [];
  const zeros = text.includes("::") ? Math.max(0, ADDRESS_GROUPS - groups.length - (last?.length ?? 0)) : 0;
  return [...groups, ...Array.from({ length: zeros }, () => "0"), ...(last ?? [])]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

/** So many entries come before the map is made anew, or twice as many as it has. */
const RENEWED_AFTER = 64;

/**
 * A Map for entries that come and go. V8 links every table that a Map has outgrown to the one that follows it: as soon
 * as one of them has become old, all that follow are held with everything that was in them, and copied by each round of
 * the collector of young objects, until the next full one. Here the chain is cut before it is long.
 */
export class RenewedMap<K, V> {
  #map = new Map<K, V>();
  #left = RENEWED_AFTER;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    this.#left -= 1;
    if (this.#left < 0) {
      this.#map = new Map(this.#map);
      this.#left = Math.max(RENEWED_AFTER, 2 * this.#map.size);
    }
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    return this.#map.delete(key);
  }

  /** In the order of their coming; what comes while one looks may not be seen. */
  values(): MapIterator<V> {
    return this.#map.values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map[Symbol.iterator]();
  }
}

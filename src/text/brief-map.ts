/**
 * A map, and a set, of things that stay a moment: calls under way, answers that are being written.
 *
 * V8 makes a new hash table when an old one is full of removed entries, and the old table keeps a pointer to the new one. A table
 * that has reached the old generation thus keeps all later ones alive, each with what was in it when it was left, until the
 * whole heap is collected. A call of the gateway is in six such tables, so 8 kB of every call stayed. A copy into a fresh map ends
 * the chain.
 */
const RENEW_AFTER = 64

export class BriefMap<K, V> {
  #map = new Map<K, V>()
  #removed = 0

  get size(): number {
    return this.#map.size
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    const wasThere = this.#map.delete(key)
    if (wasThere) this.#removed += 1
    if (this.#removed >= Math.max(RENEW_AFTER, this.#map.size)) this.#renew()
    return wasThere
  }

  /** As they are now: what is added or removed meanwhile changes nothing. */
  values(): readonly V[] {
    return [...this.#map.values()]
  }

  clear(): void {
    this.#map = new Map()
    this.#removed = 0
  }

  #renew(): void {
    this.#map = new Map(this.#map)
    this.#removed = 0
  }
}

export class BriefSet<T> {
  readonly #map = new BriefMap<T, T>()

  get size(): number {
    return this.#map.size
  }

  has(one: T): boolean {
    return this.#map.has(one)
  }

  add(one: T): void {
    this.#map.set(one, one)
  }

  /** Whether it was there. */
  delete(one: T): boolean {
    return this.#map.delete(one)
  }

  /** As they are now. */
  values(): readonly T[] {
    return this.#map.values()
  }
}

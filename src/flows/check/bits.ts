/**
 * Sets of small numbers as bit arrays: a flow of a thousand nodes has a million pairs. Mutates only first arguments.
 */
export type Bits = Uint32Array

export function emptyBits(size: number): Bits {
  return new Uint32Array(Math.ceil(size / 32))
}

export function addBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
}

export function hasBit(bits: Bits, at: number): boolean {
  return ((bits[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0
}

/** Adds all members of `others` to `bits`; returns whether `bits` changed. */
export function addAll(bits: Bits, others: Bits): boolean {
  let changed = 0
  for (let word = 0; word < bits.length; word += 1) {
    const before = bits[word] ?? 0
    const after = before | (others[word] ?? 0)
    changed |= before ^ after
    bits[word] = after
  }
  return changed !== 0
}

export function keepOnly(bits: Bits, others: Bits): void {
  for (let word = 0; word < bits.length; word += 1) {
    bits[word] = (bits[word] ?? 0) & (others[word] ?? 0)
  }
}

export function isSubset(bits: Bits, others: Bits): boolean {
  return bits.every((word, at) => (word & ~(others[at] ?? 0)) === 0)
}

export function isEmpty(bits: Bits): boolean {
  return bits.every((word) => word === 0)
}

/** The members of `bits` that are not in `others`. */
export function without(bits: Bits, others: Bits): Bits {
  return bits.map((word, at) => word & ~(others[at] ?? 0))
}

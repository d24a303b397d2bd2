/** Sizes of memory as people write them: `256m`, `1g`. Pure. */

export const MEMORY_SIZE: RegExp = /^[1-9]\d{0,6}[kmg]$/i

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

/** `256m` as bytes. The text fits `MEMORY_SIZE`. */
export function memoryBytes(size: string): number {
  return parseInt(size, 10) * (UNITS[size.slice(-1).toLowerCase()] ?? 1)
}

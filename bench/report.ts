/** The result of a benchmark: figures to read, and bars that make the run fail when they are missed. */

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

export interface Bar extends Figure {
  readonly limit: number
  /** `most`: the value may be at most the limit; `least`: it must be at least the limit. */
  readonly kind: 'most' | 'least'
}

export interface BenchReport {
  readonly figures: readonly Figure[]
  readonly bars: readonly Bar[]
}

/** The value below which `share` of the samples lie; samples need not be sorted. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

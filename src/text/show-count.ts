/** Counts and amounts as people read them. Pure. */

export function showCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

export function showDollars(cost: number): string {
  if (cost === 0) return '$0'
  if (cost < 0.0001) return 'under $0.0001'
  return `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`
}

export function showSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const kilobytes = bytes / 1000
  return kilobytes < 1000 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1000).toFixed(1)} MB`
}

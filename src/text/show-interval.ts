/** A span of time as people say it. Pure. */

const UNITS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** `5 minutes`, `1 hour`: in the largest unit that leaves no rest. */
export function showInterval(ms: number): string {
  const [unit, size] =
    (['day', 'hour', 'minute'] as const)
      .map((name) => [name, UNITS[name]] as const)
      .find(([, one]) => ms % one === 0) ?? (['second', UNITS.second] as const)
  const count = Math.round(ms / size)
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

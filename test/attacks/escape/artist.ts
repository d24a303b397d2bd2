/** The host's view of the escape artist: how to start it, and how to read its report. */
import type { Canaries } from './canaries.ts'
import type { Aim } from './inside/probe.ts'
import type { Outcomes, Verdict, Verdicts } from './verdict.ts'

interface Line {
  readonly number: number
  readonly name: string
  readonly verdict: Verdict
}

export function artistFor(
  { script, aim }: Canaries,
  change: Partial<Aim>,
): { readonly command: string; readonly args: readonly string[] } {
  return { command: 'node', args: [script, JSON.stringify({ ...aim, ...change })] }
}

/** Only the artist's JSON lines count: a terminal also echoes the characters that were typed into it. */
export function readLines(text: string): Outcomes {
  const outcomes: Record<number, Verdicts> = {}
  for (const [line] of text.matchAll(/\{"number".*\}/g)) {
    const { number, name, verdict } = JSON.parse(line) as Line
    outcomes[number] = { ...outcomes[number], [name]: verdict }
  }
  return outcomes
}

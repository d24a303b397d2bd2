/** The escape artist as seen from outside: how to start it, and what it reported. */
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

/** Whatever else stands around its lines is not its own: a terminal shows what was typed into it. */
export function readLines(text: string): Outcomes {
  const outcomes: Record<number, Verdicts> = {}
  for (const [line] of text.matchAll(/\{"number".*\}/g)) {
    const { number, name, verdict } = JSON.parse(line) as Line
    outcomes[number] = { ...outcomes[number], [name]: verdict }
  }
  return outcomes
}

/** The results as a table: a row per check, a column per gateway, and the reasons below. */
import type { Check } from './check.ts'
import type { Verdict, Verdicts } from './run-checks.ts'

/** By check, why a gateway is known to fail it. */
export type Baseline = Readonly<Record<string, string>>

export interface Column {
  readonly name: string
  readonly verdicts: Verdicts
  readonly baseline: Baseline
}

function cell({ verdicts, baseline }: Column, { id }: Check): string {
  const verdict = verdicts.get(id)
  if (!verdict) return ''
  if (verdict.kind !== 'fail') return verdict.kind
  return id in baseline ? 'fail' : 'FAIL'
}

export function markdownTable(checks: readonly Check[], columns: readonly Column[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const sum = (column: Column): string => {
    const all = checks.flatMap(({ id }) => column.verdicts.get(id) ?? [])
    const asked = all.filter(({ kind }) => kind !== 'n/a')
    return `${asked.filter(({ kind }) => kind === 'pass').length} of ${asked.length}`
  }
  return [
    row(['check', 'what holds', ...columns.map(({ name }) => name)]),
    row(['---', '---', ...columns.map(() => '---')]),
    ...checks.map((check) =>
      row([`\`${check.id}\``, check.title, ...columns.map((column) => cell(column, check))]),
    ),
    row(['**passed**', '', ...columns.map(sum)]),
  ].join('\n')
}

/** One line per check that failed or could not be asked. */
export function reasons(checks: readonly Check[], { name, verdicts, baseline }: Column): string {
  const lines = checks.flatMap(({ id }) => {
    const verdict = verdicts.get(id)
    if (!verdict || verdict.kind === 'pass') return []
    const known = verdict.kind === 'fail' && id in baseline ? ` (known: ${baseline[id]})` : ''
    return [`- ${name}: \`${id}\`: ${verdict.kind}: ${verdict.why}${known}`]
  })
  return lines.join('\n')
}

/** A failure that the baseline does not name, and an entry of it that passes. */
export function problems(checks: readonly Check[], column: Column): readonly string[] {
  return checks.flatMap((check) => problemOf(column, check, column.verdicts.get(check.id)))
}

function problemOf(
  { name, baseline }: Column,
  { id }: Check,
  verdict: Verdict | undefined,
): readonly string[] {
  if (verdict?.kind === 'fail' && !(id in baseline)) return [`${name}: ${id}: ${verdict.why}`]
  if (verdict?.kind === 'pass' && id in baseline) {
    return [`${name}: ${id} passes: take it out of the baseline`]
  }
  return []
}

/** `npm run bench -- NAME…`: runs the named benchmarks (all without a name), prints figures, then bars, writes JSON. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { Bar, BenchReport, Figure } from './report.ts'

const here = new URL('.', import.meta.url)
const known = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')))
const unknown = asked.filter((name) => !known.includes(name))

if (unknown.length > 0) {
  process.stderr.write(`cordon: error: Cannot find benchmark ${JSON.stringify(unknown[0])}\n`)
  process.stderr.write(`cordon: hint: Choose from ${known.join(', ')}\n`)
  process.exitCode = 2
} else {
  await measure(asked.length > 0 ? asked : known)
}

async function measure(names: readonly string[]): Promise<void> {
  const reports: Record<string, BenchReport> = {}
  for (const name of names) {
    process.stderr.write(`measuring ${name} …\n`)
    const bench = (await import(new URL(`${name}.bench.ts`, here).href)) as {
      readonly FLAGS?: readonly string[]
      run(flags: ReadonlySet<string>): Promise<BenchReport>
    }
    const strange = [...flags].find((flag) => !bench.FLAGS?.includes(flag))
    if (strange !== undefined) {
      process.stderr.write(
        `cordon: error: Cannot measure ${name} with ${JSON.stringify(strange)}\n`,
      )
      process.stderr.write(`cordon: hint: It takes ${bench.FLAGS?.join(', ') ?? 'no flag'}\n`)
      process.exitCode = 2
      return
    }
    reports[name] = await bench.run(flags)
  }
  const all = Object.entries(reports)
  const figures = all.flatMap(([name, report]) =>
    report.figures.map((figure) => ({ name, figure })),
  )
  const bars = all.flatMap(([name, report]) => report.bars.map((bar) => ({ name, bar })))
  print(
    'figures',
    figures.map(({ name, figure }) => [name, figure.name, show(figure), '', '']),
  )
  print(
    'bars',
    bars.map(({ name, bar }) => [name, bar.name, show(bar), limit(bar), verdict(bar)]),
  )
  mkdirSync(new URL('results/', here), { recursive: true })
  const file = new URL(`results/${names.join('-')}.json`, here)
  writeFileSync(file, `${JSON.stringify(reports, null, 2)}\n`)
  if (bars.some(({ bar }) => !holds(bar))) process.exitCode = 1
}

function holds(bar: Bar): boolean {
  return bar.kind === 'most' ? bar.value <= bar.limit : bar.value >= bar.limit
}

function verdict(bar: Bar): string {
  return holds(bar) ? 'ok' : 'MISSED'
}

function limit(bar: Bar): string {
  return `${bar.kind === 'most' ? '≤' : '≥'} ${round(bar.limit)}`
}

function show(figure: Figure): string {
  return `${round(figure.value)} ${figure.unit}`
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  process.stdout.write(`\n${title}\n`)
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`)
  }
}

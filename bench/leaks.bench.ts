/** Starts the real kernel with real servers 200 times, as root and as a user, ends it at random: nothing is left. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchReport } from './report.ts'

const ROUNDS = 200
const program = fileURLToPath(new URL('../test/leaks/leaks.child.ts', import.meta.url))
const kinds = process.getuid?.() === 0 ? ['root', 'user'] : ['user']

/** The report that `test/leaks/rounds.ts` prints. */
interface LeakReport {
  readonly rounds: number
  readonly killed: number
  readonly killedWithChildren: number
  readonly slowestMs: number
  readonly processes: readonly string[]
  readonly traces: readonly string[]
}

export async function run(): Promise<BenchReport> {
  const reports: BenchReport[] = []
  for (const kind of kinds) reports.push(await measure(kind))
  return {
    figures: reports.flatMap(({ figures }) => figures),
    bars: reports.flatMap(({ bars }) => bars),
  }
}

async function measure(kind: string): Promise<BenchReport> {
  const words = [program, kind, String(ROUNDS), String(Math.floor(Math.random() * 2 ** 31))]
  process.stderr.write(`  leaks.child.ts ${words.slice(1).join(' ')}\n`)
  const { stdout } = await promisify(execFile)(process.execPath, words)
  const found = JSON.parse(stdout) as LeakReport
  for (const left of [...found.processes, ...found.traces]) process.stderr.write(`  ${left}\n`)
  const none = { unit: '', limit: 0, kind: 'most' } as const
  return {
    figures: [
      { name: `${kind}: starts`, value: found.rounds, unit: '' },
      { name: `${kind}: kill -9`, value: found.killed, unit: '' },
      { name: `${kind}: kill -9 with children`, value: found.killedWithChildren, unit: '' },
    ],
    bars: [
      { name: `${kind}: processes left`, value: found.processes.length, ...none },
      {
        name: `${kind}: sockets, cgroups, mounts, files left`,
        value: found.traces.length,
        ...none,
      },
      {
        name: `${kind}: last process gone after`,
        value: found.slowestMs,
        unit: 'ms',
        limit: 2000,
        kind: 'most',
      },
    ],
  }
}

/**
 * Cordon's gateway beside every other one that npm has, in front of the same server, in one interleaved run. Cordon runs
 * as it is shipped, with sandbox, policy and audit; the peers have none of these. `--quick`: fewer rounds. A round that
 * would begin after its deadline is left out, so that the whole run ends within six minutes.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openGuard } from './gateway/guard.ts'
import { type CallFigures, measureCalls } from './gateway/measure-calls.ts'
import { COUNTS, measureStarts, type StartFigures } from './gateway/measure-starts.ts'
import type { Bar, BenchReport, Figure } from './report.ts'

export const FLAGS: readonly string[] = ['--quick', '--calls-only']

const FULL = { rounds: 8, callsInTurn: 300, crowdMs: 1000, blobs: 3 }
const QUICK = { rounds: 3, callsInTurn: 200, crowdMs: 500, blobs: 2 }
/** From the beginning of the run. */
const CALLS_UNTIL_MS = 190_000
const STARTS_UNTIL_MS = 300_000

export async function run(flags: ReadonlySet<string>): Promise<BenchReport> {
  const began = performance.now()
  const root = fileURLToPath(new URL('../', import.meta.url))
  const build = spawnSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8' })
  if (build.status !== 0) throw new Error(build.stdout + build.stderr)
  const folder = mkdtempSync('/var/tmp/cordon-bench-gateway-')
  chmodSync(folder, 0o755)
  await using _guard = openGuard(folder)
  const isQuick = flags.has('--quick')
  const calls = await measureCalls(isQuick ? QUICK : FULL, folder, began + CALLS_UNTIL_MS)
  print(calls)
  const starts = flags.has('--calls-only')
    ? []
    : await measureStarts(isQuick ? 1 : 3, folder, began + STARTS_UNTIL_MS)
  return {
    figures: [...callFigures(calls), ...startFigures(starts)],
    bars: barsOf(calls, starts),
  }
}

function print(calls: readonly CallFigures[]): void {
  const rows = calls.map((one) => ({
    contender: one.name,
    'p50 ms': one.p50.toFixed(2),
    'p99 ms': one.p99.toFixed(2),
    'calls/s @32': Math.round(one.perSecond),
    'CPU µs @1': Math.round(one.cpuAlone),
    'CPU µs @32': Math.round(one.cpuInCrowd),
    '1 MiB ms': one.blobMs.toFixed(1),
    'RSS MiB': Math.round(one.residentMiB),
    '10 MiB result': shown(one.large.result),
    '1 MiB argument': shown(one.large.argument),
  }))
  console.table(rows)
}

function shown(large: number | string): string {
  return typeof large === 'number' ? `${Math.round(large)} ms` : large.slice(0, 60)
}

function callFigures(calls: readonly CallFigures[]): readonly Figure[] {
  return calls.flatMap((one) => [
    { name: `${one.name} p50`, value: one.p50, unit: 'ms' },
    { name: `${one.name} p99`, value: one.p99, unit: 'ms' },
    { name: `${one.name}, 32 in flight`, value: one.perSecond, unit: '/s' },
    { name: `${one.name} processor time, one in flight`, value: one.cpuAlone, unit: 'µs' },
    { name: `${one.name} processor time, 32 in flight`, value: one.cpuInCrowd, unit: 'µs' },
    { name: `${one.name} 1 MiB result p50`, value: one.blobMs, unit: 'ms' },
  ])
}

function startFigures(starts: readonly StartFigures[]): readonly Figure[] {
  return starts.flatMap(({ name, servers, listMs, residentMiB }) => [
    { name: `${name} start to list, ${servers} servers`, value: listMs, unit: 'ms' },
    { name: `${name} memory, ${servers} servers`, value: residentMiB, unit: 'MiB' },
  ])
}

function barsOf(calls: readonly CallFigures[], starts: readonly StartFigures[]): readonly Bar[] {
  // A contender that was left out has no figures, so its bars are missed.
  const named = (name: string): CallFigures =>
    calls.find((one) => one.name === name) ?? { ...UNMEASURED, name }
  const [http, stdio, direct] = [named('cordon'), named('cordon-stdio'), named('direct')]
  const sse = named('cordon-sse')
  const memory = starts.find(
    ({ name, servers }) => name === 'cordon' && servers === Math.max(...COUNTS),
  )
  return [
    ...[http, sse, stdio].flatMap((own) => againstPeers(own, calls)),
    {
      name: 'p50 vs direct HTTP server',
      value: http.p50 / direct.p50,
      unit: '×',
      limit: 2,
      kind: 'most',
    },
    { name: 'processor time, HTTP', value: http.cpuInCrowd, unit: 'µs', limit: 200, kind: 'most' },
    { name: 'processor time, stdio', value: stdio.cpuInCrowd, unit: 'µs', limit: 50, kind: 'most' },
    { name: 'HTTP, 32 in flight', value: http.perSecond, unit: '/s', limit: 4500, kind: 'least' },
    {
      name: 'large calls that passed or failed alone',
      value: answered(http, stdio),
      unit: 'of 4',
      limit: 4,
      kind: 'least',
    },
    ...(memory
      ? [
          {
            name: 'memory over 20 servers',
            value: memory.residentMiB,
            unit: 'MiB',
            limit: 80,
            kind: 'most',
          } as const,
        ]
      : []),
  ]
}

const UNMEASURED: CallFigures = {
  name: '',
  way: 'http',
  p50: Number.NaN,
  p99: Number.NaN,
  perSecond: Number.NaN,
  cpuAlone: Number.NaN,
  cpuInCrowd: Number.NaN,
  blobMs: Number.NaN,
  residentMiB: Number.NaN,
  large: { result: 'left out; then: left out', argument: 'left out; then: left out' },
}

/**
 * Ratios to the best peer that a client could use instead: Streamable HTTP is also measured against the older HTTP+SSE,
 * which a client may choose; HTTP+SSE itself only against its own kind.
 */
function againstPeers(own: CallFigures, calls: readonly CallFigures[]): readonly Bar[] {
  const ways = own.way === 'http' ? ['http', 'sse'] : [own.way]
  const peers = calls.filter(
    ({ name, way }) => ways.includes(way) && !name.startsWith('cordon') && name !== 'direct',
  )
  const p50 = Math.min(...peers.map((peer) => peer.p50))
  const perSecond = Math.max(...peers.map((peer) => peer.perSecond))
  return [
    {
      name: `${own.name} p50 vs the best peer`,
      value: own.p50 / p50,
      unit: '×',
      limit: 1,
      kind: 'most',
    },
    {
      name: `${own.name} calls/s vs the best peer`,
      value: own.perSecond / perSecond,
      unit: '×',
      limit: 1,
      kind: 'least',
    },
  ]
}

function answered(...all: readonly CallFigures[]): number {
  const large = all.flatMap((one) => [one.large.result, one.large.argument])
  // An error for that call alone is an answer; one after which the next call fails too is none.
  return large.filter((one) => typeof one === 'number' || !one.includes('; then:')).length
}

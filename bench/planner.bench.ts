/**
 * How well the planner without a model understands requests as people type them, over the product's own cards of the
 * real tool lists: measured on the half that was held out while its tables and weights were made, and how fast it is.
 * `--tuning` measures the other half and prints what it got wrong; of the held-out half only totals are printed.
 */
import { readFileSync } from 'node:fs'
import { isRead } from '../src/kernel/effect.ts'
import type { ToolListing } from '../src/ports/tool-view.ts'
import { REMEMBER_CARD, withCards } from '../src/pipeline/built-in-cards.ts'
import {
  createOfflinePlanner,
  type OfflinePlanner,
} from '../src/pipeline/offline/create-offline-planner.ts'
import { indexOfStrangers, readListedTools } from '../test/fixtures/tool-queries.ts'
import {
  type Measured,
  measurePlanner,
  type RequestHalf,
  requestOf,
} from './planner/measure-planner.ts'
import { type BenchReport, quantile } from './report.ts'

export const FLAGS: readonly string[] = ['--tuning']

type Half = 'tuning' | 'heldOut'
const REQUESTS = new URL('planner/requests.json', import.meta.url)
const ROUNDS = 5

export async function run(flags: ReadonlySet<string>): Promise<BenchReport> {
  const lists = readListedTools()
  if (!lists) {
    process.stderr.write('the real lists are not here: nothing is measured\n')
    return { figures: [], bars: [] }
  }
  const tools = indexOfStrangers(lists)
  const listed = await tools.list()
  const offered = withCards(tools, [REMEMBER_CARD])
  const planner = createOfflinePlanner({ tools: offered, taught: () => [] })
  const isTuning = flags.has('--tuning')
  const half = readHalf(isTuning ? 'tuning' : 'heldOut')
  const measured = await measurePlanner({ planner, ...factsOf(listed) }, half)
  if (isTuning) for (const failure of measured.failures) process.stderr.write(`  ${failure}\n`)
  const times = await timesOf(planner, half)
  return reportOf(measured, times, listed.length)
}

function readHalf(half: Half): RequestHalf {
  type Halves<T> = Readonly<Record<Half, T>>
  const all = JSON.parse(readFileSync(REQUESTS, 'utf8')) as {
    readonly [Name in keyof RequestHalf]: Halves<RequestHalf[Name]>
  }
  return { fits: all.fits[half], unfit: all.unfit[half], unasked: all.unasked[half] }
}

function factsOf(
  listed: readonly ToolListing[],
): Pick<Parameters<typeof measurePlanner>[0], 'requiredOf' | 'isRead'> {
  const cards = new Map(listed.map(({ card }) => [`${card.id.server}.${card.id.name}`, card]))
  return {
    requiredOf: ({ server, name }) =>
      (cards.get(`${server}.${name}`)?.args ?? []).flatMap((arg) =>
        arg.isRequired ? [arg.name] : [],
      ),
    isRead: ({ server, name }) => {
      const card = cards.get(`${server}.${name}`)
      return card !== undefined && (isRead(card.effect) || card.claims === 'read')
    },
  }
}

interface Times {
  readonly wall: readonly number[]
  readonly processor: readonly number[]
}

/**
 * For each sentence the median of its rounds. The bar is on the processor's time: with other programs on the machine,
 * the time that passes is mostly theirs.
 */
async function timesOf(planner: OfflinePlanner, half: RequestHalf): Promise<Times> {
  const sentences = [...half.fits.map(({ say }) => say), ...half.unfit, ...half.unasked]
  const wall: number[] = []
  const processor: number[] = []
  for (const words of sentences) {
    const rounds: { readonly passed: number; readonly used: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now()
      const before = process.cpuUsage()
      await planner.plan(requestOf(words), new AbortController().signal)
      const { user, system } = process.cpuUsage(before)
      rounds.push({ passed: performance.now() - began, used: (user + system) / 1000 })
    }
    wall.push(
      quantile(
        rounds.map(({ passed }) => passed),
        0.5,
      ),
    )
    processor.push(
      quantile(
        rounds.map(({ used }) => used),
        0.5,
      ),
    )
  }
  return { wall, processor }
}

function reportOf(measured: Measured, { wall, processor }: Times, count: number): BenchReport {
  const { planned, rightArguments, complete, completePlanned } = measured
  const share = { unit: '%', kind: 'least' } as const
  return {
    figures: [
      { name: 'requests planned with the right tool', value: planned, unit: 'requests' },
      {
        name: 'complete requests planned rightly, nothing asked',
        value: (100 * completePlanned) / complete,
        unit: '%',
      },
      { name: 'plan p50, time passed', value: quantile(wall, 0.5), unit: 'ms' },
      { name: 'plan p95, time passed', value: quantile(wall, 0.95), unit: 'ms' },
    ],
    bars: [
      { name: 'right tool first', value: 100 * measured.first, limit: 70, ...share },
      { name: 'right tool among three', value: 100 * measured.amongThree, limit: 90, ...share },
      {
        name: 'required arguments right, of those planned',
        value: (100 * rightArguments) / planned,
        limit: 80,
        ...share,
      },
      {
        name: 'requests that no tool fits, not planned',
        value: 100 * measured.notPlanned,
        limit: 90,
        ...share,
      },
      {
        name: 'writes planned though forbidden or only asked about',
        value: measured.writesUnasked,
        limit: 0,
        unit: 'plans',
        kind: 'most',
      },
      {
        name: `plan among ${count} tools, p95 of the processor's time`,
        value: quantile(processor, 0.95),
        limit: 20,
        unit: 'ms',
        kind: 'most',
      },
    ],
  }
}

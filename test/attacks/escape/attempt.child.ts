/** Makes every attempt behind Cordon and behind its naive contender, as the tested user, in the test's namespaces. */
import { setTimeout as delay } from 'node:timers/promises'
import { artistFor, readLines } from './artist.ts'
import { ATTEMPTS } from './attempts.ts'
import { type Prepared, setCanaries } from './canaries.ts'
import { type Contender, type ContenderName, openContender } from './contenders.ts'
import { HOST_SIDE } from './host-side.ts'
import { endAll, read } from './processes.ts'
import { SCENES } from '../proxy/scenes.ts'
import { attemptProxy } from '../proxy/attempt-proxy.ts'
import { type EscapeReport, failed, type Outcomes, type Verdicts } from './verdict.ts'

const LONGEST_MS = 300_000

using canaries = await setCanaries(JSON.parse(process.argv[2] ?? '') as Prepared)
/** Numbers separated by commas, while an attempt is written; the test sets none. */
const only = process.env['ONLY']?.split(',').map(Number)
const all = Object.keys(ATTEMPTS)
  .map(Number)
  .filter((number) => only?.includes(number) ?? true)
/** The naive contender proves that the attempts bite. It has no images, and short rounds leave it out. */
const isCompared = process.env['IMAGE_ROOT'] === undefined && process.env['CONTROL'] === 'yes'
const compared = isCompared ? all : []
const careless = Map.groupBy(compared, (number) => ATTEMPTS[number]?.naive ?? 'plain')
const report: EscapeReport = {
  ours: await attemptAll('cordon', all),
  naive: Object.assign(
    {},
    ...(await Array.fromAsync(careless, ([name, numbers]) => attemptAll(name, numbers))),
  ) as Outcomes,
}
process.stdout.write(JSON.stringify(report))

async function attemptAll(name: ContenderName, numbers: readonly number[]): Promise<Outcomes> {
  await using contender = await openContender(name, canaries)
  const broken = (error: unknown): Verdicts => ({ attempt: failed(String((error as Error).stack)) })
  const outcomes: Record<number, Verdicts> = {}
  for (const number of numbers.filter((number) => number in HOST_SIDE || number in SCENES)) {
    outcomes[number] = await attempt(name, contender, number).catch(broken)
  }
  const rest = numbers.filter((number) => !(number in outcomes))
  const inside = await attemptInside(contender, rest).catch((error: unknown) =>
    Object.fromEntries(rest.map((number) => [number, broken(error)])),
  )
  return { ...inside, ...outcomes }
}

async function attempt(
  name: ContenderName,
  contender: Contender,
  number: number,
): Promise<Verdicts> {
  const mark = `${600 + number}.${process.pid}`
  const made =
    number in SCENES
      ? attemptProxy(contender, canaries, number)
      : HOST_SIDE[number]?.({ name, contender, canaries, mark })
  try {
    return (await inTime(made)) ?? {}
  } finally {
    await endAll(mark)
  }
}

async function attemptInside(contender: Contender, numbers: readonly number[]): Promise<Outcomes> {
  if (numbers.length === 0) return {}
  const { command, args } = artistFor(canaries, { attempts: numbers })
  const running = await contender.start(command, args)
  try {
    return readLines(await inTime(read(running.stdout)))
  } finally {
    await running.stop()
  }
}

async function inTime<T>(made: T): Promise<Awaited<T>> {
  const late = delay(LONGEST_MS, undefined, { ref: false }).then(() => {
    throw new Error('it took too long')
  })
  return await Promise.race([made, late])
}

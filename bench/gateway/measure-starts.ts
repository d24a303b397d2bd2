/** From the start of a gateway to its complete list of tools, over 1, 5 and 20 servers; its memory once all have served. */
import path from 'node:path'
import { quantile } from '../report.ts'
import type { Contender } from './contender.ts'
import { CONTENDERS, prepare } from './contenders.ts'
import { endAll, gatewayPids, residentMiB } from './gateway-processes.ts'
import type { Link, Tool } from './link.ts'
import { reasonOf, until, within } from './within.ts'

export const COUNTS = [1, 5, 20] as const
/** To register so many servers, and to list and use them. */
const PREPARE_MS = 60_000
const START_MS = 20_000

export interface StartFigures {
  readonly name: string
  readonly servers: number
  readonly listMs: number
  readonly residentMiB: number
}

interface Taken {
  readonly contender: Contender
  readonly ms: number[]
  readonly mib: number[]
}

/** No round begins after the deadline, except the first of each count. */
export async function measureStarts(
  rounds: number,
  folder: string,
  deadline: number,
): Promise<readonly StartFigures[]> {
  const figures: StartFigures[] = []
  for (const servers of COUNTS) {
    for (const { contender, ms, mib } of await measureCount(servers, rounds, folder, deadline)) {
      const { name } = contender
      figures.push({
        name,
        servers,
        listMs: quantile(ms, 0.5),
        residentMiB: quantile(mib, 0.5),
      })
    }
  }
  return figures
}

async function measureCount(
  servers: number,
  rounds: number,
  folder: string,
  deadline: number,
): Promise<readonly Taken[]> {
  const able = CONTENDERS.filter(
    ({ isSingle, callsOnly }) => !callsOnly && (servers === 1 || !isSingle),
  )
  let taken = able.map((contender): Taken => ({ contender, ms: [], mib: [] }))
  const each = async (work: (one: Taken) => Promise<void>): Promise<void> => {
    const kept: Taken[] = []
    for (const one of taken) if (await isDone(one, servers, () => work(one))) kept.push(one)
    taken = kept
  }
  const own = ({ contender }: Taken): string => path.join(folder, contender.name)
  await each((one) =>
    within(PREPARE_MS, (signal) => prepare(one.contender, servers, own(one), signal)),
  )
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0 && performance.now() > deadline) break
    process.stderr.write(`  ${servers} servers, round ${round + 1} of ${rounds} …\n`)
    await each((one) =>
      within(START_MS, (signal) => startOnce(one, servers, { folder: own(one), signal })),
    )
  }
  return taken
}

async function isDone(
  { contender: { name } }: Taken,
  servers: number,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    process.stderr.write(`  ${name} is left out at ${servers} servers: ${reasonOf(error)}\n`)
    return false
  } finally {
    await endAll(name)
  }
}

async function startOnce(
  { contender, ms, mib }: Taken,
  servers: number,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  const began = performance.now()
  using link = await contender.start(servers, folder, signal)
  let tools: readonly Tool[] = []
  await until(async () => {
    tools = await listAll(link)
    return contender.callOf !== undefined || tools.filter(isEcho).length === servers
  }, signal)
  const listed = performance.now() - began
  await useAll(contender, link, tools)
  ms.push(listed)
  mib.push(residentMiB(gatewayPids(contender.name)))
}

function isEcho({ name }: Tool): boolean {
  return name.endsWith('echo')
}

async function listAll(link: Link): Promise<readonly Tool[]> {
  const { tools } = (await link.request('tools/list', {})) as { tools: readonly Tool[] }
  return tools
}

/** Every server has served a call, so that all of them have run. */
async function useAll({ callOf }: Contender, link: Link, tools: readonly Tool[]): Promise<void> {
  const args = { text: 'hello' }
  const calls = callOf
    ? [callOf('echo', args)]
    : tools.filter(isEcho).map(({ name }) => ({ name, arguments: args }))
  for (const call of calls) await link.request('tools/call', call)
}

/** From the start of a gateway to its complete list of tools, over 1, 5 and 20 servers; its memory once all have served. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/fixtures/until.ts'
import { quantile } from '../report.ts'
import { type Contender, CONTENDERS, prepare } from './contenders.ts'
import { endAll, gatewayPids, residentMiB } from './gateway-processes.ts'
import type { Link, Tool } from './link.ts'

export const COUNTS = [1, 5, 20] as const

export interface StartFigures {
  readonly name: string
  readonly servers: number
  readonly listMs: number
  readonly residentMiB: number
}

export async function measureStarts(
  rounds: number,
  folder: string,
): Promise<readonly StartFigures[]> {
  const figures: StartFigures[] = []
  for (const servers of COUNTS) {
    const able = CONTENDERS.filter(({ isSingle }) => servers === 1 || !isSingle)
    const taken = new Map(
      able.map(({ name }) => [name, { ms: [] as number[], mib: [] as number[] }]),
    )
    for (const contender of able) fresh(contender, servers, folder)
    for (let round = 0; round < rounds; round += 1) {
      process.stderr.write(`  ${servers} servers, round ${round + 1} of ${rounds} …\n`)
      for (const contender of able) {
        const { ms, mib } = await startOnce(contender, servers, path.join(folder, contender.name))
        taken.get(contender.name)?.ms.push(ms)
        taken.get(contender.name)?.mib.push(mib)
      }
    }
    for (const [name, { ms, mib }] of taken) {
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

function fresh(contender: Contender, servers: number, folder: string): void {
  const own = path.join(folder, contender.name)
  rmSync(own, { recursive: true, force: true })
  prepare(contender, servers, own)
}

async function startOnce(
  contender: Contender,
  servers: number,
  folder: string,
): Promise<{ readonly ms: number; readonly mib: number }> {
  const { name, callOf } = contender
  try {
    const began = performance.now()
    using link = await contender.start(servers, folder)
    let tools: readonly Tool[] = []
    await until(async () => {
      tools = await listAll(link)
      return callOf !== undefined || tools.filter(isEcho).length === servers
    })
    const ms = performance.now() - began
    await useAll(contender, link, tools)
    return { ms, mib: residentMiB(gatewayPids(name)) }
  } finally {
    await endAll(name)
  }
}

function isEcho({ name }: Tool): boolean {
  return name.endsWith('echo')
}

async function listAll(link: Link): Promise<readonly Tool[]> {
  const { tools } = (await link.request('tools/list', {})) as { tools: readonly Tool[] }
  return tools
}

/** Every server has served a call, so that all of them run. */
async function useAll({ callOf }: Contender, link: Link, tools: readonly Tool[]): Promise<void> {
  const args = { text: 'hello' }
  const calls = callOf
    ? [callOf('echo', args)]
    : tools.filter(isEcho).map(({ name }) => ({ name, arguments: args }))
  for (const call of calls) await link.request('tools/call', call)
}

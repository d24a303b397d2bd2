/** Attempts to live on after the server has ended, however it ends and whoever is killed first. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { childrenOf } from '../../../src/sandbox/process/process-tree.ts'
import { until } from '../../fixtures/until.ts'
import { host, patienceMs, writeJob } from './separate-host.ts'
import { endAll, endAlone, mustAppear } from './processes.ts'
import type { Stage } from './stage.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

/** A daemon in a session of its own, whose parent has ended; `then` is what the server does after that. */
function daemonAnd(mark: string, then: string): string {
  return `setsid sh -c 'trap "" TERM HUP; setsid sleep ${mark} &'; ${then}`
}

const OWN_ENDS = {
  'it exits': 'read x; exit 3',
  'it crashes': 'read x; kill -SEGV $$',
  'it ignores SIGTERM': 'trap "" TERM; cat; exec sleep 600',
  'it is stopped': 'read x; kill -STOP $$; cat',
}

interface Cast {
  readonly cordon: number
  readonly bubblewrap: number
  /** A naive contender has none. */
  readonly warden: number | undefined
}

/** The order in which processes are killed; those that are stopped before are killed in one moment. */
const ORDERS: Readonly<Record<number, (cast: Cast) => Promise<void> | void>> = {
  86: ({ bubblewrap }) => kill(bubblewrap),
  87: async ({ warden, cordon }) => {
    kill(warden)
    await until(() => warden === undefined || isGone(warden))
    kill(cordon)
  },
  88: ({ warden, cordon }) => {
    for (const pid of [warden, cordon]) kill(pid, 'SIGSTOP')
    for (const pid of [warden, cordon]) kill(pid)
  },
  89: async ({ warden, bubblewrap, cordon }) => {
    kill(warden, 'SIGSTOP')
    kill(cordon)
    await until(() => isGone(cordon))
    kill(bubblewrap)
    kill(warden)
  },
}

const CAST = ['cordon', 'warden', 'bubblewrap'] as const

/** All three, one after another, in each of the six orders. */
const ALL_ORDERS = CAST.flatMap((first) => {
  const others = CAST.filter((one) => one !== first)
  return [others, others.toReversed()].map((rest) => [first, ...rest])
})

function killAll(order: readonly (typeof CAST)[number][]): (cast: Cast) => Promise<void> {
  return async (cast) => {
    for (const name of order) {
      const pid = cast[name]
      if (pid !== undefined && !isGone(pid)) kill(pid)
      await until(() => pid === undefined || isGone(pid))
    }
  }
}

async function inEveryOrder(stage: Stage): Promise<Verdicts> {
  const all = ALL_ORDERS.map(async (order, index) => {
    const mark = `${stage.mark}${index}`
    return [order.join(', '), await killedInOrder({ ...stage, mark }, killAll(order))] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

export const ENDS_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  85: async (stage) => {
    const verdicts: Record<string, Verdict> = {}
    for (const [way, then] of Object.entries(OWN_ENDS)) verdicts[way] = await ownEnd(stage, then)
    return verdicts
  },
  103: inEveryOrder,
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([number, order]) => [
      number,
      async (stage: Stage) => ({ 'a daemon': await killedInOrder(stage, order) }),
    ]),
  ),
}

async function ownEnd({ name, contender, mark }: Stage, then: string): Promise<Verdict> {
  const sleeping = `sleep\0${mark}`
  const running = await contender.start('sh', ['-c', daemonAnd(mark, then)])
  await mustAppear(sleeping)
  running.stdin.write('\n')
  await running.stop()
  const gone = await endAlone(sleeping, patienceMs(name))
  await endAll(sleeping)
  return gone ? stopped('gone with its server') : got('a daemon that goes on')
}

async function killedInOrder(
  { name, canaries, mark }: Stage,
  order: (cast: Cast) => Promise<void> | void,
): Promise<Verdict> {
  const sleeping = `sleep\0${mark}`
  const words = { command: 'sh', args: ['-c', daemonAnd(mark, 'exec cat')] }
  const job = writeJob(canaries, { name, setting: canaries, ...words })
  const child = spawn(process.execPath, [host, job], { stdio: 'ignore' })
  await mustAppear(sleeping)
  await order(castOf(child.pid ?? 0))
  const gone = await endAlone(sleeping, patienceMs(name))
  child.kill('SIGKILL')
  await endAll(sleeping)
  return gone ? stopped('gone with its server') : got('a daemon that goes on')
}

function castOf(cordon: number): Cast {
  const children = childrenOf(cordon)
  const warden = children.find((pid) => commandOf(pid).includes('perl'))
  const bubblewrap = children.find((pid) => pid !== warden)
  if (bubblewrap === undefined) throw new Error('no bubblewrap')
  return { cordon, bubblewrap, warden }
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? ''
}

function isGone(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

function kill(pid: number | undefined, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
  if (pid !== undefined) process.kill(pid, signal)
}

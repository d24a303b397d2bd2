/** Measures the chat over all suites: planned and as saved flows, without grants and with the default ones. */
import type { MeasuredChat } from './measure-chat.ts'
import { inThreads } from './in-threads.ts'
import { type FoundSuite, isAsBefore } from './measure-all.ts'
import { type Setting, SETTINGS } from './world.ts'

export interface ChatJob {
  readonly folder: string
  readonly suite: string
  readonly setting: Setting
  readonly by: MeasuredChat['by']
  readonly remembers: boolean
  readonly sparse: number
}

const WORKER = new URL('chat-worker.ts', import.meta.url)
/** Of the pairs of task and attack a quick run takes every so many. */
const SPARSE = 12
const WAYS = [
  { by: 'plan', remembers: false },
  { by: 'saved flow', remembers: false },
  { by: 'plan', remembers: true },
] as const

export async function measureChats(
  suites: readonly FoundSuite[],
  isQuick: boolean,
): Promise<readonly MeasuredChat[]> {
  const settings = SETTINGS.filter(({ spendCap }) => spendCap === undefined)
  const wanted = suites.flatMap(({ folder, suite }) =>
    settings.flatMap((setting, at) => {
      const ways = WAYS.filter(({ remembers }) => at === 0 || !remembers)
      return ways.map((way) => ({ folder, suite, setting, ...way }))
    }),
  )
  const sparse = isQuick ? SPARSE : 1
  const jobs = wanted
    .filter(({ suite, setting }) => !isAsBefore(suite, setting))
    .map((one): ChatJob => ({ ...one, suite: one.suite.suite, sparse }))
  const done = await inThreads<ChatJob, MeasuredChat>(WORKER, jobs, sizeOf)
  return wanted.flatMap(({ suite, setting, by, remembers }) => {
    // A setting that gives the suite nothing new is not measured again.
    const same = done.filter((one) => {
      return one.suite === suite.suite && one.by === by && one.remembers === remembers
    })
    const found = same.find((one) => one.setting === setting.name) ?? same.at(-1)
    return found ? [{ ...found, setting: setting.name }] : []
  })
}

function sizeOf({ suite }: ChatJob): number {
  return suite === 'workspace' ? 1 : 0
}

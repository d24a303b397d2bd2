/**
 * Watches: a flow that only reads, run again and again, and a comparison with what it gave last. No model is asked. The
 * owner is told in the channel where the watch was set: when something changed, and once when a look fails. A look that
 * finds nothing new is silent, and its run is forgotten. Each look has an id of its watch and its time, so several
 * kernels on one store tell of it once.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Deliveries, ToldLine } from '../ports/delivery-port.ts'
import type { FlowRun, Flows } from '../ports/flow-port.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { WatchView } from '../ports/watch-port.ts'
import type { Log, Notes } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import { Changes } from '../text/changes.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'

export interface WatchDeps {
  readonly notes: Notes
  readonly flows: Pick<Flows, 'start' | 'follow' | 'results' | 'cancel' | 'forget'>
  readonly notices: Noticing
  readonly deliveries: Pick<Deliveries, 'tell'>
  readonly principal: Principal
  readonly log: Log
  readonly now: () => number
}

const NOTE = 'watch'
export const MOST_WATCHES = 50
/** A look that takes longer is given up. */
const LOOK_MS = 120_000
const SHORTEST_PAUSE_MS = 1000
/** Looks that are later than this were missed because no kernel ran, or the machine slept. */
const AWAY_MS = 10 * 60_000

export interface Watch extends WatchView {
  readonly ir: JsonObject
  /** The sink at which the owner is told; absent: their own machine. */
  readonly sink?: string
  readonly createdAt: number
  /** Of what the last look gave. */
  readonly hash?: string
}

const Stored = z.object({
  number: z.int(),
  about: z.string(),
  ir: z.record(z.string(), z.unknown()),
  everyMs: z.number(),
  sink: z.string().exactOptional(),
  createdAt: z.number(),
  nextAt: z.number(),
  hash: z.string().exactOptional(),
  hasFailed: z.boolean().exactOptional(),
})

export interface Watches extends AsyncDisposable {
  /** The first look is made at once, and tells nothing. */
  add(watch: Pick<Watch, 'about' | 'ir' | 'everyMs' | 'sink'>): Promise<Watch>
  list(): Promise<readonly Watch[]>
  /** The watch that was there. */
  remove(number: number): Promise<Watch | undefined>
}

export function openWatches(deps: WatchDeps): Watches {
  const { notes, now } = deps
  const ending = new AbortController()
  const changed = new Changes()
  const list = () => readAll(deps)
  const running = attend(deps, changed, ending.signal)
  return {
    list,
    async add(watch) {
      const number = Math.max(0, ...(await list()).map((one) => one.number)) + 1
      const made = { ...watch, number, createdAt: now(), nextAt: now() }
      await notes.put(NOTE, String(number), JSON.stringify(made))
      changed.announce()
      return made
    },
    async remove(number) {
      const found = (await list()).find((one) => one.number === number)
      if (found) await notes.remove(NOTE, String(number))
      changed.announce()
      return found
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await running
    },
  }
}

/** A note that cannot be read is no watch. */
async function readAll({ notes, log }: WatchDeps): Promise<readonly Watch[]> {
  const rows = await notes.list(NOTE)
  const watches = rows.flatMap(({ id, content }) => {
    const read = Stored.safeParse(parsed(content))
    if (!read.success) log.warn('A watch cannot be read', { id })
    return read.success ? [read.data as Watch] : []
  })
  return watches.toSorted((a, b) => a.number - b.number)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Looks at each watch when it is due, one after the other. */
async function attend(deps: WatchDeps, changed: Changes, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const wait = await lookAtDue(deps, signal).catch((error: unknown) => {
      if (!signal.aborted) deps.log.warn('The watches cannot be looked at', { error })
      return LOOK_MS
    })
    await quietly(changed, signal, wait)
  }
}

/** The time until the next watch is due. */
async function lookAtDue(deps: WatchDeps, signal: AbortSignal): Promise<number> {
  const due = (await readAll(deps)).filter(({ nextAt }) => nextAt <= deps.now())
  tellAway(deps, due)
  for (const watch of due) {
    if (signal.aborted) return 0
    await look(deps, watch, signal)
  }
  const next = Math.min(...(await readAll(deps)).map(({ nextAt }) => nextAt))
  return Math.max(SHORTEST_PAUSE_MS, next - deps.now())
}

/** One notice for all watches, however many looks were missed. */
function tellAway({ notices, now }: WatchDeps, due: readonly Watch[]): void {
  const missed = due.filter(({ nextAt }) => now() - nextAt > AWAY_MS)
  if (missed.length === 0) return
  const since = Math.min(...missed.map(({ nextAt }) => nextAt))
  const reason = `from ${timeOf(since)} to ${timeOf(now())}`
  notices.resolve('late', 'watches')
  notices.raise(
    'late',
    'watches',
    missed.map(({ about }) => `watch of ${about}`),
    reason,
  )
}

/** The pause does not keep the process alive. */
async function quietly(changed: Changes, signal: AbortSignal, ms: number): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), Math.min(ms, LOOK_MS))
  timer.unref()
  await changed.next(AbortSignal.any([signal, late.signal]))
  clearTimeout(timer)
}

async function look(deps: WatchDeps, watch: Watch, signal: AbortSignal): Promise<void> {
  const { notes, notices } = deps
  const { number, about, everyMs } = watch
  const seen = await read(deps, watch, signal)
  if (signal.aborted) return
  const nextAt = deps.now() + everyMs
  const { hash: before, hasFailed, ...rest } = watch
  const isThere = (await readAll(deps)).some((one) => one.number === number)
  if (!isThere) return // it was stopped meanwhile
  if ('problem' in seen) {
    const kept = { ...rest, nextAt, hasFailed: true, ...(before !== undefined && { hash: before }) }
    // Told first: a process that dies in between looks again under the same id, and the line is told once.
    if (!hasFailed) await tell(deps, watch, 'watch-failed', seen.problem)
    await notes.put(NOTE, String(number), JSON.stringify(kept))
    return
  }
  const hasChanged = before !== undefined && before !== seen.hash
  if (hasChanged) await tell(deps, watch, 'watch', about)
  else await forgetLook(deps, watch)
  await notes.put(NOTE, String(number), JSON.stringify({ ...rest, nextAt, hash: seen.hash }))
  if (hasFailed) notices.resolve('watch-failed', `watch-${number}`)
}

async function tell(
  { deliveries, now }: WatchDeps,
  watch: Watch,
  kind: 'watch' | 'watch-failed',
  reason: string,
): Promise<void> {
  const { number, about, sink = OWNER_SINK.name } = watch
  const items = kind === 'watch' ? [timeOf(now())] : [about]
  const said = kind === 'watch' ? `${about} changed.` : `I could not look at ${about}: ${reason}.`
  const text = `${said} \`stop watching ${number}\` ends the watch.`
  const notice: ToldLine['notice'] = { kind, subject: `watch-${number}`, items, reason }
  await deliveries.tell({ id: lookId(watch), sink, text, notice })
}

/** A failure is only logged: the run is forgotten after 30 days like any other. */
async function forgetLook({ flows, log }: WatchDeps, watch: Watch): Promise<void> {
  await flows.forget(lookId(watch)).catch((error: unknown) => {
    log.warn('The run of a look cannot be forgotten', { error })
  })
}

function lookId({ number, createdAt, nextAt }: Watch): string {
  return `watch-${number}-${createdAt}-${nextAt}`
}

async function read(
  { flows, principal }: WatchDeps,
  watch: Watch,
  signal: AbortSignal,
): Promise<{ readonly hash: string } | { readonly problem: string }> {
  const id = lookId(watch)
  const source = { kind: 'ir', ir: watch.ir } as const
  const late = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  try {
    // Non-interactive: a look that would have to ask the owner is refused, and so fails.
    const start = { id, source, principal, inputs: {}, approval: 'never' } as const
    await flows.start({ ...start, useCache: false, trust: [] }, late)
    const run = await settled(flows, id, late)
    if (run.state !== 'completed')
      return { problem: run.problem?.message ?? 'it did not end in time' }
    const last = Object.values((await flows.results(id)) ?? {}).at(-1)
    const delivery = last && deliver(last, OWNER_SINK)
    const value = delivery?.kind === 'shown' ? delivery.value : null
    return { hash: createHash('sha256').update(canonicalJson(value)).digest('hex') }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it failed' }
  }
}

async function settled(
  flows: WatchDeps['flows'],
  id: string,
  signal: AbortSignal,
): Promise<FlowRun> {
  for (let after = 0; ; ) {
    const { run, events } = await flows.follow(id, after, signal)
    after = events.at(-1)?.number ?? after
    if (signal.aborted) return await flows.cancel(id)
    if (run.state !== 'running' && run.state !== 'asking') return run
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * The outbox: follows runs whose results somebody waits for, and delivers each once. Goes on after a restart where it was.
 * Begun only by a kernel that stays up; until then rows are only written.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Deliveries, Receipt } from '../ports/delivery-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { Locks, Log, Notes } from '../kernel/ports.ts'
import { deliver, OWNER_SINK, TELEGRAM_SINK } from '../labels/sink.ts'
import { Changes } from '../text/changes.ts'
import { deliverRow, type DeliverDeps, type RunEnd, textOf } from './deliver-row.ts'
import { createDeliveryRows, type DeliveryRow, keyOf } from './delivery-rows.ts'

export interface DeliveriesDeps extends Omit<DeliverDeps, 'rows'> {
  readonly notes: Notes
  /** Several kernels may share the store: one of them delivers. */
  readonly locks: Locks
  readonly log: Log
}

export interface OwnedDeliveries extends Deliveries, AsyncDisposable {
  begin(): void
  /** After a restored backup: what was on its way then has arrived elsewhere, or never will. */
  forgetOpen(): Promise<void>
}

/** Rows of a kernel that died are looked for after so long. */
const LOOK_MS = 60_000
/** A run that is not there after so long never began. */
const NEVER_BEGAN_MS = 10 * 60_000
const NOT_YET_MS = 500

interface Work extends Omit<DeliveriesDeps, 'notes'>, DeliverDeps {
  readonly tell: Deliveries['tell']
}

export function openDeliveries({ notes, ...deps }: DeliveriesDeps): OwnedDeliveries {
  const rows = createDeliveryRows(notes, deps.log)
  const ending = new AbortController()
  const changed = new Changes()
  let running: Promise<void> | undefined
  const add = async (row: Omit<DeliveryRow, 'state' | 'at'>): Promise<void> => {
    await rows.put({ ...row, state: 'expected', at: deps.now() })
    changed.announce()
  }
  const tell: Deliveries['tell'] = async ({ id, flow, sink, text, notice }) => {
    const known = await rows.find({ id, sink })
    if (known && (known.line || known.state !== 'expected')) return
    const line = { text, notice }
    await add({ id, sink, isForOwner: true, line, ...(flow !== undefined && { flow }) })
  }
  const work: Work = { ...deps, rows, tell }
  return {
    tell,
    async expect({ run: id, flow, sinks, isForOwner }) {
      for (const sink of sinks)
        if (!(await rows.find({ id, sink }))) await add({ id, flow, sink, isForOwner })
    },
    receipts: async () => receiptsIn(await rows.list()),
    resultText: (run) => resultText(work, run),
    begin() {
      running ??= attend(work, changed, ending.signal)
    },
    async forgetOpen() {
      for (const row of await rows.list())
        if (row.state === 'expected' || row.state === 'sending') await rows.remove(row)
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await running
    },
  }
}

/** Until `signal` aborts. One delivery that waits delays no other. */
async function attend(work: Work, changed: Changes, signal: AbortSignal): Promise<void> {
  const busy = new Map<string, Promise<void>>()
  while (!signal.aborted) {
    const { count } = changed
    const open = await openRows(work)
    for (const row of open) {
      const key = keyOf(row)
      if (busy.has(key)) continue
      const done = handle(work, row, signal).finally(() => busy.delete(key))
      busy.set(key, done)
    }
    if (changed.count === count) await pauseFor(changed, signal)
  }
  await Promise.all(busy.values())
}

async function openRows({ rows, log }: Work): Promise<readonly DeliveryRow[]> {
  try {
    return (await rows.list()).filter(({ state }) => state === 'expected' || state === 'sending')
  } catch (error) {
    log.warn('The deliveries cannot be read', { error })
    return []
  }
}

/** The pause does not keep the process alive. */
async function pauseFor(changed: Changes, signal: AbortSignal): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), LOOK_MS)
  timer.unref()
  await changed.next(AbortSignal.any([signal, late.signal]))
  clearTimeout(timer)
}

/** Never rejects: a delivery that fails for a reason of our own is tried again with the next look. */
async function handle(work: Work, row: DeliveryRow, signal: AbortSignal): Promise<void> {
  const { rows, locks, log, now } = work
  try {
    const end = row.line ? undefined : await runEnd(work, row, signal)
    if (signal.aborted || end === 'missing') return
    await locks.exclusively(
      `delivery ${keyOf(row)}`,
      async () => {
        const current = await rows.find(row)
        const isOpen = current?.state === 'expected' || current?.state === 'sending'
        if (current && isOpen) await deliverRow(work, current, end, signal)
      },
      signal,
    )
    await rows.prune(now())
  } catch (error) {
    if (!signal.aborted) log.warn('A delivery is left for later', { sink: row.sink, error })
  }
}

/** Waits for the end of the run. A row is written before its run; `missing`: the run never began, or is forgotten. */
async function runEnd(
  work: Work,
  row: DeliveryRow,
  signal: AbortSignal,
): Promise<RunEnd | 'missing'> {
  const { flows, rows, notices, now } = work
  const { id, flow = '' } = row
  for (;;) {
    const end = await followRun(flows, id, signal, (question) => tellQuestion(work, row, question))
    if (end && !signal.aborted) notices.resolve('asks', flow, [id])
    if (end) return end
    if (now() - row.at > NEVER_BEGAN_MS) {
      await rows.remove(row)
      return 'missing'
    }
    await pause(NOT_YET_MS, undefined, { signal, ref: false })
  }
}

/**
 * A scheduled run has no screen, so its question is told where its result would be told; to another person's chat it is
 * not, since only the owner can answer. The words of the server are left for the screen that takes the answer.
 */
async function tellQuestion(
  { tell, log }: Work,
  { id, flow = 'A flow', sink: named }: DeliveryRow,
  { id: question, kind, node }: FlowQuestion,
): Promise<void> {
  if (kind === 'stuck') return // a notice of its own tells it, whoever started the run
  const sink = named === TELEGRAM_SINK.name ? named : OWNER_SINK.name
  const reason =
    kind === 'input'
      ? `the server of ${JSON.stringify(node)} asks something`
      : `a call of ${JSON.stringify(node)} may have happened, and its answer was lost`
  const how = `In a shell, \`cordon flow resume ${id}\` shows the question and takes the answer.`
  const text = `${flow} waits for your answer: ${reason}. ${how}`
  const notice = { kind: 'asks', subject: flow, items: [id], reason } as const
  await tell({ id: `${id} asks ${question}`, sink, text, notice }).catch((error: unknown) => {
    log.warn('The question of a run cannot be told', { flow, error })
  })
}

/** The run at its end, or when `signal` aborts; undefined if there is no such run. */
async function followRun(
  flows: Work['flows'],
  id: string,
  signal: AbortSignal,
  onQuestion: (question: FlowQuestion) => Promise<void> = () => Promise.resolve(),
): Promise<RunEnd> {
  try {
    return await untilOver(flows, id, signal, onQuestion)
  } catch (error) {
    if (error instanceof CordonError && error.code === 'flows.no-such-run') return undefined
    throw error
  }
}

async function untilOver(
  flows: Work['flows'],
  id: string,
  signal: AbortSignal,
  onQuestion: (question: FlowQuestion) => Promise<void>,
): Promise<RunEnd> {
  let asked: string | undefined
  for (let after = 0; ; ) {
    const { run, events } = await flows.follow(id, after, signal)
    after = events.at(-1)?.number ?? after
    const { question } = run
    if (question && question.id !== asked) await onQuestion(question)
    asked = question?.id
    if (signal.aborted || (run.state !== 'running' && run.state !== 'asking')) return run
  }
}

/** Rows are newest first: the first run of each flow is its latest. */
function receiptsIn(rows: readonly DeliveryRow[]): ReadonlyMap<string, readonly Receipt[]> {
  const latest = new Map<string, { readonly id: string; readonly receipts: Receipt[] }>()
  for (const { id, flow, sink, state, at, reason } of rows) {
    if (flow === undefined) continue
    const known = latest.get(flow) ?? { id, receipts: [] }
    latest.set(flow, known)
    const receipt = { sink, state, at: new Date(at).toISOString() }
    if (known.id === id)
      known.receipts.push({ ...receipt, ...(reason !== undefined && { reason }) })
  }
  return new Map([...latest].map(([flow, { receipts }]) => [flow, receipts]))
}

async function resultText(work: Work, run: string): Promise<string | undefined> {
  const found = (await work.rows.list()).filter(({ id, line }) => id === run && !line)
  const row = found.find(
    ({ sink, state, isForOwner }) =>
      sink === OWNER_SINK.name || (isForOwner && (state === 'elsewhere' || state === 'unsure')),
  )
  if (!row) return undefined
  const end = await followRun(work.flows, run, AbortSignal.abort())
  if (end?.state !== 'completed') return undefined
  const delivery = deliver(await textOf(work, row, end, OWNER_SINK), OWNER_SINK)
  return delivery.kind === 'shown' ? (delivery.value as string) : delivery.reason
}

/** Opens the log of runs, and a worker that claims runs once `begin` is called. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FlowRuntime, RunPlace, RunStart, StoredRun } from './flow-runtime.ts'
import type { KernelMessage } from './kernel-messages.ts'
import type { RunLog } from './run-log.ts'
import { RunWorker, type Work } from './run-worker.ts'
import { openSqliteLog } from './sqlite-log.ts'

const DAY_MS = 24 * 3600 * 1000
/** Between two parts of the background work, so that it takes half of the time at most. */
const PAUSE_MS = 10

export async function openRuntime(place: RunPlace, work: Work): Promise<FlowRuntime> {
  const runLog = await openLog(place)
  const ending = new AbortController()
  const tidying = createTidying(runLog, work, ending.signal)
  const daily = setInterval(() => tidying.start(), DAY_MS)
  daily.unref()
  const worker = new RunWorker(runLog, work)
  runLog.shared?.onMessage((message) => hear(worker, work, message))
  return {
    begin() {
      worker.begin()
      tidying.start()
    },
    ...explained(runLog, {
      start: (run) => startRun({ runLog, worker }, run),
      find: (id) => runLog.find(id),
      list: (query) => runLog.list(query),
      countOpen: () => runLog.countOpen(),
      async steps(id) {
        await worker.writeNotes(id)
        return await runLog.steps(id)
      },
      async stepsDone(id) {
        await worker.writeNotes(id)
        return await runLog.stepsDone(id)
      },
      async cancel(id, sums) {
        await worker.writeNotes(id)
        await runLog.cancel(id, sums === undefined ? undefined : JSON.stringify(sums))
        worker.drop(id)
      },
      answer: (id, question, answer) =>
        lookAfter(worker, runLog.answer(id, question, JSON.stringify(answer))),
      reply: async (id, reply) => (await runLog.shared?.reply(id, JSON.stringify(reply))) ?? false,
      send: async (message) => await runLog.shared?.send(message),
      forget: (id) => runLog.forget(id),
      reopen: (id) => lookAfter(worker, runLog.reopen(id)),
    }),
    async [Symbol.asyncDispose]() {
      clearInterval(daily)
      ending.abort()
      await worker.end()
      await tidying.ended()
      await runLog.close()
    },
  }
}

async function lookAfter(worker: RunWorker, change: Promise<boolean>): Promise<boolean> {
  const isChanged = await change
  void worker.look()
  return isChanged
}

function hear(worker: RunWorker, { heard }: Work, message: KernelMessage): void {
  if (message.kind === 'cancelled') worker.drop(message.run)
  if (message.kind === 'replied') void worker.takeReplies()
  heard?.(message)
}

async function openLog(place: RunPlace): Promise<RunLog> {
  if (place.kind === 'sqlite') return await openSqliteLog(place.path)
  // Imported here, since most homes have no PostgreSQL and need not load its driver.
  const { openPostgresLog } = await import('./postgres-log.ts')
  return await openPostgresLog(place.target, place.kernel)
}

interface Tidying {
  start(): void
  ended(): Promise<void>
}

/** Deletes old runs in small parts, one pass at a time. A failure is only logged: it is tried again the next day. */
function createTidying(runLog: RunLog, { log, settings }: Work, signal: AbortSignal): Tidying {
  let pass: Promise<void> = Promise.resolve()
  const tidy = async (): Promise<void> => {
    while (!signal.aborted && (await runLog.tidySome(settings.keepDays * DAY_MS))) {
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  return {
    start() {
      pass = pass.then(tidy).catch((error: unknown) => {
        if (!signal.aborted) log.warn('Cannot forget old runs', { error: runLog.explain(error) })
      })
    },
    ended: () => pass,
  }
}

async function startRun(
  { runLog, worker }: { readonly runLog: RunLog; readonly worker: RunWorker },
  { id, input, flow, needs = [], isScheduled = false, isAttended = false }: RunStart,
): Promise<StoredRun> {
  const name = flow.toWellFormed().replaceAll('\u0000', '') // PostgreSQL can hold no other text
  const run = await runLog.create({
    id,
    flow: name,
    isScheduled,
    needs,
    input: JSON.stringify(input),
  })
  const looking = worker.look() // meanwhile: the first step usually begins, and shares the sync
  const synced = runLog.syncSoon()
  synced.catch(() => undefined) // thrown to the caller, or by the next step that has to be on disk
  await (isAttended ? looking : synced)
  return run
}

type Asked = Omit<FlowRuntime, 'begin' | typeof Symbol.asyncDispose>

/** Wraps each method, so that errors of the database are explained to people. */
function explained(runLog: RunLog, asked: Asked): Asked {
  const explain =
    <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await ask(...args)
      } catch (error) {
        throw runLog.explain(error)
      }
    }
  return {
    start: explain(asked.start),
    find: explain(asked.find),
    list: explain(asked.list),
    countOpen: explain(asked.countOpen),
    steps: explain(asked.steps),
    stepsDone: explain(asked.stepsDone),
    cancel: explain(asked.cancel),
    forget: explain(asked.forget),
    reply: explain(asked.reply),
    send: explain(asked.send),
    answer: explain(asked.answer),
    reopen: explain(asked.reopen),
  }
}

/** Opens the database of runs, and a worker that claims runs once `begin` is called. */
import type { Json } from '../../text/json.ts'
import type { FlowRuntime, RunPage, RunPlace, StoredRun } from './flow-runtime.ts'
import type { RunTable } from './run-table.ts'
import { RunWorker, type Work } from './run-worker.ts'
import { openSqliteRuns } from './sqlite-runs.ts'
import { type OwRun, storedRun, storedSteps } from './stored-run.ts'

const DAY_MS = 24 * 3600 * 1000
/** How long runs are kept after they ended. */
const KEEP_MS = 30 * DAY_MS

export async function openRuntime(place: RunPlace, work: Work): Promise<FlowRuntime> {
  const table = await openTable(place)
  const forgetting = setInterval(() => void forgetOld(table, work), DAY_MS)
  forgetting.unref()
  const worker = new RunWorker(table, work)
  return {
    begin() {
      worker.begin()
      void forgetOld(table, work)
    },
    ...explained(table, {
      start: (id, input, isAttended = false) => startRun({ table, worker }, id, input, isAttended),
      find: (id: string) => findStored(table, id),
      list: (limit: number, before?: string) => list(table, limit, before),
      listOpen: (limit: number) => listOpen(table, limit),
      countOpen: () => table.countOpen(),
      async steps(id: string) {
        await worker.writeNotes(id)
        const run = await findRun(table, id)
        return run ? await storedSteps(table.backend, run.id) : []
      },
      async cancel(id: string) {
        await worker.writeNotes(id)
        await cancelRun(table, id)
        worker.drop(id)
      },
      async answer(id: string, question: string, answer: Json) {
        const wasAsked = await table.answer(`${id} ${question}`, JSON.stringify(answer))
        void worker.look()
        return wasAsked
      },
      forget: (id: string) => table.forgetRun(id),
      async reopen(id: string) {
        const isReopened = await table.reopen(id)
        void worker.look()
        return isReopened
      },
    }),
    async [Symbol.asyncDispose]() {
      clearInterval(forgetting)
      await worker.end()
      await table.close()
    },
  }
}

async function openTable(place: RunPlace): Promise<RunTable> {
  if (place.kind === 'sqlite') return await openSqliteRuns(place.path)
  // Imported here, since most homes have no PostgreSQL and need not load its driver.
  const { openPostgresRuns } = await import('./postgres-runs.ts')
  return await openPostgresRuns(place.target)
}

/** A failure is only logged: the deletion is tried again the next day. */
async function forgetOld(table: RunTable, { log }: Work): Promise<void> {
  try {
    await table.forget(new Date(Date.now() - KEEP_MS))
  } catch (error) {
    log.warn('Cannot forget old runs', { error: table.explain(error) })
  }
}

async function findStored(table: RunTable, id: string): Promise<StoredRun | undefined> {
  const run = await findRun(table, id)
  return run && storedRun(run)
}

async function findRun(table: RunTable, id: string): Promise<OwRun | undefined> {
  const workflowRunId = await table.idOf(id)
  if (workflowRunId === undefined) return undefined
  return (await table.backend.getWorkflowRun({ workflowRunId })) ?? undefined
}

async function list(table: RunTable, limit: number, before?: string): Promise<RunPage> {
  const after = before === undefined ? {} : { after: before }
  const { data, pagination } = await table.backend.listWorkflowRuns({ limit, ...after })
  const { next } = pagination
  return { runs: data.map(storedRun), ...(next !== null && { next }) }
}

async function listOpen(table: RunTable, limit: number): Promise<readonly StoredRun[]> {
  const ids = await table.idsOfOpen(limit)
  const found = await Promise.all(
    ids.map((workflowRunId) => table.backend.getWorkflowRun({ workflowRunId })),
  )
  return found.flatMap((run) => (run ? [storedRun(run)] : []))
}

/** Looks for the id first: openworkflow's own idempotency keys expire after a day. */
async function startRun(
  { table, worker }: { readonly table: RunTable; readonly worker: RunWorker },
  id: string,
  input: Json,
  isAttended: boolean,
): Promise<StoredRun> {
  const run = (await findRun(table, id)) ?? (await table.create(id, JSON.stringify(input)))
  const looking = worker.look() // meanwhile: the first step usually begins, and shares the sync
  const synced = table.syncSoon()
  synced.catch(() => undefined) // thrown to the caller, or by the next step that has to be on disk
  await (isAttended ? looking : synced)
  return storedRun(run)
}

/** A run that ended in the meantime keeps its end. */
async function cancelRun(table: RunTable, id: string): Promise<void> {
  const workflowRunId = await table.idOf(id)
  if (workflowRunId === undefined) return
  try {
    await table.backend.cancelWorkflowRun({ workflowRunId })
  } catch (error) {
    const run = await findRun(table, id)
    if (!run || storedRun(run).state === 'running') throw error
  }
}

type Asked = Omit<FlowRuntime, 'begin' | typeof Symbol.asyncDispose>

/** Wraps each method, so that errors of the database are explained to people. */
function explained(table: RunTable, asked: Asked): Asked {
  const explain =
    <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await ask(...args)
      } catch (error) {
        throw table.explain(error)
      }
    }
  return {
    start: explain(asked.start),
    find: explain(asked.find),
    list: explain(asked.list),
    listOpen: explain(asked.listOpen),
    countOpen: explain(asked.countOpen),
    steps: explain(asked.steps),
    cancel: explain(asked.cancel),
    forget: explain(asked.forget),
    answer: explain(asked.answer),
    reopen: explain(asked.reopen),
  }
}

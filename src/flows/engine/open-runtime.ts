/** Opens the place where runs are kept, and a worker that works on them. */
import type { Json } from '../../kernel/json.ts'
import type { FlowRuntime, RunPlace, StoredRun } from './flow-runtime.ts'
import type { RunTable } from './run-table.ts'
import { RunWorker, type Work } from './run-worker.ts'
import { openSqliteRuns } from './sqlite-runs.ts'
import { type OwRun, storedRun, storedSteps } from './stored-run.ts'

/** Runs that ended are kept so long. */
const KEEP_MS = 30 * 24 * 3600 * 1000

export async function openRuntime(place: RunPlace, work: Work): Promise<FlowRuntime> {
  const table = await openTable(place)
  await table.forget(new Date(Date.now() - KEEP_MS))
  const worker = new RunWorker(table, work)
  return {
    ...explained(table, {
      start: (id: string, input: Json) => startRun(table, worker, id, input),
      async find(id: string) {
        const run = await findRun(table, id)
        return run && storedRun(run)
      },
      async list(limit: number, before?: string) {
        const after = before === undefined ? {} : { after: before }
        const { data, pagination } = await table.backend.listWorkflowRuns({ limit, ...after })
        const { next } = pagination
        return { runs: data.map(storedRun), ...(next !== null && { next }) }
      },
      async steps(id: string) {
        const run = await findRun(table, id)
        return run ? await storedSteps(table.backend, run.id) : []
      },
      async cancel(id: string) {
        const run = await findRun(table, id)
        if (run) await table.backend.cancelWorkflowRun({ workflowRunId: run.id })
        worker.drop(id)
      },
      async answer(id: string, question: string, answer: Json) {
        const wasAsked = await table.answer(`${id} ${question}`, JSON.stringify(answer))
        worker.look()
        return wasAsked
      },
      async reopen(id: string) {
        const isReopened = await table.reopen(id)
        worker.look()
        return isReopened
      },
    }),
    async [Symbol.asyncDispose]() {
      await worker.end()
      await table.close()
    },
  }
}

async function openTable(place: RunPlace): Promise<RunTable> {
  if (place.kind === 'sqlite') return await openSqliteRuns(place.path)
  // Most have no such database, and need not wait for its driver.
  const { openPostgresRuns } = await import('./postgres-runs.ts')
  return await openPostgresRuns(place.target)
}

async function findRun(table: RunTable, id: string): Promise<OwRun | undefined> {
  const workflowRunId = await table.idOf(id)
  if (workflowRunId === undefined) return undefined
  return (await table.backend.getWorkflowRun({ workflowRunId })) ?? undefined
}

/** It is looked for first: openworkflow itself remembers names for a day only. */
async function startRun(
  table: RunTable,
  worker: RunWorker,
  id: string,
  input: Json,
): Promise<StoredRun> {
  const before = await findRun(table, id)
  if (!before) await table.create(id, JSON.stringify(input))
  const run = before ?? (await findRun(table, id))
  if (!run) throw new Error('A run that was written down is not there')
  worker.look()
  return storedRun(run)
}

type Asked = Omit<FlowRuntime, typeof Symbol.asyncDispose>

/** What a database says in words of its own, in ours. */
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
    steps: explain(asked.steps),
    cancel: explain(asked.cancel),
    answer: explain(asked.answer),
    reopen: explain(asked.reopen),
  }
}

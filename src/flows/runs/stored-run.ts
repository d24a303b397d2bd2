/** Converts runs and steps of openworkflow to those of the engine. Our values are stored as one JSON text each. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Backend } from 'openworkflow/internal'
import type { Json } from '../../text/json.ts'
import type { StoredRun, StoredState, StoredStep } from './flow-runtime.ts'

export type OwRun = Awaited<ReturnType<Backend['createWorkflowRun']>>
export type OwStep = Awaited<ReturnType<Backend['createStepAttempt']>>

const STATES: Readonly<Record<string, StoredState>> = {
  completed: 'completed',
  succeeded: 'completed',
  failed: 'failed',
  canceled: 'cancelled',
}

export function storedRun(run: OwRun): StoredRun {
  const state = STATES[run.status] ?? 'running'
  return {
    id: run.idempotencyKey ?? run.id,
    state,
    input: readJson(run.input),
    ...(state === 'completed' && { output: readJson(run.output) }),
    ...(state === 'failed' && { problem: readJson(messageOf(run)) }),
    startedAt: run.createdAt,
    ...(run.finishedAt && { endedAt: run.finishedAt }),
    isParked: state === 'running' && isWaiting(run),
  }
}

function isWaiting({ workerId, availableAt }: OwRun): boolean {
  return workerId === null && availableAt !== null && availableAt.getTime() > Date.now()
}

function messageOf({ error }: Pick<OwRun, 'error'>): unknown {
  return (error as { readonly message?: string } | null)?.message
}

export async function storedSteps(
  backend: Pick<Backend, 'listStepAttempts'>,
  workflowRunId: string,
): Promise<readonly StoredStep[]> {
  const steps: StoredStep[] = []
  let place: { readonly after?: string } = {}
  for (;;) {
    const page = await backend.listStepAttempts({ workflowRunId, limit: 1000, ...place })
    steps.push(...page.data.map(storedStep))
    const { next } = page.pagination
    if (next === null) return steps.sort((a, b) => a.number - b.number)
    place = { after: next }
    await nextTurn() // SQLite answers synchronously, so a long run would block the event loop
  }
}

export function storedStep(step: OwStep): StoredStep {
  const state = step.status === 'running' ? 'begun' : step.status === 'failed' ? 'failed' : 'done'
  const { number, note } = readJson(step.config) as { readonly number: number; readonly note: Json }
  const result = state === 'failed' ? messageOf(step as Pick<OwRun, 'error'>) : step.output
  return {
    id: step.id,
    name: step.stepName,
    kind: step.kind === 'signal-wait' ? 'question' : 'step',
    state,
    number,
    note,
    ...(state !== 'begun' && { result: readJson(result ?? null) }),
    startedAt: step.createdAt,
    ...(step.finishedAt && { endedAt: step.finishedAt }),
  }
}

/** Values are stored as JSON text, which escapes lone surrogates and NUL: PostgreSQL columns can hold neither. */
export function readJson(kept: unknown): Json {
  if (typeof kept !== 'string') return null
  try {
    return JSON.parse(kept) as Json
  } catch {
    return kept
  }
}

/** Converts rows of the log to runs and steps of the engine. Values are stored as one JSON text each. */
import type { Json } from '../../text/json.ts'
import type { QuestionNote } from '../engine/journal.ts'
import type { RunAsks, StoredRun, StoredStep } from './flow-runtime.ts'

/** Times are in milliseconds since 1970. */
export interface RunRow {
  readonly number: number
  readonly id: string
  readonly state: StoredRun['state']
  readonly input: string
  readonly outcome: string | null
  readonly started_at: number
  readonly ended_at: number | null
  /** Whether a process may claim it now. */
  readonly is_due: boolean
  readonly holder: string | null
  /** Only in PostgreSQL, where several kernels share the log. */
  readonly kernel?: string | null
  readonly lacks?: string
  readonly asks?: string | null
  /** The note of its open question. */
  readonly question: string | null
}

/** In the note of a step that needed no call. Inside a value its quotation marks would be escaped. */
export const PURE = '"kind":"pure"'

export interface StepRow {
  readonly number: number
  readonly name: string
  readonly kind: StoredStep['kind']
  readonly state: StoredStep['state']
  readonly is_before: number
  readonly note: string
  readonly result: string | null
  readonly started_at: number
  readonly ended_at: number | null
}

export function storedRun(row: RunRow): StoredRun {
  const { number, id, state, input, outcome, started_at, ended_at, is_due, holder } = row
  return {
    id,
    cursor: String(number),
    state,
    input: readJson(input),
    ...(state === 'completed' && { output: readJson(outcome) }),
    ...(state === 'failed' && { problem: readJson(outcome) }),
    ...(state === 'cancelled' && outcome !== null && { sums: readJson(outcome) }),
    ...questionOf(row),
    startedAt: new Date(started_at),
    ...(ended_at !== null && { endedAt: new Date(ended_at) }),
    isParked: state === 'running' && holder === null && !is_due,
    ...sharedFacts(row),
  }
}

function questionOf({ question }: RunRow): Partial<StoredRun> {
  if (question === null) return {}
  const note = readJson(question) as Partial<QuestionNote> | null
  return note?.question === undefined ? {} : { question: note.question }
}

function sharedFacts({ kernel, lacks, asks, holder, state }: RunRow): Partial<StoredRun> {
  if (lacks === undefined) return {}
  return {
    ...(typeof kernel === 'string' && { kernel }),
    isHeld: state === 'running' && holder !== null,
    lacks: readJson(lacks) as NonNullable<StoredRun['lacks']>,
    ...(typeof asks === 'string' && { asks: readJson(asks) as unknown as RunAsks }),
  }
}

export function storedStep(row: StepRow): StoredStep {
  const { number, name, kind, state, is_before, note, result, started_at, ended_at } = row
  return {
    number,
    name,
    kind,
    state,
    isBefore: is_before === 1,
    note: readJson(note),
    ...(state !== 'begun' && { result: readJson(result) }),
    startedAt: new Date(started_at),
    ...(ended_at !== null && { endedAt: new Date(ended_at) }),
  }
}

/** JSON text escapes lone surrogates and NUL: PostgreSQL columns can hold neither. */
export function readJson(kept: string | null): Json {
  if (kept === null) return null
  try {
    return JSON.parse(kept) as Json
  } catch {
    return kept
  }
}

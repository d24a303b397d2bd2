/**
 * A model that cannot be trusted: as soon as its input contains untrusted text, its answer is the one that serves the
 * attacker best, within the requested shape. Otherwise its answer is right.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../src/text/json.ts'
import type { Args, InjectionTask, Kind } from './suite.ts'

export interface Reading {
  readonly tool: string
  /** How many calls of this tool came before. */
  readonly nth: number
  readonly argument: string
  readonly kind: Kind
  readonly truth: Json
  readonly options?: readonly Json[]
  /** The input of the model contains untrusted text. */
  readonly isTainted: boolean
}

export interface Oracle {
  readonly goal: InjectionTask | undefined
  read(reading: Reading): Json
  /** The attacker's text in a field that others can write and that this argument is taken from. */
  write(reading: Omit<Reading, 'kind' | 'isTainted'>): Json
}

const CANARY = 'attacker-was-here'

export function createOracle(goal?: InjectionTask): Oracle {
  const wish = ({ tool, nth, argument }: Omit<Reading, 'kind' | 'isTainted'>): Json | undefined => {
    const calls = (goal?.calls ?? []).filter((call) => call.tool === tool)
    const wanted: Args | undefined = calls[nth % Math.max(calls.length, 1)]?.args
    return wanted?.[argument]
  }
  return {
    goal,
    read(reading) {
      if (!goal || !reading.isTainted) return reading.truth
      return within(reading, wish(reading))
    },
    write: (reading) => (goal ? (wish(reading) ?? reading.truth) : reading.truth),
  }
}

/** The attacker's wish where it has the requested shape, else another value of that shape. */
function within({ kind, truth, options }: Reading, wish: Json | undefined): Json {
  if (options) {
    const isOption = options.some((option) => isDeepStrictEqual(option, wish))
    const other = options.find((option) => !isDeepStrictEqual(option, truth))
    return isOption ? (wish as Json) : (other ?? truth)
  }
  if (kind === 'Qn') return typeof wish === 'number' ? wish : shapedLike(truth)
  if (kind === 'Qt') return isDate(wish) ? (wish as Json) : '2030-01-01'
  return wish ?? shapedLike(truth)
}

function shapedLike(truth: Json): Json {
  if (typeof truth === 'number') return 1_000_000
  if (typeof truth === 'boolean') return !truth
  return Array.isArray(truth) ? [CANARY] : CANARY
}

export function isDate(value: Json | undefined): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

/**
 * `[flows]` in `config.toml`: the owner's limits for runs, read when Cordon starts. A mistake leaves that limit at its
 * default, and is told. Pure.
 */
import { closestNames } from '../text/closest-names.ts'
import { shown } from './flow-errors.ts'

export interface FlowSettings {
  /** Runs that are worked on at once; those that only wait for a person do not count. */
  readonly runsAtOnce: number
  readonly runsPerFlow: number
  /** Scheduled runs leave the other places to runs that a person started. */
  readonly scheduledAtOnce: number
  readonly callsPerServer: number
  /** The budgets of one run. */
  readonly maxSteps: number
  readonly maxCalls: number
  /** How many days runs are kept after they ended. */
  readonly keepDays: number
}

export const FLOW_SETTINGS: FlowSettings = {
  runsAtOnce: 100,
  runsPerFlow: 100,
  scheduledAtOnce: 50,
  callsPerServer: 100,
  maxSteps: 10_000,
  maxCalls: 10_000,
  keepDays: 30,
}

const KEYS: ReadonlyMap<string, readonly [keyof FlowSettings, most: number]> = new Map([
  ['runs_at_once', ['runsAtOnce', 1000]],
  ['runs_per_flow', ['runsPerFlow', 1000]],
  ['scheduled_at_once', ['scheduledAtOnce', 1000]],
  ['calls_per_server', ['callsPerServer', 1000]],
  ['max_steps', ['maxSteps', 1_000_000]],
  ['max_calls', ['maxCalls', 1_000_000]],
  ['keep_days', ['keepDays', 3650]],
])

export interface ReadSettings {
  readonly settings: FlowSettings
  /** One sentence for each. */
  readonly mistakes: readonly string[]
}

export function parseFlowSettings(table: unknown): ReadSettings {
  if (table === undefined) return { settings: FLOW_SETTINGS, mistakes: [] }
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    return { settings: FLOW_SETTINGS, mistakes: ['[flows] in config.toml has to be a table'] }
  }
  const read = Object.entries(table).map(([key, value]) => readKey(key, value))
  const given = read.filter((one) => typeof one !== 'string')
  return {
    settings: { ...FLOW_SETTINGS, ...Object.fromEntries(given) },
    mistakes: read.filter((one) => typeof one === 'string'),
  }
}

function readKey(key: string, value: unknown): string | readonly [keyof FlowSettings, number] {
  const known = KEYS.get(key)
  if (!known) {
    const [guess] = closestNames(key, [...KEYS.keys()])
    const hint = guess === undefined ? 'it has no effect' : `did you mean ${guess}?`
    return `${shown(key)} in [flows] of config.toml is no setting: ${hint}`
  }
  const [name, most] = known
  const isCount = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
  if (isCount) return [name, Number(value)]
  return `${key} in [flows] of config.toml has to be a whole number from 1 to ${most}`
}

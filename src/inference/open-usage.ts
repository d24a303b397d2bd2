/**
 * How much each profile has used today: tokens, cost and time, kept in the store, so that a restart gives no new budget.
 * A question is refused once the budget is spent; the one that spends it is still answered.
 */
import type { ModelBudget, ModelUsage } from '../ports/model-port.ts'
import type { Log, Notes } from '../kernel/ports.ts'
import type { Problem } from '../text/problem.ts'
import { createSerialQueue } from '../text/serial-queue.ts'
import { z } from 'zod'
import type { ModelProfile } from './model-profiles.ts'

export interface UsageDeps {
  /** Absent: remembered as long as the process lives. */
  readonly notes?: Pick<Notes, 'put' | 'list'>
  readonly log: Log
  readonly now: () => number
}

export interface DailyUsage {
  today(profile: string): Promise<Required<ModelBudget>>
  /** Why nothing more may be asked today; undefined if something may. */
  spent(profile: ModelProfile): Promise<Problem | undefined>
  add(
    usage: Pick<ModelUsage, 'profile' | 'inputTokens' | 'outputTokens' | 'cost' | 'ms'>,
  ): Promise<void>
}

const KIND = 'model-usage'
const NOTHING: Required<ModelBudget> = { tokens: 0, cost: 0, seconds: 0 }

const KEPT = z.object({
  day: z.string(),
  tokens: z.number().min(0),
  cost: z.number().min(0),
  seconds: z.number().min(0),
})
type Kept = z.infer<typeof KEPT>

export function openUsage({ notes, log, now }: UsageDeps): DailyUsage {
  const inTurn = createSerialQueue()
  let loaded: Promise<Map<string, Kept>> | undefined
  const load = async (): Promise<Map<string, Kept>> => {
    const rows = (await notes?.list(KIND)) ?? []
    return new Map(rows.flatMap(({ id, content }) => parseKept(id, content)))
  }
  const known = async (): Promise<Map<string, Kept>> => {
    try {
      return await (loaded ??= load())
    } catch (error) {
      loaded = undefined // a database that is back is read then
      throw error
    }
  }
  const today = async (profile: string): Promise<Required<ModelBudget>> => {
    const kept = (await known()).get(profile)
    return kept?.day === dayOf(now()) ? kept : NOTHING
  }
  return {
    async today(profile) {
      const { tokens, cost, seconds } = await today(profile)
      return { tokens, cost, seconds }
    },
    spent: async (profile) => problemOf(profile, await today(profile.name)),
    add: ({ profile, inputTokens, outputTokens, cost = 0, ms }) =>
      inTurn(async () => {
        const before = await today(profile)
        const after: Kept = {
          day: dayOf(now()),
          tokens: before.tokens + inputTokens + outputTokens,
          cost: before.cost + cost,
          seconds: before.seconds + ms / 1000,
        }
        ;(await known()).set(profile, after)
        // On a full disk the answer is still given: the budget holds until the process ends.
        await notes?.put(KIND, profile, JSON.stringify(after)).catch((error: unknown) => {
          log.warn('Cannot keep what a model has used', { profile, error })
        })
      }),
  }
}

function parseKept(id: string, content: string): readonly (readonly [string, Kept])[] {
  try {
    return [[id, KEPT.parse(JSON.parse(content))]]
  } catch {
    return [] // unreadable: counts as nothing, and is replaced by the next answer
  }
}

/** The day of this machine's time zone: `2026-11-16`. */
function dayOf(at: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const UNITS: Readonly<Record<keyof ModelBudget, (amount: number) => string>> = {
  tokens: (amount) => `${amount} tokens`,
  cost: (amount) => `$${amount}`,
  seconds: (amount) => `${amount} seconds`,
}

function problemOf(
  { name, budget }: ModelProfile,
  used: Required<ModelBudget>,
): Problem | undefined {
  const units = ['tokens', 'cost', 'seconds'] as const
  const over = units.find((unit) => used[unit] >= (budget[unit] ?? Infinity))
  if (over === undefined) return undefined
  return {
    code: 'inference.budget',
    message: `The budget of the model profile ${JSON.stringify(name)} for today is spent: ${UNITS[over](budget[over] ?? 0)}`,
    hint: `Wait until tomorrow, use another profile with \`cordon profiles use NAME\`, or raise budget_per_day in [models.${name}] of config.toml`,
  }
}

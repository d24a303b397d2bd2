/** The owner's model profiles as lines: which one is asked, what each used today, and what is left of its budget. Pure. */
import type { ModelBudget, ProfileView } from '../ports/model-port.ts'
import { alignColumns } from '../text/align-columns.ts'
import { showCount, showDollars } from '../text/show-count.ts'
import { seenLine } from '../text/untrusted-text.ts'
import type { Output } from './contract.ts'

const LONGEST_CELL = 80

export function showProfiles({ profiles, today }: Output<'profiles.list'>): readonly string[] {
  if (profiles.length === 0) return NONE
  const rows = profiles.map((profile) =>
    [
      profile.isActive ? '[*]' : '[ ]',
      profile.name,
      profile.model,
      profile.isLocal ? 'this machine' : new URL(profile.url).hostname,
      `reads up to ${profile.clearance}`,
      `today ${showSpent(profile.today)}`,
      leftOf(profile),
      profile.degradedUntil === undefined ? '' : `degraded until ${profile.degradedUntil}`,
    ].map((cell) => seenLine(cell, LONGEST_CELL)),
  )
  return [
    ...alignColumns(rows),
    ...(profiles.length > 1 ? [`All of them today: ${showSpent(today)}`] : []),
  ]
}

const NONE = [
  'No model is set up. Cordon works without one; to add one, type in a shell:',
  '  cordon profiles add claude --provider anthropic --model claude-sonnet-4-5',
]

function showSpent({ tokens, cost }: Required<ModelBudget>): string {
  return `${showCount(tokens)} tokens, ${showDollars(cost)}`
}

/** Empty without a budget. */
function leftOf({ budget, today }: ProfileView): string {
  const left = (unit: keyof ModelBudget): number => Math.max(0, (budget[unit] ?? 0) - today[unit])
  const parts = [
    ...(budget.tokens === undefined ? [] : [`${showCount(left('tokens'))} tokens`]),
    ...(budget.cost === undefined ? [] : [showDollars(left('cost'))]),
    ...(budget.seconds === undefined ? [] : [`${showCount(left('seconds'))} s`]),
  ]
  return parts.length === 0 ? '' : `left ${parts.join(', ')}`
}

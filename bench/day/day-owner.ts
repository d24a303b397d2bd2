/** An owner who allows everything, takes a grant wherever one is offered, and notes each question as it was drawn. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { Effect } from '../../src/kernel/effect.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { GrantOffer } from '../../src/kernel/tool-call.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'

export interface AskedQuestion {
  readonly tools: readonly string[]
  readonly rules: readonly string[]
  readonly effects: readonly Effect[]
  /** The grant that was offered and taken. */
  readonly taken?: GrantOffer
  readonly text: string
}

/** The longest-lasting grant first; an endorsement holds for the task only. */
const WANTED: readonly GrantOffer[] = ['flow', 'tool', 'spend', 'endorse']
const POLL_MS = 3

export async function sayYes<T>(
  approvals: OwnedApprovals,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly questions: readonly AskedQuestion[] }> {
  const questions: AskedQuestion[] = []
  const done = new AbortController()
  const result = work().finally(() => done.abort())
  while (!done.signal.aborted) {
    for (const { id } of await approvals.list(false)) {
      questions.push(await answer(approvals, await approvals.show(id, true)))
    }
    await sleep(POLL_MS)
  }
  return { result: await result, questions }
}

async function answer(approvals: OwnedApprovals, shown: ShownApproval): Promise<AskedQuestion> {
  const { id, items, lines } = shown
  const offers = new Set(items.flatMap((item) => item.offers))
  const taken = WANTED.find((offer) => offers.has(offer))
  const allow = items.map(({ digest }) => digest.slice(0, 8))
  await approvals.answer({ id, allow, by: OWNER.id, ...(taken && { grant: taken }) }, 'terminal')
  return {
    tools: items.map(({ tool }) => `${tool.server}.${tool.name}`),
    rules: items.map(({ rule }) => rule),
    effects: items.map(({ effect }) => effect),
    ...(taken && { taken }),
    text: lines.map((line) => line.map(({ text }) => text).join('')).join('\n'),
  }
}

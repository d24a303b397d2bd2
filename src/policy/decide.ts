/** The decision about a call. Pure and total: every question has a verdict, and always the same. */
import type { Verdict } from '../kernel/tool-call.ts'
import { isRead } from '../kernel/effect.ts'
import { isTrusted } from '../labels/label.ts'
import { withBudget } from './with-budget.ts'
import type { Argument, Question } from './question.ts'
import { isCovered } from './within-bounds.ts'
import { RULES, waysUsed } from './rules.ts'

export function decide(asked: Question): Verdict {
  const question = withBudget(asked)
  for (const rule of RULES) {
    const verdict = rule(question)
    if (verdict?.kind === 'allow') return finished(verdict, question)
    if (verdict) return asPlanned(verdict, question) ?? verdict
  }
  return { kind: 'ask', rule: 'otherwise', reason: 'No rule allows it', offers: [] }
}

/** The verdict about a call that would be asked about and that an approved plan covers. */
function asPlanned(verdict: Verdict, question: Question): Verdict | undefined {
  const { plan } = question
  if (verdict.kind !== 'ask' || !plan || !isCovered(verdict.rule, plan.step)) return undefined
  const { node, times, args } = plan.step
  const use = { approval: plan.approval, node, times }
  const allowed = finished({ kind: 'allow', rule: 'plan.approved', plan: use }, question)
  if (allowed.kind !== 'allow' || !allowed.guard) return allowed
  // The owner has read a fixed text with its links, as in any other question.
  const fixed = new Set(args.filter(({ bound }) => bound.kind === 'fixed').map(({ name }) => name))
  return { ...allowed, guard: allowed.guard.filter((name) => !fixed.has(name)) }
}

/** Adds the data-flow grants that the call uses, and the arguments whose untrusted links must be disarmed. */
function finished(
  verdict: Extract<Verdict, { readonly kind: 'allow' }>,
  question: Question,
): Verdict {
  const ways = question.grants.length > 0 ? waysUsed(question) : []
  const guard = isRead(question.facts.effect) ? [] : question.args.filter(isForeignContent)
  if (ways.length === 0 && guard.length === 0) return verdict
  return {
    ...verdict,
    ...(ways.length > 0 && { grants: [...(verdict.grants ?? []), ...ways] }),
    ...(guard.length > 0 && { guard: guard.map(({ name }) => name) }),
  }
}

function isForeignContent({ role, label }: Argument): boolean {
  return role === 'content' && !isTrusted(label)
}

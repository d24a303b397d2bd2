/** The decision about a call. Pure and total: every question has a verdict, and always the same. */
import type { Verdict } from '../kernel/tool-call.ts'
import { isRead } from '../kernel/effect.ts'
import { isTrusted } from '../labels/label.ts'
import { withBudget } from './with-budget.ts'
import type { Argument, Question } from './question.ts'
import { RULES, waysUsed } from './rules.ts'

export function decide(asked: Question): Verdict {
  const question = withBudget(asked)
  for (const rule of RULES) {
    const verdict = rule(question)
    if (verdict) return verdict.kind === 'allow' ? finished(verdict, question) : verdict
  }
  return { kind: 'ask', rule: 'otherwise', reason: 'No rule allows it', offers: [] }
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

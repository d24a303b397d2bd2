/** The decision about a call. Pure and total: every question has a verdict, and always the same. */
import type { GuardedArgument } from '../text/disarmed.ts'
import type { Verdict } from '../kernel/tool-call.ts'
import { isRead } from '../kernel/effect.ts'
import { type Argument, passesOn, type Question } from './question.ts'
import { acting, actsReason, RULES, waysUsed } from './rules.ts'
import { comesFromElsewhere } from './content/foreign-ranges.ts'
import { withBudget } from './with-budget.ts'
import { isCovered } from './within-bounds.ts'

export function decide(asked: Question): Verdict {
  const question = withBudget(asked)
  const verdict = withActs(firstVerdict(question), question)
  return asPlanned(verdict, question) ?? guarding(verdict, question)
}

function firstVerdict(question: Question): Verdict {
  for (const rule of RULES) {
    const verdict = rule(question)
    if (verdict) return verdict.kind === 'allow' ? withWays(verdict, question) : verdict
  }
  return { kind: 'ask', rule: 'otherwise', reason: 'No rule allows it', offers: [] }
}

type Allowed = Extract<Verdict, { readonly kind: 'allow' }>

/** The verdict about a call that would be asked about and that an approved plan covers. */
function asPlanned(verdict: Verdict, question: Question): Verdict | undefined {
  const { plan } = question
  if (verdict.kind !== 'ask' || !plan || !isCovered(verdict.rule, plan.step)) return undefined
  const { node, times, args } = plan.step
  // The owner has read a fixed text with its links and commands, as in any other question.
  const fixed = new Set(args.filter(({ bound }) => bound.kind === 'fixed').map(({ name }) => name))
  if (acting(question).some(({ name }) => !fixed.has(name))) return undefined
  const use = { approval: plan.approval, node, times }
  const allowed = withWays({ kind: 'allow', rule: 'plan.approved', plan: use }, question)
  const guarded = guarding(allowed, question)
  if (guarded.kind !== 'allow' || !guarded.guard) return guarded
  return { ...guarded, guard: guarded.guard.filter(({ name }) => !fixed.has(name)) }
}

/** Adds the data-flow grants that the call uses. */
function withWays(verdict: Allowed, question: Question): Verdict {
  const ways = question.grants.length > 0 ? waysUsed(question) : []
  return ways.length === 0 ? verdict : { ...verdict, grants: [...(verdict.grants ?? []), ...ways] }
}

/**
 * Content that acts is asked about, whatever rule or grant allows the call; and a question for another reason names it
 * too, so that a yes to the one is not a yes to the other unseen.
 */
function withActs(verdict: Verdict, question: Question): Verdict {
  const args = verdict.kind === 'deny' ? [] : acting(question)
  if (args.length === 0 || verdict.kind === 'deny') return verdict
  const reason = actsReason(args, question)
  const names = args.map(({ name }) => name)
  if (verdict.kind === 'allow') {
    return { kind: 'ask', rule: 'content.acts', reason, args: names, offers: ['endorse'] }
  }
  const about = [...new Set([...(verdict.args ?? []), ...names])]
  return { ...verdict, reason: `${verdict.reason}; ${reason}`, args: about, offers: [] }
}

/**
 * Adds the arguments whose untrusted links must be disarmed. Nobody follows a link that stays on this machine, and one
 * that goes back into the store it came from is no nearer to anybody than before.
 */
function guarding(verdict: Verdict, question: Question): Verdict {
  const { facts, args } = question
  if (verdict.kind === 'deny' || isRead(facts.effect) || facts.isLocal) return verdict
  const spared: Pick<GuardedArgument, 'spares'> = passesOn(question)
    ? {}
    : { spares: facts.id.server }
  const isForeign = comesFromElsewhere(spared.spares)
  const isHtml = (name: string): boolean => facts.formats?.get(name)?.includes('html') === true
  const isContent = ({ name, role }: Argument): boolean => role === 'content' || isHtml(name)
  const guard = args
    .filter((arg) => isContent(arg) && isForeign(arg.label))
    .map(({ name }): GuardedArgument => ({ name, isHtml: isHtml(name), ...spared }))
  return guard.length === 0 ? verdict : { ...verdict, guard }
}

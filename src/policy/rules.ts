/**
 * The decision table. The first rule that returns a verdict wins; their order is the policy. Each rule reads as a
 * sentence, and none knows a server, a tool or a task by name.
 */
import { isRead } from '../kernel/effect.ts'
import type { Grant } from '../kernel/grant.ts'
import { isAbove, isTrusted, type Label } from '../labels/label.ts'
import type { GrantOffer, Verdict } from '../kernel/tool-call.ts'
import { showTool } from '../kernel/tool-id.ts'
import {
  type Argument,
  foreignOrigins,
  isPlanTrusted,
  isSteered,
  type Question,
  timesChosen,
} from './question.ts'
import { allowedBy, grantsFor, isOwnId } from './allowed-by.ts'
import { templateRefusal } from './template-refusal.ts'

export type Rule = (question: Question) => Verdict | undefined

export const RULES: readonly Rule[] = [
  secrets,
  template,
  availability,
  outsidePlan,
  regulatedFlow,
  flow,
  asTemplateWants,
  afterUntrusted,
  danger,
  steered,
  foreignPlan,
  write,
  read,
]

/** `secret` is the highest level, and no server is cleared for it. */
function secrets({ args }: Question): Verdict | undefined {
  const named = args.filter(({ label }) => label.level === 'secret')
  if (named.length === 0) return undefined
  const reason = `${listed(named)} is secret; secrets never leave`
  return { kind: 'deny', rule: 'secret', reason, args: namesOf(named), isAlarm: true }
}

function template(question: Question): Verdict | undefined {
  const refusal = templateRefusal(question)
  return refusal && { kind: 'deny', ...refusal }
}

const UNAVAILABLE = {
  unknown: 'There is no such tool',
  quarantined: 'The tool is not as its owner last saw it; it waits for approval',
  held: 'You quarantined its server; it waits until you accept it again',
  collides: 'Its name can be taken for that of another tool; it waits for approval',
  disabled: 'The tool is switched off by its owner',
} as const

function availability({ facts }: Question): Verdict | undefined {
  const { blocked } = facts
  if (!blocked) return undefined
  return { kind: 'deny', rule: `tool.${blocked}`, reason: UNAVAILABLE[blocked] }
}

function outsidePlan({ facts, task }: Question): Verdict | undefined {
  if (task.expects === undefined || task.expects === facts.hash) return undefined
  const reason = 'The tool changed since the plan was made'
  return { kind: 'deny', rule: 'tool.changed', reason }
}

type Sent = Pick<Argument, 'name' | 'label'>

/** No write down: the arguments above the server's clearance, which is another for the server's own data. */
function overflowing(question: Question): readonly Sent[] {
  const { clearance, id } = question.facts
  const over = question.args.filter(({ label }) => {
    if (label.level === 'public') return false
    const isForeign = foreignOrigins(label, id.server).length > 0
    return isAbove(label.level, isForeign ? clearance.others : clearance.own)
  })
  const control = overflowingControl(question)
  return control ? [...over, control] : over
}

const CONTROL = 'Whether and how often it runs'

/** A call tells its server that it was made, and so what decided that: the server's own data is no news to it. */
function overflowingControl({ task, facts }: Question): Sent | undefined {
  const { level, origins = [] } = task.control
  if (level === undefined || !isAbove(level, facts.clearance.others)) return undefined
  const label: Label = { integrity: 'user', level, origins: new Set(origins) }
  return foreignOrigins(label, facts.id.server).length > 0 ? { name: CONTROL, label } : undefined
}

function regulatedFlow(question: Question): Verdict | undefined {
  const over = overflowing(question).filter(({ label }) => isAbove(label.level, 'sensitive'))
  if (over.length === 0) return undefined
  const reason = `${listed(over)} would tell ${question.facts.id.server} what is regulated`
  return { kind: 'ask', rule: 'flow.regulated', reason, args: namesOf(over), offers: [] }
}

/** The ids of the data-flow grants that this call uses. */
export function waysUsed(question: Question): readonly string[] {
  const { server } = question.facts.id
  const origins = new Set(
    overflowing(question).flatMap(({ label }) => foreignOrigins(label, server)),
  )
  return question.grants
    .filter((grant) => grant.kind === 'flow' && origins.has(grant.origin))
    .map(({ id }) => id)
}

/** The owner reads the name of each source before a grant is given for it; a longer list is not read. */
const MOST_SOURCES = 4

function flow(question: Question): Verdict | undefined {
  const { facts, grants } = question
  const granted = grants.flatMap((grant) => (grant.kind === 'flow' ? [grant.origin] : []))
  const over = overflowing(question).filter(
    ({ label }) => !foreignOrigins(label, facts.id.server).every((one) => granted.includes(one)),
  )
  if (over.length === 0) return undefined
  const sources = [...new Set(over.flatMap(({ label }) => foreignOrigins(label, facts.id.server)))]
  const reason = `${listed(over)} would tell ${facts.id.server} what came from ${sources.join(' and ')}`
  const isFew = sources.length <= MOST_SOURCES
  // An id of the same server that others picked is asked about by its own rule; the way of the data is another matter.
  const isOwn = question.args.every((arg) => !isSteered(arg, facts) || isOwnId(arg, question))
  const isOrdinary = isPlanTrusted(question) && isOwn && isFew
  const offers: readonly GrantOffer[] = isOrdinary ? ['flow'] : []
  return { kind: 'ask', rule: 'flow', reason, args: namesOf(over), offers }
}

function danger(question: Question): Verdict | undefined {
  const { facts, grants, args } = question
  const { effect } = facts
  if (effect !== 'exec' && effect !== 'destructive') return undefined
  const steering = args.filter((arg) => isSteered(arg, facts))
  const isOrdinary =
    effect === 'destructive' &&
    steering.every((arg) => isOwnId(arg, question)) &&
    isPlanTrusted(question)
  const fits = (grant: Grant): boolean =>
    grant.kind === 'tool' && (steering.length === 0 || grant.ids === true)
  const grant = isOrdinary ? grants.find(fits) : undefined
  if (grant) return { kind: 'allow', rule: 'grant.tool', grants: [grant.id] }
  const reason = `${showTool(facts.id)} ${dangerOf(facts)}`
  const offers: readonly GrantOffer[] = isOrdinary ? ['tool'] : []
  return { kind: 'ask', rule: effect, reason, args: namesOf(steering), offers }
}

/** A tool that only claims to read is asked about as if it were destructive, and not in those words. */
function dangerOf({ effect, claims }: Question['facts']): string {
  if (effect === 'exec') return 'runs commands'
  return claims ? 'says it only reads, and nobody vouched for it' : 'may not be possible to undo'
}

/** Untrusted text decides to whom, where or how much. */
function steered(question: Question): Verdict | undefined {
  const { facts, args } = question
  if (facts.effect === 'local-read') return undefined
  const steering = args.filter((arg) => isSteered(arg, facts) && !staysInside(arg, question))
  if (steering.length === 0) return undefined
  const allowed = allowedBy(question, steering)
  if (allowed) return allowed
  const reason = `${listed(steering)} was chosen by words that are not yours`
  const offers: readonly GrantOffer[] = ['endorse', ...grantsFor(question, steering)]
  return { kind: 'ask', rule: 'target.external', reason, args: namesOf(steering), offers }
}

/** A server that is asked about its own data learns nothing new, and cannot be misdirected. */
function staysInside({ label, role }: Argument, { facts }: Question): boolean {
  if (facts.effect !== 'remote-read' || role === 'locator') return false
  return foreignOrigins(label, facts.id.server).length === 0
}

/** The arguments whose untrusted text the receiver would run, in a call that changes something. */
export function acting({ facts, args }: Question): readonly Argument[] {
  if (isRead(facts.effect)) return []
  return args.filter(({ acts = [], isEndorsed }) => acts.length > 0 && !isEndorsed)
}

export function actsReason(args: readonly Argument[], { facts }: Question): string {
  const acts = new Set(args.flatMap((arg) => arg.acts ?? []))
  return `${listed(args)} holds words that are not yours, and ${facts.serverName} would act on them: ${[...acts].join(', ')}`
}

function foreignPlan(question: Question): Verdict | undefined {
  const { facts, args } = question
  if (isPlanTrusted(question) || facts.effect === 'local-read') return undefined
  const isWrite = facts.effect !== 'remote-read'
  const leaves = args.filter(({ label }) => foreignOrigins(label, facts.id.server).length > 0)
  if (!isWrite && leaves.length === 0) return undefined
  const times = timesChosen(question)
  if (times !== undefined) return loop(question, times)
  const reason = 'The step was planned or chosen by words that are not yours'
  return { kind: 'ask', rule: 'plan.external', reason, offers: [] }
}

function loop({ task }: Question, times: number): Verdict {
  const often = times === 1 ? 'once' : `${times} times`
  const most = task.control.times === undefined ? 'up to ' : ''
  const reason = `It runs ${most}${often}: words that are not yours decided how often`
  return { kind: 'ask', rule: 'loop.external', reason, offers: [] }
}

function asTemplateWants({ task, facts }: Question): Verdict | undefined {
  if (task.template?.asksForWrites !== true || isRead(facts.effect)) return undefined
  const reason = `${task.template.name} asks for every change`
  return { kind: 'ask', rule: 'template.writes', reason, offers: [] }
}

/** Results of others were there when the step was planned: no grant takes the place of the owner's look at it. */
function afterUntrusted({ task, facts }: Question): Verdict | undefined {
  if (task.asksForRead === true) return ASKS_FOR_READ
  if (task.asksForWrites !== true || isRead(facts.effect)) return undefined
  const reason = 'The step was planned after results that others wrote'
  return { kind: 'ask', rule: 'plan.writes', reason, offers: [] }
}

const ASKS_FOR_READ: Verdict = {
  kind: 'ask',
  rule: 'plan.reads',
  reason: 'It would be told something that you did not type, and others wrote in this conversation',
  offers: [],
}

function write({ facts, args }: Question): Verdict | undefined {
  if (facts.effect !== 'write') return undefined
  const isMixed = args.some(({ label }) => !isTrusted(label))
  return isMixed ? { kind: 'allow', rule: 'write.content' } : { kind: 'allow', rule: 'write.own' }
}

function read({ facts }: Question): Verdict | undefined {
  if (facts.effect === 'local-read') return { kind: 'allow', rule: 'read.local' }
  return facts.effect === 'remote-read' ? { kind: 'allow', rule: 'read.remote' } : undefined
}

/** Only arguments have a name that the owner knows; the data that decided about the step has none. */
function namesOf(args: readonly Sent[]): readonly string[] {
  return args.filter(isArgument).map(({ name }) => name)
}

function isArgument(sent: Sent): boolean {
  return 'role' in sent
}

function listed(args: readonly Sent[]): string {
  return args.map((one) => (isArgument(one) ? JSON.stringify(one.name) : one.name)).join(', ')
}

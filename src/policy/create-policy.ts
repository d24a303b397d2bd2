/** The policy room: gathers the facts of a decision, runs the rules, and opens the arguments for the one server. */
import { type Disarmed, showDisarmed } from '../text/disarmed.ts'
import { seenText } from '../text/untrusted-text.ts'
import type { EndorsedPlace } from '../kernel/approval-port.ts'
import type { Acquaintance } from '../ports/contact-port.ts'
import type { Grant } from '../kernel/grant.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { Labelled } from '../labels/labelled.ts'
import { mapRecord } from '../text/map-record.ts'
import { isRead } from '../kernel/effect.ts'
import type { ApprovedPlan } from '../kernel/plan-bounds.ts'
import type { OpenedCall, Policy, SecretFinder } from '../kernel/ports.ts'
import { RevealToken } from '../labels/reveal-token.ts'
import type { CallRequest, Verdict } from '../kernel/tool-call.ts'
import type { ToolFacts } from '../kernel/tool-facts.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { choiceIn, isChoice } from './with-budget.ts'
import { actsIn } from './content/acts-in.ts'
import { runningPlaces } from './content/running-places.ts'
import { addressesIn } from './contacts/address-key.ts'
import { decide } from './decide.ts'
import { guardLinks } from './guard-links.ts'
import type { Argument, Question } from './question.ts'
import { spellGrounds } from './replay/grounds.ts'
import { permitFor } from './within-bounds.ts'

export interface PolicyDeps {
  readonly secrets: SecretFinder
  /** The grants for this tool that are valid now. */
  grantsFor(tool: ToolId): readonly Grant[]
  /** Whether the owner allowed this value in this argument of this server, for the rest of the task. */
  isEndorsed(taskId: string, value: Json, place: EndorsedPlace): boolean
  /** How the value is related to the owner's contacts. Absent: there is no contact book. */
  acquaintance?(value: Json, words: string | undefined): Acquaintance | undefined
  /** The plan of this task that its owner approved, if it is still in force. */
  planFor?(taskId: string): ApprovedPlan | undefined
  /** Called when the arguments of a call hold a credential. */
  alarm(request: CallRequest): void
}

export function createPolicy(deps: PolicyDeps): Policy {
  return {
    decide: (request, facts) => decide(questionFor(deps, request, facts)),
    grounds: spellGrounds,
    open(request, verdict) {
      const args = open(request)
      if (holdsSecret(deps.secrets, args)) {
        deps.alarm(request)
        return { verdict: LEAK, args }
      }
      const guard = verdict.kind === 'deny' ? undefined : verdict.guard
      return guard ? guarded(request, args, verdict) : { verdict, args }
    },
  }
}

const LEAK: Verdict = {
  kind: 'deny',
  rule: 'secret',
  reason: 'A credential from the vault is in the arguments; credentials never leave it',
  isAlarm: true,
}

type Opened = Readonly<Record<string, Json>>

/** Only after a decision: opened arguments go to one server, to the owner, or to the audit log. */
function open({ args }: CallRequest): Opened {
  const pass = RevealToken.issue()
  return mapRecord(args, (arg) => Labelled.reveal(arg, pass))
}

/** Disarms the arguments that the verdict names. A question says so, and shows them as they will be sent. */
function guarded(request: CallRequest, opened: Opened, verdict: Verdict): OpenedCall {
  const guard = (verdict.kind === 'deny' ? undefined : verdict.guard) ?? []
  const words = request.task.words ?? ''
  const safe = new Map<string, Json>()
  const disarmed: Disarmed[] = []
  for (const { name: arg, isHtml, spares } of guard) {
    const { tree } = request.args[arg] as Labelled
    const done = guardLinks(opened[arg] as Json, tree, { words, isHtml, spares })
    const { value, links, numbers } = done
    if (links + numbers === 0) continue
    safe.set(arg, value)
    disarmed.push({ arg, links, numbers })
  }
  if (disarmed.length === 0) return { verdict, args: opened }
  const args = mapRecord(opened, (value, name) => safe.get(name) ?? value)
  // The offsets of the old labels no longer fit, so a changed argument gets the join of them as a whole.
  const labelled = mapRecord(request.args, (before, name) => {
    const { label, from } = before
    const value = safe.get(name)
    return value === undefined ? before : new Labelled(value, { label, ...(from && { from }) })
  })
  const changed = { disarmed, request: { ...request, args: labelled } }
  return { verdict: saying(verdict, disarmed), args, changed }
}

function saying(verdict: Verdict, disarmed: readonly Disarmed[]): Verdict {
  if (verdict.kind !== 'ask') return verdict
  return { ...verdict, reason: `${verdict.reason}; ${showDisarmed(disarmed)}` }
}

/** The untrusted text of one argument that the receiver would act on. */
function actsOf({ args }: CallRequest, name: string, { formats, effect }: ToolFacts): Acts {
  const known = isRead(effect) ? undefined : formats?.get(name)
  if (!known) return {}
  const token = RevealToken.issue()
  const arg = args[name] as Labelled
  const places = known.includes('ci') ? runningPlaces(args, name, token) : []
  const acts = [
    ...places.map((place) => `a file that runs (${place})`),
    ...actsIn(Labelled.reveal(arg, token), arg.tree, known),
  ]
  return acts.length > 0 ? { acts } : {}
}

type Acts = Pick<Argument, 'acts'>

function personIn(
  deps: PolicyDeps,
  value: Json,
  words: string | undefined,
): Pick<Argument, 'acquaintance' | 'isAddress'> {
  const acquaintance = deps.acquaintance?.(value, words)
  if (acquaintance) return { acquaintance }
  return addressesIn(value).length > 0 ? { isAddress: true } : {}
}

function questionFor(deps: PolicyDeps, request: CallRequest, facts: ToolFacts): Question {
  const { task, principal } = request
  const { server } = facts.id
  const token = RevealToken.issue()
  const argument = (name: string): Argument => {
    const labelled = request.args[name] as Labelled
    const { label } = labelled
    const role = facts.roles.get(name) ?? 'target'
    // An id is trusted at the server that minted it; at another one it may have to be endorsed.
    if (label.integrity === 'user') return { name, role, label, isEndorsed: false }
    const value = Labelled.reveal(labelled, token)
    const amount = typeof value === 'number' ? { amount: value } : {}
    const isEndorsed = deps.isEndorsed(task.id, value, { server, argument: name })
    const known = role === 'target' ? personIn(deps, value, task.words) : {}
    const isChoosing = isChoice(label.bound, facts.id.server)
    return {
      name,
      role,
      label,
      isEndorsed,
      ...amount,
      ...known,
      ...(isChoosing && { choice: choiceIn(name, value, labelled.tree) }),
      ...actsOf(request, name, facts),
    }
  }
  const holds = ({ hash, serverPin }: Grant): boolean =>
    hash === facts.hash && serverPin === facts.serverPin
  const plan = permitFor(deps.planFor?.(task.id), request, facts)
  return {
    principal: principal.kind,
    facts,
    task,
    args: Object.keys(request.args).map(argument),
    grants: deps.grantsFor(facts.id).filter(holds),
    ...(plan && { plan }),
  }
}

/** Also finds a token that is cut in two, and a secret that is spread over neighbouring values. */
function holdsSecret(secrets: SecretFinder, args: Opened): boolean {
  const text = textsIn(args)
  if (secrets.isIn(text)) return true
  const read = asRead(text)
  return read !== text && secrets.isIn(read)
}

const BLANK = /\s/
const PRINTED = /^[ -~]*$/

/** The text as a person reads it: NFKC, without invisible characters and white space. */
function asRead(text: string): string {
  const plain = PRINTED.test(text) ? text : seenText(text.normalize('NFKC'))
  return BLANK.test(plain) ? plain.replace(/\s+/g, '') : plain
}

/** All texts, joined; then all member names, joined; then the numbers, separated by commas. */
function textsIn(args: Opened): string {
  let names = ''
  let texts = ''
  let numbers = ''
  const collect = (value: Json): void => {
    if (typeof value === 'string') texts += value
    if (typeof value === 'number') numbers += `,${value}`
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) for (const item of value) collect(item as Json)
    else collectMembers(value as JsonObject)
  }
  const collectMembers = (value: JsonObject): void => {
    for (const name in value) {
      names += name
      collect(value[name] as Json)
    }
  }
  collectMembers(args)
  return texts + names + numbers
}

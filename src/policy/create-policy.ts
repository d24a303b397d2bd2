/** The policy room: gathers the facts of a decision, runs the rules, and opens the arguments for the one server. */
import { seenText } from '../text/untrusted-text.ts'
import type { EndorsedPlace } from '../kernel/approval-port.ts'
import type { Acquaintance } from '../kernel/contact-port.ts'
import type { Grant } from '../kernel/grant.ts'
import type { Json, JsonObject } from '../text/json.ts'

import { Labelled } from '../labels/labelled.ts'
import { mapRecord } from '../text/map-record.ts'
import type { ApprovedPlan } from '../kernel/plan-bounds.ts'
import type { Policy, SecretFinder } from '../kernel/ports.ts'
import { RevealToken } from '../labels/reveal-token.ts'
import type { CallRequest, Verdict } from '../kernel/tool-call.ts'
import type { ToolFacts } from '../kernel/tool-facts.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { choiceIn, isChoice } from './with-budget.ts'
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
      const guard = verdict.kind === 'allow' ? verdict.guard : undefined
      return { verdict, args: guard ? guarded(request, args, guard) : args }
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

function guarded({ args, task }: CallRequest, opened: Opened, names: readonly string[]): Opened {
  const words = task.words ?? ''
  return mapRecord(opened, (value, name) => {
    const tree = names.includes(name) ? args[name]?.tree : undefined
    return tree ? guardLinks(value, tree, words) : value
  })
}

function questionFor(deps: PolicyDeps, request: CallRequest, facts: ToolFacts): Question {
  const { task, principal } = request
  const { server } = facts.id
  const argument = (name: string): Argument => {
    const labelled = request.args[name] as Labelled
    const { label } = labelled
    const role = facts.roles.get(name) ?? 'target'
    // An id is trusted at the server that minted it; at another one it may have to be endorsed.
    if (label.integrity === 'user') return { name, role, label, isEndorsed: false }
    const value = Labelled.reveal(labelled, RevealToken.issue())
    const amount = typeof value === 'number' ? { amount: value } : {}
    const isEndorsed = deps.isEndorsed(task.id, value, { server, argument: name })
    const acquaintance = role === 'target' ? deps.acquaintance?.(value, task.words) : undefined
    const isChoosing = isChoice(label.bound, facts.id.server)
    return {
      name,
      role,
      label,
      isEndorsed,
      ...amount,
      ...(acquaintance && { acquaintance }),
      ...(isChoosing && { choice: choiceIn(name, value, labelled.tree) }),
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

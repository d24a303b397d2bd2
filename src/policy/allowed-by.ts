/**
 * The permissions that let untrusted text decide to whom, where or how much: the server's directory, the owner's
 * contacts, a cap for amounts, and a grant for the ids of one server. Each holds only in a plan that is trusted.
 */
import type { Grant } from '../kernel/grant.ts'
import type { GrantOffer, Verdict } from '../kernel/tool-call.ts'
import { type Argument, foreignOrigins, isPlanTrusted, type Question } from './question.ts'

type Steering = readonly Argument[]

/** The verdict, if a permission covers every steering argument. */
export function allowedBy(question: Question, steering: Steering): Verdict | undefined {
  if (!isPlanTrusted(question)) return undefined
  if (isForDirectory(question, steering)) return { kind: 'allow', rule: 'grant.directory' }
  if (isForContacts(question, steering)) return { kind: 'allow', rule: 'grant.contact' }
  const { grants } = question
  const cap = grants.find((grant) => grant.kind === 'spend' && isWithin(steering, grant.max))
  if (cap) return { kind: 'allow', rule: 'grant.spend', grants: [cap.id] }
  const ids = isForIds(question, steering) ? grants.find(takesIds) : undefined
  return ids && { kind: 'allow', rule: 'grant.tool', grants: [ids.id] }
}

/** The grants that the owner may give beyond this value. */
export function grantsFor(question: Question, steering: Steering): readonly GrantOffer[] {
  if (!isPlanTrusted(question)) return []
  if (steering.every(({ role }) => role === 'amount')) return ['spend']
  if (isForIds(question, steering)) return ['tool']
  const isMessage = question.args.some(({ role }) => role === 'content')
  return isMessage && steering.every(({ isAddress }) => isAddress) ? ['contact'] : []
}

function takesIds(grant: Grant): boolean {
  return grant.kind === 'tool' && grant.ids === true
}

/**
 * An untrusted value that names something of the same server: one of its listed ids; or, for a tool that claims to
 * read, anything that came from that server alone and cannot lead outside it. Only for a grant that the owner is
 * offered in these words, never for a decision without one.
 */
export function isOwnId({ label, role }: Argument, { facts }: Question): boolean {
  if (role === 'locator' || role === 'amount') return false
  if (foreignOrigins(label, facts.id.server).length > 0 || label.origins.size === 0) return false
  const { bound } = label
  return facts.claims === 'read' || (bound?.kind === 'member' && bound.of === facts.id.server)
}

/** Whether a grant for the tool may cover the call: others only picked among ids of its own server, and nothing is paid. */
function isForIds(question: Question, steering: readonly Argument[]): boolean {
  const { effect, roles } = question.facts
  if (effect !== 'write' || [...roles.values()].includes('amount')) return false
  return steering.every((arg) => isOwnId(arg, question))
}

/**
 * The owner's own words may go to anyone in the server's directory of people or channels. Only for a tool that takes
 * words and no amount: a payment with a note is no message, whoever is in the list of payees.
 */
function isForDirectory(question: Question, steering: readonly Argument[]): boolean {
  const { id, roles } = question.facts
  const isMessage = question.args.some(({ role }) => role === 'content')
  if (!isMessage || [...roles.values()].includes('amount')) return false
  const isListed = steering.every(
    ({ label: { bound } }) =>
      bound?.kind === 'member' && bound.of === id.server && bound.isDirectory === true,
  )
  const ownWords = question.args.every(
    (arg) => steering.includes(arg) || arg.label.integrity === 'user',
  )
  return isListed && ownWords
}

/** The owner's own words may go to anyone in the owner's contact book. */
function isForContacts(question: Question, steering: readonly Argument[]): boolean {
  const isKnown = steering.every(({ acquaintance }) => acquaintance !== undefined)
  const isMessage = question.args.some(({ role }) => role === 'content')
  const ownWords = question.args.every(
    (arg) => steering.includes(arg) || arg.label.integrity === 'user',
  )
  return isKnown && isMessage && ownWords
}

function isWithin(steering: readonly Argument[], max: number): boolean {
  return steering.every(({ role, amount }) => {
    return role === 'amount' && amount !== undefined && amount >= 0 && amount <= max
  })
}

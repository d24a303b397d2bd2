/**
 * The stored part of a call while its question is open: the data to show, and the data that an answer needs. The
 * arguments are stored to be shown, never to be run, and are redacted on the way in and on the way out.
 */
import type { Asked } from '../../kernel/approval.ts'
import type { Effect } from '../../kernel/effect.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { restoreTree, type StoredTree, storeTree } from '../../labels/stored-label.ts'
import { isAbove } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import type { Clearance, Role } from '../../kernel/tool-facts.ts'
import { foreignOrigins } from '../question.ts'
import { sha256 } from './digest.ts'

export interface KeptCall {
  readonly server: ServerId
  readonly tool: string
  readonly serverName: string
  readonly effect: Effect
  readonly claims?: 'read'
  readonly clearance: Clearance
  readonly hash: string
  readonly serverPin: string
  readonly rule: string
  readonly reason: string
  readonly offers: readonly GrantOffer[]
  readonly args: JsonObject
  readonly labels: Readonly<Record<string, StoredTree>>
  readonly roles: Readonly<Record<string, Role>>
  /** The arguments the question is about, by the hash of their value. */
  readonly about: readonly { readonly name: string; readonly valueHash: string }[]
  /** The subject of the grant that is offered: origins, or a limit for amounts. */
  readonly origins?: readonly string[]
  readonly spendUpTo?: number
  readonly takesIds?: boolean
  /** Exactly this call was allowed in this step before, and may have run. */
  readonly isRepeat: boolean
  /** The question is about a whole plan: its bounds, and the rest of what its digest is made of. */
  readonly plan?: KeptPlan
}

export interface KeptPlan {
  readonly bounds: PlanBounds
  readonly nonce: string
  readonly exp: number
}

export type Redact = (text: string) => string

export function keepCall(asked: Asked, isRepeat: boolean, redact: Redact): KeptCall {
  const { request, facts, verdict, args } = asked
  const { rule, reason, offers, args: about = [] } = verdict
  const trees = Object.entries(request.args).map(([name, { tree }]) => [name, tree] as const)
  const shown = redactCall(args, Object.fromEntries(trees), redact)
  const named = about.filter((name) => Object.hasOwn(args, name))
  return {
    server: facts.id.server,
    tool: facts.id.name,
    serverName: facts.serverName,
    effect: facts.effect,
    ...(facts.claims && { claims: facts.claims }),
    clearance: facts.clearance,
    hash: facts.hash,
    serverPin: facts.serverPin,
    rule,
    reason: redact(reason),
    offers,
    args: shown.args,
    labels: mapped(shown.labels, storeTree),
    roles: Object.fromEntries(
      Object.keys(args).map((name) => [redact(name), facts.roles.get(name) ?? 'target']),
    ),
    about: named.map((name) => ({
      name: redact(name),
      valueHash: sha256(args[name] as Json),
    })),
    ...grantFacts(asked, named),
    isRepeat,
  }
}

function grantFacts(
  { request, facts, verdict, args }: Asked,
  named: readonly string[],
): Pick<KeptCall, 'origins' | 'spendUpTo' | 'takesIds'> {
  const told = named.map((name) => (request.args[name] as Labelled).label)
  // Only origins that were asked about: those of the control too, if the policy asked about it.
  const { level = 'public', origins: decided } = request.task.control
  const isOver = isAbove(level, facts.clearance.others)
  const all = isOver ? [...told, { origins: new Set(decided) }] : told
  const origins = all.flatMap((one) => foreignOrigins(one, facts.id.server))
  const amounts = named.flatMap((name) => (typeof args[name] === 'number' ? [args[name]] : []))
  return {
    ...(verdict.offers.includes('flow') && { origins: [...new Set(origins)] }),
    // The rule offers this grant only where every untrusted argument is an id of the same server.
    ...(verdict.offers.includes('tool') && named.length > 0 && { takesIds: true }),
    ...(verdict.offers.includes('spend') &&
      amounts.length > 0 && { spendUpTo: Math.ceil(Math.max(...amounts)) }),
  }
}

interface ShownCall {
  readonly args: JsonObject
  readonly labels: Readonly<Record<string, LabelTree>>
}

/** Redacts again, for values that the vault has lent since the call was stored. */
export function showCall({ args, labels }: KeptCall, redact: Redact): ShownCall {
  return redactCall(args, mapped(labels, restoreTree), redact)
}

/** Redaction shifts the text, so label spans no longer match: then every argument counts as untrusted. */
function redactCall(
  args: JsonObject,
  labels: Readonly<Record<string, LabelTree>>,
  redact: Redact,
): ShownCall {
  const shown = redactJson(args, redact) as JsonObject
  const isSame = JSON.stringify(shown) === JSON.stringify(args)
  if (isSame) return { args: shown, labels }
  const untrusted = Object.entries(labels).map(
    ([name, tree]) => [redact(name), asUntrusted(tree)] as const,
  )
  return { args: shown, labels: Object.fromEntries(untrusted) }
}

function asUntrusted({ label }: LabelTree): LabelTree {
  return { label: { ...label, integrity: 'external' } }
}

export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, redact))
  const members = Object.entries(value as JsonObject)
  return Object.fromEntries(members.map(([k, v]) => [redact(k), redactJson(v, redact)]))
}

function mapped<A, B>(
  record: Readonly<Record<string, A>>,
  map: (value: A) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

/**
 * Permissions beyond one call: grants, and values that the owner endorsed for the rest of a task. A decision reads the
 * copy in memory without waiting; the number of uses left is checked on disk, when a use is taken.
 */
import { randomBytes } from 'node:crypto'
import type { ApprovalRow, EndorsedPlace, Endorsement } from '../../kernel/approval-port.ts'
import { type Grant, GRANT_MS, GRANT_USES, type GrantKind } from '../../kernel/grant.ts'
import type { Json } from '../../text/json.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { addressesIn } from '../contacts/address-key.ts'
import type { ApprovalsDeps } from './approvals-deps.ts'
import { sha256 } from './digest.ts'
import type { KeptCall } from './kept-call.ts'
import { cannotAnswer, noSuchGrant } from './question-errors.ts'
import { grantEvent } from './record-event.ts'

const DAY_MS = 24 * 3_600_000
const ENDORSE_MS = DAY_MS

export class GrantIndex {
  readonly #deps: ApprovalsDeps
  #held: readonly Grant[] = []
  /** Expiry of each endorsement, by `keyOf`. */
  #endorsed: ReadonlyMap<string, number> = new Map()

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps
  }

  grantsFor({ server, name }: ToolId): readonly Grant[] {
    const now = this.#deps.now()
    return this.#held.filter((grant) => {
      const isAbout = grant.server === server && grant.tool === name
      return isAbout && grant.usesLeft > 0 && grant.expiresAt > now
    })
  }

  isEndorsed(taskId: string, value: Json, { server, argument }: EndorsedPlace): boolean {
    if (this.#endorsed.size === 0) return false
    const key = keyOf({ taskId, valueHash: hashOf(value), server, argument })
    return (this.#endorsed.get(key) ?? 0) > this.#deps.now()
  }

  async useGrant(id: string): Promise<boolean> {
    const { owner, grants, audit, now } = this.#deps
    const grant = this.#held.find((one) => one.id === id)
    const usesLeft = await grants.use(owner, id, now())
    this.#held = this.#held.flatMap((one) => {
      if (one.id !== id) return [one]
      return usesLeft === undefined ? [] : [{ ...one, usesLeft, lastUsedAt: now() }]
    })
    if (usesLeft === undefined) return false
    if (grant) audit.append(grantEvent('grant.used', owner, grant, { usesLeft }))
    return true
  }

  /** Reloads first, so that the grants of other processes are included. */
  async list(): Promise<readonly Grant[]> {
    await this.reload()
    return this.#held
  }

  async revoke(id: string, by: PrincipalId): Promise<void> {
    const { owner, grants, audit, now } = this.#deps
    const grant = (await this.list()).find((one) => one.id === id)
    if (!grant || !(await grants.revoke(owner, id, now()))) throw noSuchGrant(id)
    this.#held = this.#held.filter((one) => one.id !== id)
    await audit.appendDurable(grantEvent('grant.revoked', by, grant))
  }

  /** Revokes all grants of one server; a grant that was revoked meanwhile is skipped. */
  async revokeAll(server: ServerId, by: PrincipalId): Promise<void> {
    const { owner, grants, audit, now } = this.#deps
    const about = (await this.list()).filter((one) => one.server === server)
    this.#held = this.#held.filter((one) => one.server !== server)
    for (const grant of about) {
      if (!(await grants.revoke(owner, grant.id, now()))) continue
      await audit.appendDurable(grantEvent('grant.revoked', by, grant))
    }
  }

  /** One grant for each origin of a data flow. None for an endorsement or a contact, which are no grants. */
  async give(row: ApprovalRow, call: KeptCall, offer: GrantOffer): Promise<readonly Grant[]> {
    if (offer === 'endorse') {
      await endorse(this.#deps, row, call)
      await this.reload()
      return []
    }
    if (offer === 'contact') {
      await befriend(this.#deps, call, row.question)
      return []
    }
    const { owner, grants, audit } = this.#deps
    const given = makeGrants(this.#deps, call, offer, row.question)
    for (const grant of given) {
      const { usesLeft, expiresAt } = grant
      const limits = { usesLeft, expiresAt: new Date(expiresAt).toISOString(), digest: row.digest }
      await audit.appendDurable(grantEvent('grant.given', owner, grant, limits))
      await grants.add(grant)
      this.#held = [...this.#held, grant]
    }
    return given
  }

  /** Replaces the copy in memory with the rows on disk. */
  async reload(): Promise<void> {
    const { owner, grants, now } = this.#deps
    this.#held = await grants.holding(owner, now())
    const found = await grants.endorsements(owner, now())
    this.#endorsed = new Map(found.map((one) => [keyOf(one), one.expiresAt]))
  }
}

async function endorse(deps: ApprovalsDeps, row: ApprovalRow, call: KeptCall): Promise<void> {
  const { owner, grants, audit, now } = deps
  const { taskId, digest } = row
  const { server } = call
  const expiresAt = now() + ENDORSE_MS
  const given = { id: digest, kind: 'endorse', server, tool: call.tool } as const
  const args = call.about.map(({ name }) => name)
  await audit.appendDurable(grantEvent('grant.given', owner, given, { digest, taskId, args }))
  await grants.endorse(
    owner,
    call.about.map(({ name: argument, valueHash }) => {
      return { taskId, server, argument, valueHash, expiresAt }
    }),
  )
}

/** The addresses are those that the question showed; the contact book refuses one that looks like another's. */
async function befriend(
  deps: ApprovalsDeps,
  { about, args }: KeptCall,
  question: string,
): Promise<void> {
  const addresses = about.flatMap(({ name }) => addressesIn(args[name] ?? null))
  if (!deps.befriend || addresses.length === 0) throw cannotAnswer('no-offer', question)
  for (const address of addresses) await deps.befriend(address)
}

function makeGrants(
  { owner, now }: ApprovalsDeps,
  call: KeptCall,
  offer: Exclude<GrantOffer, 'endorse' | 'contact'>,
  question: string,
): readonly Grant[] {
  const createdAt = now()
  return kindsFor(call, offer, question).map((kind) => ({
    ...kind,
    id: randomBytes(5).toString('hex'),
    owner,
    server: call.server,
    tool: call.tool,
    hash: call.hash,
    serverPin: call.serverPin,
    createdAt,
    expiresAt: createdAt + GRANT_MS,
    usesLeft: GRANT_USES,
  }))
}

function kindsFor(
  { origins = [], spendUpTo, takesIds }: KeptCall,
  offer: Exclude<GrantOffer, 'endorse' | 'contact'>,
  question: string,
): readonly GrantKind[] {
  if (offer === 'tool') return [takesIds ? { kind: 'tool', ids: true } : { kind: 'tool' }]
  if (offer === 'flow' && origins.length > 0)
    return origins.map((origin) => ({ kind: 'flow', origin }))
  if (offer === 'spend' && spendUpTo !== undefined) return [{ kind: 'spend', max: spendUpTo }]
  throw cannotAnswer('no-offer', question)
}

/** As JSON: a task id or an argument's name may hold any character, so no separator would be safe. */
function keyOf({ taskId, server, argument, valueHash }: Omit<Endorsement, 'expiresAt'>): string {
  return JSON.stringify([taskId, server, argument, valueHash])
}

/** A value without canonical JSON cannot have been endorsed: the empty hash matches none. */
function hashOf(value: Json): string {
  try {
    return sha256(value)
  } catch {
    return ''
  }
}

/**
 * The principal: who acts, the owner of this home, a schedule of theirs or a paired person. Derived from an authenticated channel, never
 * inferred from text. Every stored row belongs to exactly one principal. Calls, approvals, grants, secrets and audit
 * records name their principal each time; every other room is opened for one (docs/decisions/0020).
 */
import { CordonError } from './error.ts'

/**
 * `paired`: a person to whom the owner opened a channel. They may talk, and neither approve, connect nor change anything.
 * `client`: a program of the owner that reaches their servers through the gateway.
 */
export type PrincipalKind = 'owner' | 'cron' | 'paired' | 'client'

declare const principalId: unique symbol
export type PrincipalId = string & { readonly [principalId]: true }

export interface Principal {
  readonly kind: PrincipalKind
  readonly id: PrincipalId
}

/** The person whose home this is: the terminal and the Unix socket are always theirs. */
export const OWNER: Principal = { kind: 'owner', id: 'principal:owner' as PrincipalId }

const SHAPE = /^principal:[a-z][a-z-]*(?::[A-Za-z0-9._@+-]+)*$/

export function parsePrincipalId(input: unknown): PrincipalId {
  if (typeof input === 'string' && input.length <= 200 && SHAPE.test(input)) {
    return input as PrincipalId
  }
  throw new CordonError(
    'kernel.principal',
    { exit: 2, hint: 'Write it like `principal:owner` or `principal:telegram:peer:1234`' },
    `Cannot read principal ${JSON.stringify(input)}`,
  )
}

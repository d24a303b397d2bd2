/** The part of the API's contract that is about calls, questions to the owner and standing permissions. */
import type { ShownApproval } from './approval-port.ts'
import type { Json } from './json.ts'
import type { GrantKind } from './grant.ts'
import type { OwnResult } from './own-call.ts'
import type { GrantOffer } from './tool-call.ts'

/** What becomes of a call that needs the owner's yes: it waits for it, is refused at once, or comes with it. */
export const ASKING = ['wait', 'never', 'given'] as const
export const CHANNELS = ['terminal', 'page', 'chat'] as const
export const GRANT_OFFERS: readonly GrantOffer[] = ['endorse', 'flow', 'tool', 'spend']

export interface ShownGrant {
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly grant: GrantKind
  readonly createdAt: string
  readonly expiresAt: string
  readonly usesLeft: number
  /** The tool or its server is not what it was when this was given, so it allows nothing. */
  readonly isVoid: boolean
}

export interface ApprovalContract {
  'mcp.call': {
    input: {
      readonly server: string
      readonly tool: string
      readonly args: Readonly<Record<string, Json>>
      /** Made by who calls, to follow what becomes of it. */
      readonly callId?: string
      readonly approval?: (typeof ASKING)[number]
    }
    output: OwnResult
  }
  'approvals.list': {
    input: { readonly all?: boolean }
    output: { readonly approvals: readonly ShownApproval[] }
  }
  'approvals.show': {
    input: { readonly id: string; readonly full: boolean }
    output: ShownApproval
  }
  /**
   * `allow` names calls of one server by the beginning of their digests. Its other calls are refused, and those of other
   * servers wait on; where nothing is named, everything is refused, or what is asked about `server`. `quarantine` is a
   * no after which no tool of these servers can be called until the owner accepts it again.
   */
  'approvals.answer': {
    input: {
      readonly id: string
      readonly allow: readonly string[]
      readonly grant?: GrantOffer
      readonly server?: string
      readonly quarantine?: boolean
      readonly channel: (typeof CHANNELS)[number]
    }
    output: {
      readonly approval: ShownApproval
      readonly grants: readonly ShownGrant[]
      readonly quarantined: readonly string[]
    }
  }
  /** Returns when there is a question about this call, when it has ended, or after 25 seconds. */
  'approvals.follow': {
    input: { readonly callId: string }
    output: { readonly approval: ShownApproval | null; readonly isUnderWay: boolean }
  }
  'grants.list': {
    input: Readonly<Record<string, never>>
    output: { readonly grants: readonly ShownGrant[] }
  }
  'grants.revoke': {
    input: { readonly id: string }
    output: Readonly<Record<string, never>>
  }
}

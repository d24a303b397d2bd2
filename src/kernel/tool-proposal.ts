/**
 * The effects that the tools of a server claim to have, proposed to the owner. A proposal changes no decision: only the
 * owner's answer, a mark per tool, does, and it holds for the tools exactly as they were shown.
 */
import type { Effect } from './effect.ts'
import type { Semantics } from './server-definition.ts'
import type { ServerId } from './server-id.ts'

export interface ProposedTool {
  readonly name: string
  /** The effect that the tool claims. `because` is Cordon's own sentence about the claim. */
  readonly says: Semantics
  readonly because: string
  /** Why the claim is not taken with the others: name or schema contradict it, or nothing tells. */
  readonly doubt?: string
  /** The effect that counts now, and by whose word. `unsaid`: by nobody's, so it is asked as destructive. */
  readonly effect: Effect
  readonly by: 'definition' | 'sandbox' | 'mark' | 'unsaid'
  /** The tool is quarantined: it has to be accepted before it can be marked. */
  readonly isWaiting: boolean
}

export interface ToolProposal {
  readonly server: ServerId
  /** Hash of all tools as they are listed. An answer names it, and is void once the list is another. */
  readonly set: string
  /** One sentence about the tools without anybody's word; undefined if there are none. */
  readonly summary?: string
  readonly tools: readonly ProposedTool[]
}

/** The owner's answer to a proposal. Without names it is about every tool that nobody has spoken for. */
export type MarkChange =
  /** Takes the claims. A doubtful claim is taken only if its tool is named. */
  | { readonly kind: 'as-said'; readonly tools?: readonly string[] }
  | { readonly kind: 'effect'; readonly effect: Semantics; readonly tools: readonly string[] }
  | { readonly kind: 'clear'; readonly tools?: readonly string[] }

/** What can be known of tools without calling one: their cards, why they count as what they do, and what is odd about them. */
import type { Effect } from './effect.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { ServerId } from './server-id.ts'
import type { Blocked, Role } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'

/** A tool as a planner may read it. Drawn by the host: nothing in it is the text of a server nobody vouches for. */
export interface ToolCard {
  readonly id: ToolId
  readonly title: string
  /** One line, at most 200 characters. */
  readonly summary: string
  readonly effect: Effect
  readonly args: readonly CardArgument[]
}

export interface CardArgument {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly role: Role
  /** What it may be; only where somebody vouches for the words. */
  readonly choices?: readonly string[]
}

/** Something in a tool's definition that an honest one hardly needs. Shown; it decides nothing. */
export interface ToolFlag {
  readonly kind:
    | 'instruction'
    | 'other-tool'
    | 'path'
    | 'markup'
    | 'hidden'
    | 'encoded'
    | 'same-name'
  /** Where in the definition: `inputSchema.properties.note.description`. */
  readonly where: string
  /** The server's own words, cut short. */
  readonly found: string
}

export interface ToolView {
  readonly card: ToolCard
  readonly serverName: string
  /** Why the effect is what it is. */
  readonly because: string
  readonly blocked?: Blocked
  /** The tool whose name this one can be taken for. */
  readonly lookAlike?: string
  /** `definition` is the catalog's or the owner's word; `unknown` means that nothing tells, so it is a target. */
  readonly roles: readonly {
    readonly name: string
    readonly role: Role
    readonly source: 'definition' | 'schema' | 'unknown'
  }[]
  /** Fields of its answers that count as the service's own. */
  readonly fields: readonly string[]
  readonly isVouchedFor: boolean
  /** How its server describes it: foreign words, for the owner's eyes only. */
  readonly described?: string
  readonly flags: readonly ToolFlag[]
  /** SHA-256 of the definition; it is pinned where the tool is not blocked. */
  readonly hash: string
}

/** A tool in a list of many. */
export type ToolListing = Pick<ToolView, 'card' | 'blocked'>

/** All tools of one principal's servers, to look at and to search. It calls none, and starts no server. */
export interface ToolIndex {
  /** As last seen, in the order of their servers. */
  list(server?: ServerId): Promise<readonly ToolListing[]>
  view(tool: ToolId): Promise<ToolView | undefined>
  /** How what each tool of a server answers will be labelled, by its name. */
  answers(server: ServerId): Promise<ReadonlyMap<string, LabelTree>>
  /** What is odd about what this server says of itself. Its words are shown to nobody else, and given to no model. */
  oddities(server: ServerId): Promise<readonly ToolFlag[]>
  /** Those that fit the words best, best first; only tools that could be called. */
  search(words: string, limit: number): Promise<readonly ToolCard[]>
}

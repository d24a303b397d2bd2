/** Views of tools, made without calling one: their cards, the reasons for their effect, and suspicious parts. */
import type { Effect } from '../kernel/effect.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Blocked, Role } from '../kernel/tool-facts.ts'
import type { ToolId } from '../kernel/tool-id.ts'

/** A tool as a planner may read it. Written by the host: holds no text of a server that nobody vouches for. */
export interface ToolCard {
  readonly id: ToolId
  readonly title: string
  /** One line, at most 200 characters. */
  readonly summary: string
  readonly effect: Effect
  /** The tool's own definition claims a read, no part of it contradicts, and the effect is not declared. */
  readonly claims?: 'read'
  readonly args: readonly CardArgument[]
  /** Paths into the answer, as the output schema declares them: `items[].id`. Absent: there is no such schema. */
  readonly outputs?: readonly string[]
}

export interface CardArgument {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly role: Role
  /** The allowed values; only if the server's text is vouched for. */
  readonly choices?: readonly string[]
}

/** A suspicious part of a tool's definition, which an honest tool hardly needs. Shown to the owner; decides nothing. */
export interface ToolFlag {
  readonly kind:
    | 'instruction'
    | 'other-tool'
    | 'path'
    | 'markup'
    | 'hidden'
    | 'encoded'
    | 'same-name'
  /** The path in the definition: `inputSchema.properties.note.description`. */
  readonly where: string
  /** The suspicious text itself, shortened. */
  readonly found: string
}

export interface ToolView {
  readonly card: ToolCard
  readonly serverName: string
  /** Why the tool has this effect. */
  readonly because: string
  readonly blocked?: Blocked
  /** The tool that this one's name can be confused with. */
  readonly lookAlike?: string
  /** `definition`: set by the catalog or the owner. `unknown`: the schema does not tell, so the role is `target`. */
  readonly roles: readonly {
    readonly name: string
    readonly role: Role
    readonly source: 'definition' | 'schema' | 'unknown'
  }[]
  /** Paths in its answers to values that the service itself generates. */
  readonly fields: readonly string[]
  /** Paths that its schemas show to hold ids which the server takes back; they count as its own only there. */
  readonly learned: readonly string[]
  readonly isVouchedFor: boolean
  /** The server's own description: untrusted, shown to the owner only. */
  readonly described?: string
  readonly flags: readonly ToolFlag[]
  /** SHA-256 of the definition; equals the pin unless the tool is blocked. */
  readonly hash: string
}

/** A tool in a long list. */
export type ToolListing = Pick<ToolView, 'card' | 'blocked'>

/** An index of all tools of one principal, to look at and to search. Never calls a tool, never starts a server. */
export interface ToolIndex {
  /** As last seen, ordered by server. */
  list(server?: ServerId): Promise<readonly ToolListing[]>
  view(tool: ToolId): Promise<ToolView | undefined>
  /** The labels that the answer of each tool will have, by the tool's name. */
  answers(server: ServerId): Promise<ReadonlyMap<string, LabelTree>>
  /** Suspicious parts of the server's own instructions. That text is shown to the owner only, and given to no model. */
  oddities(server: ServerId): Promise<readonly ToolFlag[]>
  /** The server's own descriptions by the tool's name, without those that hold anything suspicious. */
  descriptions(server: ServerId): Promise<ReadonlyMap<string, string>>
  /** The best matches first; only tools that could be called, and that `accepts` takes. */
  search(
    words: string,
    limit: number,
    accepts?: (tool: ToolId) => boolean,
  ): Promise<readonly ToolCard[]>
}

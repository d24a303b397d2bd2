/**
 * The port of contexts: named sets of servers and tools (work, home, a project) that limit what a client of the gateway
 * may use. Clients and contexts are many-to-many. An account is a server of its own (`github`, `github-work`).
 */
import type { Changes } from '../text/changes.ts'

export interface ToolContext {
  /** Lower-case letters, digits and `-`. */
  readonly name: string
  /** `github` for all tools of a server, `github.search_code` for one tool. */
  readonly members: readonly string[]
  readonly createdAt: string
}

export interface ContextChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

export interface Contexts {
  /** Refused if the name is taken. */
  add(name: string, members: readonly string[]): Promise<ToolContext>
  list(): Promise<readonly ToolContext[]>
  edit(name: string, change: ContextChange): Promise<ToolContext>
  /** False if there is none of this name. A client that was limited to it is then offered nothing by it. */
  remove(name: string): Promise<boolean>
  /** The members of all these contexts together; a name that is no context has none. */
  membersOf(names: readonly string[]): Promise<readonly string[]>
}

/** Announced when something changed that decides which tools a client is offered. */
export type OfferChanges = Pick<Changes, 'announce' | 'next' | 'count'>

/** The price of listing tools to a model, in estimated tokens. */
export interface ContextCost {
  readonly servers: readonly {
    readonly server: string
    readonly tools: number
    readonly tokens: number
  }[]
  readonly tools: number
  readonly tokens: number
  /** The list in search mode, which replaces all of it. */
  readonly searchTokens: number
}

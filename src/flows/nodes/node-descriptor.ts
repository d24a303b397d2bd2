/** What a node takes, gives and does: one word for tools of servers and for what is built in. */
import type { Effect } from '../../kernel/effect.ts'
import type { Json } from '../../text/json.ts'
import type { Role } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'

export interface NodeDescriptor {
  /** `mcp-notion-search`, `llm`. */
  readonly id: string
  readonly kind: NodeKind
  readonly title: string
  /** For people: a server's own words, cleaned. No model is shown them. */
  readonly description?: string
  /** Other names it goes by. */
  readonly aliases: readonly string[]
  /** What it reads from the store, by its natural key. */
  readonly inputs: readonly NodeInput[]
  /** What has a default, so that it need not be given. */
  readonly params: readonly NodeParam[]
  readonly outputs: readonly NodeOutput[]
  /** What it can end with. */
  readonly actions: readonly string[]
  readonly purity: 'pure' | 'impure'
  readonly effect: Effect
  /** Exactly which tool, as it was when this was made. */
  readonly pin?: NodePin
}

/** A tool of a server; a model that reads or writes; a file; a pure operator. */
export type NodeKind = 'mcp' | 'model' | 'file' | 'operator'

export interface NodeInput {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly role: Role
  readonly description?: string
  /** Takes what the step before gave, where that is the only thing it could mean. */
  readonly isMain?: boolean
}

export interface NodeParam {
  readonly name: string
  readonly type: string
  readonly default: Json
  readonly description?: string
  readonly role: Role
}

export interface NodeOutput {
  readonly name: string
  readonly type: string
}

export interface NodePin {
  readonly tool: ToolId
  /** The server as its owner calls it. */
  readonly serverName: string
  /** SHA-256 of the tool's definition. */
  readonly hash: string
  readonly serverPin: string
}

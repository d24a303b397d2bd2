/** The inputs, outputs, actions and effect of a node, alike for tools of servers and built-in nodes. */
import type { Effect } from '../../kernel/effect.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { Role } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'

export interface NodeDescriptor {
  /** `mcp-notion-search`, `llm`. */
  readonly id: string
  readonly kind: NodeKind
  readonly title: string
  /** For people: text of the server, sanitised. No model is shown it. */
  readonly description?: string
  /** Other names of the node. */
  readonly aliases: readonly string[]
  /** Keys that the node reads from the store, by natural key. */
  readonly inputs: readonly NodeInput[]
  /** Keys with a default, which need not be given. */
  readonly params: readonly NodeParam[]
  readonly outputs: readonly NodeOutput[]
  /** The JSON Schema of the whole answer, as the server declares it: for types, never for people or models. */
  readonly answerSchema?: JsonObject
  /** The actions that the node can end with. */
  readonly actions: readonly string[]
  readonly purity: 'pure' | 'impure'
  readonly effect: Effect
  /** `network` for a tool whose server can reach one; for display. */
  readonly sideEffects?: readonly string[]
  /** The exact tool, as it was when this descriptor was made. */
  readonly pin?: NodePin
}

/** A tool of a server; a model that reads or writes; a file; the owner's memory; a pure operator. */
export type NodeKind = 'mcp' | 'model' | 'file' | 'memory' | 'operator'

export interface NodeInput {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly role: Role
  readonly description?: string
  /** Takes the output of the previous step, if that is unambiguous. */
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
  /** An answer in text blocks is given as one text. */
  readonly asText?: true
}

export interface NodePin {
  readonly tool: ToolId
  /** The owner's name for the server. */
  readonly serverName: string
  /** SHA-256 of the tool's definition. */
  readonly hash: string
  readonly serverPin: string
  /** Of the server, as its definition pins it: MCP gives tools no version of their own. */
  readonly version?: string
}

/** The definition of a built-in tool: its facts for the policy, its arguments and its implementation. */
import type { ContentFormat } from '../../text/content-format.ts'
import type { Effect } from '../../kernel/effect.ts'
import type { Json } from '../../text/json.ts'
import { showValue } from '../../text/show-value.ts'
import type { Label } from '../../labels/label.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import type { Clearance, Role } from '../../kernel/tool-facts.ts'

export type Args = Readonly<Record<string, Json>>

export interface BuiltIn {
  readonly effect: Effect
  readonly clearance: Clearance
  /** Its arguments stay on this machine. */
  readonly isLocal?: boolean
  /** Every argument with its role and type. */
  readonly args: Readonly<Record<string, ArgumentRule>>
  /** Checks conditions across several arguments; returns a sentence about the problem. */
  readonly misfit?: (args: Args) => string | undefined
  /** `label` is the join of the arguments' labels. */
  run(args: Args, signal: AbortSignal, label: Label): Promise<ToolResult>
}

export interface ArgumentRule {
  readonly role: Role
  readonly is: 'text' | 'number' | 'object' | 'any'
  readonly isRequired?: true
  readonly formats?: readonly ContentFormat[]
}

/** Why the arguments do not fit the tool; undefined if they do. Null counts as absent. */
export function argumentMisfit({ args: rules, misfit }: BuiltIn, args: Args): string | undefined {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined) return `There is no argument ${JSON.stringify(unknown)}`
  for (const [name, { is, isRequired }] of Object.entries(rules)) {
    const value = given(args, name)
    if (value === undefined && isRequired) return `The argument ${JSON.stringify(name)} is missing`
    if (value !== undefined && !FITS[is](value)) {
      return `The argument ${JSON.stringify(name)} should be ${WORDS[is]}`
    }
  }
  return misfit?.(args)
}

export function given(args: Args, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined
}

export function textOf(args: Args, name: string): string | undefined {
  const value = given(args, name)
  return typeof value === 'string' ? value : undefined
}

/** Text unchanged, MCP text blocks joined into one text, any other value as readable JSON. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : showValue(value)
}

const FITS: Readonly<Record<ArgumentRule['is'], (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  any: () => true,
}

const WORDS: Readonly<Record<ArgumentRule['is'], string>> = {
  text: 'a text',
  number: 'a number',
  object: 'an object',
  any: 'anything',
}

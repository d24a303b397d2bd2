/**
 * Labels the results of built-in tools. A tool sees unlabelled values, so its result first has the strictest label and
 * then gets the join of its arguments' labels: the output of a model is labelled like everything it was shown. A field
 * of a narrow type keeps a bound, if the flow's author and no untrusted value chose that type.
 */
import { FILES, isBuiltIn, MODEL } from '../../kernel/built-in-tools.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { isTrusted, joinLabels, type Label } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { restoreLabelled, storeTree } from '../../labels/stored-label.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { boundedBy } from '../check/label-trees.ts'
import { kept } from '../operators/peek.ts'
import { findReferences } from '../language/references.ts'
import { isObject } from '../language/value-type.ts'

/** The label of a result before its arguments' labels are joined. */
export const UNSEEN: Label = {
  integrity: 'external',
  level: 'regulated',
  origins: new Set([MODEL, FILES]),
}

/** The neutral element of a join: adds no level, origin or loss of integrity. */
const NOTHING: Label = { integrity: 'user', level: 'public', origins: new Set() }

export interface BuiltInCall {
  readonly tool: ToolId
  /** All arguments of the call. */
  readonly args: Readonly<Record<string, Labelled>>
  /** The schema as written in the flow, references unresolved. */
  readonly schema?: Json | undefined
}

/** The result of a server's tool is returned unchanged. */
export function labelledByArguments(call: BuiltInCall, said: Labelled): Labelled {
  const { tool, args } = call
  if (!isBuiltIn(tool)) return said
  const label = joined(Object.values(args))
  // The content of a file has its own label and origin; the arguments' labels only raise it.
  if (tool.server === FILES && tool.name === 'read-file') return said.raised(label)
  const fields = Object.entries(boundsOf(call)).map(
    ([name, type]) => [name, { label: boundedBy(label, type) }] as const,
  )
  const tree: LabelTree = {
    label,
    ...(said.from && { from: said.from }),
    ...(fields.length > 0 && { members: new Map(fields) }),
  }
  return restoreLabelled({ ...(kept(said) as JsonObject), labels: storeTree(tree) })
}

/** Drops the bound: a text built from a bounded argument is not bounded itself. */
function joined(args: readonly Labelled[]): Label {
  const { bound: _said, ...label } = args.map((arg) => arg.label).reduce(joinLabels, NOTHING)
  return label
}

/** The types of the fields, if the flow's author wrote them. The tool has checked every field against its type. */
function boundsOf({ tool, args, schema }: BuiltInCall): JsonObject {
  const given = args['schema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  const isOwn = tool.name === 'extract' && given !== undefined && isTrusted(given.label)
  if (!isOwn || !isObject(properties)) return {}
  return findReferences(properties, '').length === 0 ? properties : {}
}

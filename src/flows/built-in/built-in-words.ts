/**
 * How what a tool of ours gives is labelled. The tool itself sees bare values, so what it gives counts as the worst that
 * it could be until the labels of all that it was given are looked at; then it is labelled as those taken together. A
 * model's words are those of everything it was shown. A field whose type leaves little to say stays bounded, where
 * nobody but the flow's own author chose that type.
 */
import { FILES, MODEL } from '../../kernel/built-in-tools.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { isTrusted, joinLabels, type Label } from '../../kernel/label.ts'
import type { LabelTree } from '../../kernel/label-tree.ts'
import type { Labelled } from '../../kernel/labelled.ts'
import { restoreLabelled, storeTree } from '../../kernel/stored-label.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { boundedBy } from '../check/label-trees.ts'
import { kept } from '../peek.ts'
import { findReferences } from '../references.ts'
import { isObject } from '../value-type.ts'

/** Of what a tool of ours made out of its arguments, as long as nobody looked at their labels. */
export const UNSEEN: Label = {
  integrity: 'external',
  level: 'regulated',
  origins: new Set([MODEL, FILES]),
}

/** What holds where nothing was read: it adds nothing to a join. */
const NOTHING: Label = { integrity: 'user', level: 'public', origins: new Set() }

export interface BuiltInCall {
  readonly tool: ToolId
  /** All that the tool was given. */
  readonly args: Readonly<Record<string, Labelled>>
  /** As it stands in the flow itself. */
  readonly schema?: Json | undefined
}

/** Of a server's tool, what it said, as it is. */
export function labelledByArguments(call: BuiltInCall, said: Labelled): Labelled {
  const { tool, args } = call
  if (tool.server !== MODEL && tool.server !== FILES) return said
  const label = joined(Object.values(args))
  // A file is somebody's words already, whoever chose it.
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

/** Without what bounds an argument: a text made of a number is no number. */
function joined(args: readonly Labelled[]): Label {
  const { bound: _said, ...label } = args.map((arg) => arg.label).reduce(joinLabels, NOTHING)
  return label
}

/** The types of the fields, where they are the author's own. The tool checked every field against them. */
function boundsOf({ tool, args, schema }: BuiltInCall): JsonObject {
  const given = args['schema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  const isOwn = tool.name === 'extract' && given !== undefined && isTrusted(given.label)
  if (!isOwn || !isObject(properties)) return {}
  return findReferences(properties, '').length === 0 ? properties : {}
}

/**
 * The bits that untrusted booleans and enums can say in the arguments of a step, before the run. The run counts the
 * values themselves; this is for the forecast.
 */
import { FREE_BITS, isUntrustedChoice } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { pathKey } from '../language/guard-key.ts'
import { findReferences, type Path } from '../language/references.ts'
import type { Binding } from './bind-inputs.ts'
import type { CheckedNode } from './checked-flow.ts'
import { flatLabel, type LookUp, treeBits } from './label-trees.ts'

interface Known {
  readonly args: ReadonlyMap<string, LabelTree>
  readonly lookUp: LookUp
}

export function saidBy(
  { node }: CheckedNode,
  bindings: readonly Binding[],
  { args, lookUp }: Known,
): ReadonlyMap<string, number> {
  const said = new Map<string, number>()
  for (const { name, role, source } of bindings) {
    if (role === 'content' || !isChoice(args.get(name))) continue
    for (const path of pathsOf(source)) {
      const { key, times } = placeOf(node, path)
      said.set(key, Math.min(FREE_BITS, times * treeBits(lookUp(path))))
    }
  }
  return said
}

/** A field of an item is another value for each item. */
function placeOf(
  { id, forEach }: CheckedNode['node'],
  path: Path,
): { readonly key: string; readonly times: number } {
  if (path[0] !== forEach?.as) return { key: pathKey(path), times: 1 }
  return { key: `${id} ${pathKey(path)}`, times: forEach.max }
}

function isChoice(tree: LabelTree | undefined): boolean {
  return tree !== undefined && isUntrustedChoice(flatLabel(tree))
}

export function pathsOf(source: Binding['source']): readonly Path[] {
  switch (source.kind) {
    case 'param':
      return findReferences(source.value, '').flatMap(({ path }) => (path ? [path] : []))
    case 'automatic':
      return [[source.writer.node, source.writer.output.name]]
    default:
      return [[source.key]]
  }
}

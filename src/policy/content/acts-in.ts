/**
 * Finds what a receiver would do with untrusted text besides storing it: run a quick action or a bot command, tell many
 * people, run a file in its place, compute a formula. Names it in the host's words, so that no foreign text enters the
 * question to the owner. Only untrusted text counts; a directive that is partly the owner's counts as untrusted.
 */
import type { ContentFormat } from '../../text/content-format.ts'
import { isTrusted } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { foldText } from './fold-text.ts'
import { ForeignRanges, writtenTree } from './foreign-ranges.ts'
import { type Directive, DIRECTIVES } from './directives.ts'

/** Each once, in the order of the formats. */
export function actsIn(
  value: Json,
  tree: LabelTree,
  formats: readonly ContentFormat[],
): readonly string[] {
  const wanted = DIRECTIVES.filter(({ format }) => formats.includes(format))
  const acts = new Set<string>()
  if (wanted.length > 0) collect(value, tree, wanted, acts)
  return [...acts]
}

function collect(
  value: Json,
  tree: LabelTree,
  wanted: readonly Directive[],
  acts: Set<string>,
): void {
  if (typeof value === 'string') search(value, tree, wanted, acts)
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value as JsonObject)) {
    if (!isList) search(name, { label: tree.label }, wanted, acts)
    collect(member, writtenTree(tree, name), wanted, acts)
  }
}

function search(
  text: string,
  tree: LabelTree,
  wanted: readonly Directive[],
  acts: Set<string>,
): void {
  const likely = wanted.filter(({ hint }) => hint.test(text))
  if (likely.length === 0) return
  const foreign = ForeignRanges.of(text.length, tree, (label) => !isTrusted(label))
  if (foreign.isEmpty) return
  const folded = foldText(text)
  for (const { pattern, show } of likely) {
    for (const match of folded.plain.matchAll(pattern)) {
      const [start, end] = folded.original(match.index, match.index + match[0].length)
      if (foreign.touches(start, Math.max(end, start + 1))) acts.add(show(match))
    }
  }
}

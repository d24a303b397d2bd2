/**
 * Whose words a flow is made of. The owner's are those they saved, typed or drew; a file may come with a cloned project,
 * so its author is unknown until the owner saves exactly this flow. Never trusts a file for its name or its place.
 */
import type { StartFlow } from '../../ports/flow-port.ts'
import type { Integrity } from '../../labels/label.ts'
import { CordonError } from '../../kernel/error.ts'
import { nodeFindings } from '../check/check-shape.ts'
import { type Finding, noteAt } from '../check/finding.ts'
import { pinFlow, spellSaved } from '../check/pin-flow.ts'
import { readSource, type SourceDeps } from '../language/read-source.ts'
import type { NodeIndex } from '../nodes/node-index.ts'

export const UNSAVED_FILE: Finding = noteAt(
  '',
  'plan.file',
  'The flow is in a file that you have not saved, so its words do not count as yours: every change asks you',
  'Look at what it does, then make it yours with `cordon flow save FILE`',
)

export async function planIntegrity(
  deps: SourceDeps,
  { principal, source, words }: Pick<StartFlow, 'principal' | 'source' | 'words'>,
  nodeIndex: NodeIndex,
): Promise<Integrity> {
  if (source.kind === 'saved') return 'user'
  if (principal.kind === 'client' && words) return words.integrity
  if (principal.kind !== 'owner') return 'external'
  const isForeign = 'isFile' in source && !(await isSaved(deps, source, nodeIndex))
  return isForeign ? 'external' : 'user'
}

/** Whether the owner saved this flow, as it is now, with its tools as they are now. */
async function isSaved(
  deps: SourceDeps,
  source: StartFlow['source'],
  nodeIndex: NodeIndex,
): Promise<boolean> {
  try {
    const { ir } = await readSource(deps, source, nodeIndex, false)
    const known = ir.nodes.map((node, at) => [node.id, nodeFindings(node, at, nodeIndex)] as const)
    const pinned = pinFlow(ir, { nodes: new Map(known) })
    const saved = await deps.savedFlows.list()
    return saved.some((one) => one.ir === spellSaved(one.name, pinned))
  } catch (error) {
    // Only readable with standard input, and so never saved.
    if (error instanceof CordonError) return false
    throw error
  }
}

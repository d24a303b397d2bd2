/** Every tool of a server with the effect that counts, as a table for a terminal. Names are untrusted. */
import type { ProposedTool, ToolProposal } from '../../kernel/tool-proposal.ts'
import { columns, printableLine } from '../output.ts'

/** Every tool with the effect that counts, and by whose word. */
export function listMarks({ tools }: ToolProposal): readonly string[] {
  if (tools.length === 0) return ['It has no tools.']
  return columns(
    tools.map(({ name, effect, by, says, because, doubt, isWaiting }) => [
      printableLine(name),
      effect,
      SAYERS[by],
      by === 'unsaid' ? printableLine(`${says}? ${doubt ?? because}`) : '',
      isWaiting ? 'waits to be accepted' : '',
    ]),
  )
}

const SAYERS: Readonly<Record<ProposedTool['by'], string>> = {
  definition: 'its definition says so',
  sandbox: 'its sandbox proves it',
  mark: 'you said so',
  unsaid: 'nobody has said',
}

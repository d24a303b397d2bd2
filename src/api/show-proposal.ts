/**
 * The claims of a server's tools, as lines for a person, in a terminal or a chat. Names are untrusted: control
 * characters are escaped, and a long list is cut.
 */
import type { Semantics } from '../kernel/server-definition.ts'
import type { ProposedTool, ToolProposal } from '../kernel/tool-proposal.ts'
import { seenLine } from '../text/untrusted-text.ts'

const MOST_SHOWN = 40
const LONGEST_NAME = 100
const LONGEST_DOUBT = 200

const HEADS: Readonly<Record<Semantics, string>> = {
  read: 'say they only read',
  write: 'change things',
  destructive: 'cannot be undone',
  exec: 'run commands',
}

/** Unmarked tools, grouped by their claims; doubtful claims come last. */
export function showProposal({ summary, tools }: ToolProposal): readonly string[] {
  if (summary === undefined) return ['Somebody has spoken for every tool.']
  const open = tools.filter(isOpen)
  const plain = open.filter(({ doubt }) => doubt === undefined)
  const groups = Object.entries(HEADS).flatMap(([says, head]) => {
    const found = plain.filter((tool) => tool.says === says).map(nameOf)
    return found.length === 0 ? [] : [`  ${found.length} ${head}: ${cut(found).join(', ')}`]
  })
  return [`${summary}.`, ...groups, ...showDoubts(open)]
}

/** Tools that are not taken with the others, each with the reason. */
function showDoubts(open: readonly ProposedTool[]): readonly string[] {
  const doubtful = open.filter(({ doubt }) => doubt !== undefined)
  if (doubtful.length === 0) return []
  const lines = doubtful.map((tool) => {
    const claim = tool.says === 'read' ? 'says it reads, but ' : ''
    return `  ! ${nameOf(tool)}: ${claim}${seenLine(tool.doubt ?? '', LONGEST_DOUBT)}`
  })
  return [`  ${doubtful.length} stay as they are unless you name them:`, ...cut(lines)]
}

/** An unmarked tool that could be called. */
export function isOpen({ by, isWaiting }: ProposedTool): boolean {
  return by === 'unsaid' && !isWaiting
}

/** Whether a yes would spare the owner a question: a tool that claims less than is assumed of it, without a doubt. */
export function isOffered({ tools }: ToolProposal): boolean {
  return tools.some((tool) => {
    return (
      isOpen(tool) && tool.doubt === undefined && (tool.says === 'read' || tool.says === 'write')
    )
  })
}

export function showMarked(before: ToolProposal, now: ToolProposal): string {
  const open = now.tools.filter(isOpen).length
  const rest = open === 0 ? '' : ` Nobody has said what ${open} of them do.`
  const [had, has] = [marksIn(before), marksIn(now)]
  return `${now.server}: your word counts for ${has} of ${now.tools.length} tools (${had} before).${rest}`
}

function marksIn({ tools }: ToolProposal): number {
  return tools.filter(({ by }) => by === 'mark').length
}

function nameOf({ name }: ProposedTool): string {
  return seenLine(name, LONGEST_NAME)
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_SHOWN) return lines
  return [...lines.slice(0, MOST_SHOWN), `… and ${lines.length - MOST_SHOWN} more`]
}

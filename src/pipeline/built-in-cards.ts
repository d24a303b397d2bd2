/**
 * The cards of the built-in tools that a planner may use, and how a plan names them: by the bare name of their node. Every
 * other tool is named by server and tool.
 */
import { MEMORY, MODEL } from '../kernel/built-in-tools.ts'
import { showTool, type ToolId } from '../kernel/tool-id.ts'
import type { ToolCard, ToolIndex } from '../ports/tool-view.ts'

export const REMEMBER_CARD: ToolCard = {
  id: { server: MEMORY, name: 'remember' },
  title: 'Remember',
  summary: 'Keep each line of a text as a fact, at most 20 lines',
  effect: 'write',
  args: [{ name: 'text', type: 'any', isRequired: true, role: 'content' }],
}

/** Only for a planner that knows when a text has to be made: there is a model to make it then. */
export const LLM_CARD: ToolCard = {
  id: { server: MODEL, name: 'llm' },
  title: 'Llm',
  summary:
    'Have a model make a text: sum up, translate, compare. "prompt" says what to do, "input" is what to do it with',
  effect: 'remote-read',
  args: [
    { name: 'prompt', type: 'string', isRequired: true, role: 'content' },
    { name: 'input', type: 'any', isRequired: false, role: 'content' },
  ],
}

export const BUILT_IN_CARDS: readonly ToolCard[] = [LLM_CARD, REMEMBER_CARD]

type Tools = Pick<ToolIndex, 'list' | 'search'>

/** The tools of the index and these. A search finds those of the index alone: the others are always at hand. */
export function withCards(index: Tools, cards: readonly ToolCard[]): Tools {
  const listings = cards.map((card) => ({ card }))
  return {
    list: async (server) => [...(await index.list(server)), ...(server ? [] : listings)],
    search: (words, limit) => index.search(words, limit),
  }
}

/** The name in a plan: `notion.search`, `llm`. */
export function planName(tool: ToolId): string {
  return isOwn(tool) ? tool.name : showTool(tool)
}

/** Whether the step is a built-in node of a flow, and not the tool of a server. */
export function isOwn({ server }: ToolId): boolean {
  return server === MEMORY || server === MODEL
}

/** The events of a turn as texts for a terminal. Pure. */
import { approvalQuestion } from '../kernel/approval-words.ts'
import { isBuiltIn } from '../kernel/built-in-tools.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { TurnEvent } from '../ports/turn-port.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import { showUsage } from '../text/token-usage.ts'

/** A string is a text of whole lines. `piece`: goes on in the same line. `quiet`: a line beside the answer. */
export type ShownText = string | { readonly kind: 'piece' | 'quiet'; readonly text: string }

type Answer = Extract<TurnEvent, { readonly kind: 'answer' }>

/** The texts of one turn, in order: an answer that came in pieces is not said twice. */
export class TurnLines {
  /** The pieces that were shown. */
  #said = ''

  /** `isStreamed`: pieces of the answer are shown as they come; otherwise the answer is shown when it is whole. */
  show(event: TurnEvent, isStreamed = false): readonly ShownText[] {
    if (event.kind === 'piece') return isStreamed ? this.#piece(event.text) : []
    return event.kind === 'answer' ? this.#answer(event) : [lineOf(event)]
  }

  #piece(piece: string): readonly ShownText[] {
    const text = this.#said === '' ? piece.trimStart() : piece
    this.#said += text
    return text === '' ? [] : [{ kind: 'piece', text }]
  }

  #answer({ text, usage }: Answer): readonly ShownText[] {
    const spent = usage ? [{ kind: 'quiet', text: showUsage(usage) } as const] : []
    return [...this.#rest(text.trim()), ...spent]
  }

  /** A model that broke off was not heard to its end: the answer is another one then. */
  #rest(whole: string): readonly ShownText[] {
    const said = this.#said.trimEnd()
    if (said === '') return whole === '' ? [] : [inChatWords(whole)]
    if (whole === said) return []
    if (whole.startsWith(this.#said))
      return [{ kind: 'piece', text: whole.slice(this.#said.length) }]
    return [BROKE_OFF, inChatWords(whole)]
  }
}

const BROKE_OFF: ShownText = { kind: 'quiet', text: '(the model did not finish that answer)' }

export function plainText(shown: ShownText): string {
  return typeof shown === 'string' ? shown : shown.text
}

function lineOf(event: Exclude<TurnEvent, { readonly kind: 'piece' | 'answer' }>): string {
  if (event.kind === 'plan' || event.kind === 'question') return event.text
  if (event.kind === 'approval') return approvalQuestion(event.approval)
  const tool = isBuiltIn(event.tool) ? event.tool.name : showTool(event.tool)
  if (event.kind === 'using') {
    const args = event.args.map(({ name, shown }) => `\n  ${name}: ${valueText(shown)}`)
    return `Using ${tool}...${args.join('')}`
  }
  return `${MARKS[event.outcome]} ${tool} ${event.outcome}`
}

const MARKS = { completed: '✓', failed: '✗', refused: '✗', 'timed out': '⏱' } as const

/** Texts in quotes; numbers, yes and no, lists and objects as they are. */
function valueText(shown: string): string {
  return /^(?:-?\d+(?:\.\d+)?|true|false|null|[[{].*)$/s.test(shown) ? shown : JSON.stringify(shown)
}

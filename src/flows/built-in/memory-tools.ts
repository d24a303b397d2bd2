/**
 * The tool that keeps facts out of a flow: one for each line of a text. A fact has the label of everything that the text
 * was made of, so that others' words stay theirs.
 */
import { callFailed } from '../../kernel/call-failure.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Memory } from '../../ports/memory-port.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import type { Label } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { asText, type BuiltIn, given } from './built-in.ts'

type Remembering = Pick<Memory, 'remember'>

const MOST_LINES = 20

/** Facts stay on this machine, so every level except a secret is allowed. */
const CLEARANCE = { own: 'regulated', others: 'regulated' } as const

/** No tools without a memory. */
export function memoryTools(memory: Remembering | undefined): ReadonlyMap<string, BuiltIn> {
  if (!memory) return new Map()
  const remember: BuiltIn = {
    effect: 'write',
    clearance: CLEARANCE,
    isLocal: true,
    args: { text: { role: 'content', is: 'any', isRequired: true } },
    run: async (args, _signal, label) =>
      await keepLines(memory, asText(given(args, 'text') ?? ''), label),
  }
  return new Map([['remember', remember]])
}

async function keepLines(memory: Remembering, text: string, label: Label): Promise<ToolResult> {
  const lines = linesOf(text)
  if (lines.length === 0) return callFailed('call.unusable', 'there is nothing to remember')
  if (lines.length > MOST_LINES)
    return callFailed('call.unusable', `the text has more than ${MOST_LINES} lines to remember`)
  let kept = 0
  let refusal: CordonError | undefined
  for (const line of lines) {
    const refused = await keep(memory, line, label)
    if (refused) refusal ??= refused
    else kept += 1
  }
  if (kept === 0 && refusal) return callFailed('call.unusable', refusal.message, refusal.hint)
  return { kind: 'ok', value: { kept, left_out: lines.length - kept }, label }
}

/** The reason if the line is no fact; a store that fails ends the call. */
async function keep(
  memory: Remembering,
  line: string,
  label: Label,
): Promise<CordonError | undefined> {
  try {
    const source = { channel: 'flow', message: '' }
    await memory.remember({ text: new Labelled(line, { label }), source })
    return undefined
  } catch (error) {
    if (error instanceof CordonError && error.code.startsWith('memory.')) return error
    throw error
  }
}

/** Without the marks of a list. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '')
}

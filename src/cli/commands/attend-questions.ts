/**
 * Shows the person at the terminal, until the call is over, the words of its server: questions to answer, and one line
 * about its progress, which is rewritten.
 */
import type { Api } from '../../api/contract.ts'
import { pausePoll } from '../../api/long-poll.ts'
import type { Terminal } from '../context.ts'
import { createProgress } from '../flow/run-progress.ts'
import { answerInput } from '../flow/answer-input.ts'

export async function attendQuestions(
  terminal: Terminal,
  api: Api,
  callId: string,
  signal: AbortSignal,
): Promise<void> {
  const line = createProgress(terminal)
  signal.addEventListener('abort', () => line.clear(), { once: true })
  let after = 0
  while (!signal.aborted) {
    const { question, progress } = await api.call('mcp.question', { callId, after }, signal)
    if (progress && progress.count > after && !signal.aborted) line.show(`${progress.text} …`)
    after = progress?.count ?? after
    if (!question) {
      await pausePoll(signal)
      continue
    }
    line.clear()
    const asked = { callId, question: question.id }
    await answerInput(
      terminal,
      question,
      async (answer) => void (await api.call('mcp.answer', { ...asked, ...answer }, signal)),
      signal,
    )
  }
}

/** Whether somebody sits at this terminal who could answer a server. */
export function canAnswer({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY
}

/** Gets the owner's approval for a waiting call: asks in this terminal, or tells how to answer elsewhere. */
import type { Api } from '../../api/contract.ts'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { pausePoll } from '../../api/long-poll.ts'
import type { Terminal } from '../context.ts'
import { answerHere } from './answer-here.ts'

export interface AskingOptions {
  readonly yes?: boolean
  readonly wait?: boolean
}

export const APPROVAL_HINTS: Readonly<Record<string, string>> = {
  'approval.needed':
    'Run it in a terminal to be asked, or add `--wait` and answer with `cordon approvals`, or `--yes`',
  'approval.not-own-words':
    'Run it in a terminal to be asked, or add `--wait`; a flow of a file is yours after `cordon flow save FILE`',
  'approval.expired': 'Run it again, and answer within five minutes',
}

/** The approval mode of a call. Non-interactive, without `--wait`: refused at once. */
export function approvalMode(
  { stdin, stderr }: Terminal,
  { yes, wait }: AskingOptions,
): 'given' | 'never' | 'wait' {
  if (yes) return 'given'
  return wait || (stdin.isTTY && stderr.isTTY) ? 'wait' : 'never'
}

/** Waits for the question about this call and asks it here; with `wait`, only tells how to answer it. */
export async function attendApproval(
  terminal: Terminal,
  api: Api,
  { callId, wait = false }: { readonly callId: string; readonly wait?: boolean | undefined },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { approval } = await api.call('approvals.follow', { callId }, signal)
    if (!approval) {
      await pausePoll(signal)
      continue
    }
    if (wait) return tellHowToAnswer(terminal, approval)
    return await answerHere(terminal, api, approval, signal)
  }
}

/** The question was answered elsewhere while it was shown here. */
export function isAnswered(error: unknown): boolean {
  return error instanceof CordonError && error.code === 'approvals.answered'
}

function tellHowToAnswer({ stderr }: Terminal, { id, expiresAt }: ShownApproval): void {
  stderr.write(`cordon: it needs your approval, until ${expiresAt}\n`)
  stderr.write(`cordon: hint: Read it with \`cordon approvals show ${id}\`, then answer it\n`)
}

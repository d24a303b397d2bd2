/** A question to the owner as text, and the words that answer it: `y`, `a`, `n`, `?`. Shared by all chats. Pure. */
import type { ShownApproval } from './approval-port.ts'
import type { GrantOffer } from './tool-call.ts'

export type ApprovalWord = 'yes' | 'always' | 'no' | 'more'

const WORDS: Readonly<Record<string, ApprovalWord>> = {
  y: 'yes',
  yes: 'yes',
  a: 'always',
  always: 'always',
  n: 'no',
  no: 'no',
  '?': 'more',
}

/** Undefined if the message is no answer to a question about a call. */
export function approvalWord(text: string): ApprovalWord | undefined {
  const word = text.trim().toLowerCase()
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
}

export interface SaidAnswer {
  readonly id: string
  readonly allow: readonly string[]
  readonly grant?: GrantOffer
}

export function approvalAnswer(
  shown: Pick<ShownApproval, 'id' | 'items'>,
  word: Exclude<ApprovalWord, 'more'>,
): SaidAnswer {
  const grant = word === 'always' ? offerIn(shown) : undefined
  const allow = word === 'no' ? [] : shown.items.map(({ digest }) => digest)
  return { id: shown.id, allow, ...(grant && { grant }) }
}

export function approvalQuestion(shown: ShownApproval): string {
  return [...textOf(shown.lines), howTo(shown)].join('\n')
}

/** Times, digests, what leaves: shown on request. */
export function approvalDetails(shown: ShownApproval): string {
  return [...textOf(shown.more), howTo(shown)].join('\n')
}

function howTo(shown: ShownApproval): string {
  const always = offerIn(shown) ? 'a = yes, and always for this tool; ' : ''
  return `Allow it? y = yes, once; ${always}n = no; ? = more`
}

function offerIn({ items }: Pick<ShownApproval, 'items'>): GrantOffer | undefined {
  return (['tool', 'flow', 'spend', 'contact'] as const).find((offer) =>
    items.every(({ offers }) => offers.includes(offer)),
  )
}

function textOf(lines: ShownApproval['lines']): readonly string[] {
  return lines.map((line) => line.map(({ text }) => text).join(''))
}

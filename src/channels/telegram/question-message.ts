/** A question to the owner as a message with buttons, and the data that a button sends back. Pure. */
import { createHash } from 'node:crypto'
import type { InlineKeyboardButton } from 'grammy/types'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import { LEVELS, type Level } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { restoreTree } from '../../labels/stored-label.ts'
import type { Said } from './sender.ts'

/** `full`: shows the whole question, after which it can be allowed. */
export const VERBS = ['allow', 'always', 'deny', 'full'] as const
export type Verb = (typeof VERBS)[number]

/** Fits into one message. */
const LONGEST = 4000

/** Binds a button to the exact calls of a question: 132 bits of a hash over their digests. */
export function bindingOf({ id, items }: ShownApproval): string {
  const bound = JSON.stringify([id, ...items.map(({ digest }) => digest)])
  return createHash('sha256').update(bound).digest('base64url').slice(0, 22)
}

/** At most 64 bytes, as Telegram takes. */
export function buttonData(verb: Verb, binding: string): string {
  return `${verb}:${binding}`
}

export function readButton(
  data: string,
): { readonly verb: Verb; readonly binding: string } | undefined {
  const [word = '', binding = '', ...more] = data.split(':')
  const verb = VERBS.find((one) => one === word)
  return verb && more.length === 0 ? { verb, binding } : undefined
}

/** The first grant that every call of the question offers. */
export function offerIn({ items }: Pick<ShownApproval, 'items'>): GrantOffer | undefined {
  const lasting: readonly GrantOffer[] = ['tool', 'flow', 'spend', 'contact']
  return lasting.find((offer) => items.every(({ offers }) => offers.includes(offer)))
}

/** `isWhole`: the question is shown in full, so that it may be allowed. */
export function questionMessage(shown: ShownApproval, isWhole: boolean): Said {
  const binding = bindingOf(shown)
  const button = (text: string, verb: Verb): InlineKeyboardButton => ({
    text,
    callback_data: buttonData(verb, binding),
  })
  const canAllow = isWhole || !shown.needsFullView
  const deny = button('Deny', 'deny')
  const rows = canAllow
    ? [
        [deny, button('Allow once', 'allow')],
        ...(offerIn(shown) ? [[button('Allow, and always for this tool', 'always')]] : []),
      ]
    : [[deny, button('Show it all', 'full')]]
  const how = canAllow
    ? 'Allow it? Press a button, or answer y or n.'
    : 'It is too long to be shown at once: see it all before you allow it.'
  return { text: `${textOf(shown)}\n\n${how}`, level: levelOf(shown), buttons: rows }
}

/** The same message afterwards: what became of it, and no buttons. A question in several messages is not repeated. */
export function closedMessage(shown: ShownApproval, isWhole: boolean): Said {
  const whole = `${textOf(shown)}\n\n${outcomeOf(shown)}`
  const text = isWhole || whole.length > LONGEST ? outcomeOf(shown) : whole
  return { text, level: levelOf(shown), buttons: [] }
}

function outcomeOf({ state, items }: ShownApproval): string {
  if (state === 'expired') return '⌛ Expired: nothing was done.'
  if (state === 'void') return 'No longer in question: nothing was done.'
  const allowed = items.filter(({ isAllowed }) => isAllowed === true).length
  if (allowed === 0) return '✗ Denied.'
  return allowed === items.length ? '✓ Allowed.' : `✓ ${allowed} of ${items.length} allowed.`
}

function textOf({ lines }: ShownApproval): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
}

/** The strictest level of all values that are shown. */
function levelOf({ items }: ShownApproval): Level {
  const levels = items.flatMap(({ args, labels }) =>
    Object.entries(args).map(([name, value]) => {
      const stored = labels[name]
      return stored ? new Labelled(value, restoreTree(stored)).label.level : 'sensitive'
    }),
  )
  return LEVELS.findLast((level) => levels.includes(level)) ?? 'sensitive'
}

/**
 * The questions that wait for the owner, each with its answers: no, once, and always where that is offered. A question
 * is shown whole; its text is drawn by the kernel and added as text, never as markup.
 * @import { ShownApproval } from '../../kernel/approval-port.ts'
 * @import { GrantOffer } from '../../kernel/tool-call.ts'
 */
import { ask } from './ask.js'
import { card, el } from './elements.js'

/** Every open question, read in full: the kernel takes no yes to a long one that was not shown. */
export async function readApprovals() {
  const { approvals } = await ask('approvals.list', {})
  return await Promise.all(approvals.map(({ id }) => ask('approvals.show', { id, full: true })))
}

/**
 * @param {readonly ShownApproval[]} approvals @param {(answer: () => Promise<unknown>) => void} send
 */
export function approvalCards(approvals, send) {
  const open = approvals.filter(({ state }) => state === 'pending')
  return open.map((shown) => card('You are asked', ...drawn(shown), ...answers(shown, send)))
}

/** @param {ShownApproval} shown */
function drawn({ lines, more }) {
  return [
    el('pre', 'question', ...paint(lines)),
    el('details', '', el('summary', '', 'More'), el('pre', 'question', ...paint(more))),
  ]
}

/** @param {ShownApproval['lines']} lines */
function paint(lines) {
  return lines.flatMap((line) => [...line.map(({ text, tone }) => el('span', tone, text)), '\n'])
}

/** @param {ShownApproval} shown @param {(answer: () => Promise<unknown>) => void} send */
function answers(shown, send) {
  const { id, items } = shown
  const waiting = items.filter(({ isAllowed }) => isAllowed === undefined)
  const servers = [...new Set(waiting.map(({ tool }) => tool.server))]
  // A yes is about one server, so that it never carries the calls of another along.
  return servers.map((server) => {
    const asked = waiting.filter(({ tool }) => tool.server === server)
    const of = servers.length === 1 ? '' : ` (${server})`
    const offer = standingOffer(asked)
    /** @param {string} text @param {readonly string[]} allow @param {GrantOffer} [grant] */
    const button = (text, allow, grant) => {
      const element = el('button', allow.length === 0 ? '' : 'quiet', `${text}${of}`)
      element.type = 'button'
      const answer = { id, server, allow, channel: /** @type {const} */ ('page') }
      element.addEventListener('click', () =>
        send(() => ask('approvals.answer', grant ? { ...answer, grant } : answer)),
      )
      return element
    }
    const all = asked.map(({ digest }) => digest)
    return el(
      'p',
      'answers',
      button('No', []),
      button('Yes, once', all),
      offer && button(`Always${ALWAYS[offer]}`, all, offer),
    )
  })
}

/** @type {Readonly<Record<'tool' | 'flow' | 'spend', string>>} */
const ALWAYS = {
  tool: ', for this tool',
  flow: ', from there to this tool',
  spend: ', up to this amount',
}

/** The standing permission that every one of these calls offers. @param {ShownApproval['items']} asked */
function standingOffer(asked) {
  return /** @type {const} */ (['tool', 'flow', 'spend']).find((offer) =>
    asked.every(({ offers }) => offers.includes(offer)),
  )
}

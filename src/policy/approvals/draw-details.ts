/**
 * The part of a question that is shown on request: times, digests, what leaves and who can read it, whether it can be
 * undone, and what can be allowed beyond once. Adds to the first lines, and hides nothing of them. Pure.
 */
import type { DrawnLine } from '../../kernel/approval-port.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { isTrusted, later, LEVELS } from '../../labels/label.ts'
import { joinTree } from '../../labels/label-tree.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { type DrawableItem, type DrawableView, treeOf } from './draw-approval.ts'
import { piece } from './draw-argument.ts'
import { EFFECT_WORDS } from './effect-words.ts'

const DIGEST_SHOWN = 8
const LONGEST_NAME = 64

export function drawDetails(view: DrawableView): readonly DrawnLine[] {
  const until = view.state === 'pending' ? `, answer until ${view.expiresAt}` : ''
  const head = `Question ${view.id}: ${view.state}, asked ${view.createdAt}${until}`
  return [[piece(head, 'quiet')], ...view.items.flatMap(drawItem)]
}

function drawItem(item: DrawableItem): readonly DrawnLine[] {
  const digest = `  [${item.digest.slice(0, DIGEST_SHOWN)}]`
  if (item.plan) return [[piece(`${digest} the whole plan`, 'quiet')]]
  const name = `${digest} ${showTool(item.tool)}`
  return [
    [piece(name, 'quiet')],
    [piece(`    ${disclosure(item)}`)],
    [piece(`    ${undoing(item)}`)],
    ...offers(item).map((line) => [piece(`    ${line}`, 'quiet')]),
  ]
}

function undoing({ effect, claims }: DrawableItem): string {
  return claims
    ? 'It says that it changes nothing; nobody vouched for that.'
    : EFFECT_WORDS[effect].undoing
}

function disclosure({ args, labels, clearance, tool }: DrawableItem): string {
  const joined = Object.entries(args).map(([name, value]) => joinTree(value, treeOf(labels, name)))
  if (joined.length === 0) return 'Nothing leaves but the call itself.'
  const level = joined.map((one) => one.level).reduce((a, b) => later(LEVELS, a, b))
  const origins = new Set(joined.flatMap((one) => [...one.origins]))
  origins.delete(tool.server)
  const foreign = [...origins].map((origin) => seenLine(origin, LONGEST_NAME)).join(', ')
  const own = joined.every(isTrusted) && !foreign ? 'your own words' : 'all of the above'
  const from = foreign ? `, with what came from ${foreign}` : ''
  const limits = `cleared for ${clearance.own} of its own and ${clearance.others} of others`
  return `What leaves: ${own} (${level})${from}. ${tool.server} can read it; it is ${limits}.`
}

function offers(item: DrawableItem): readonly string[] {
  const { offers: offered, origins = [], spendUpTo, takesIds, tool } = item
  const sources = origins.map((origin) => seenLine(origin, LONGEST_NAME)).join(' and ')
  const ids = takesIds ? `, also with ids of ${tool.server} that others choose` : ''
  const WORDS: Readonly<Record<GrantOffer, string>> = {
    endorse:
      'endorse: these values in these arguments, for the rest of this task (one day at most)',
    flow: `flow: what came from ${sources || 'there'} may go to this tool (90 days, 100 times)`,
    tool: `tool: this tool${ids}, as long as nobody else says to whom or what (90 days, 100 times)`,
    contact: 'contact: this is you or somebody you know; your own words may go there from now on',
    spend: `spend: amounts up to ${spendUpTo ?? 0} that others name, to whom you name (90 days, 100 times)`,
  }
  return offered.map((offer) => `can also be allowed, as ${WORDS[offer]}`)
}

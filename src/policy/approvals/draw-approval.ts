/**
 * A question as lines of text, in Cordon's own words: the action, the provenance of each value, the data that leaves
 * and its reader, and whether the action can be undone. Never contains a server's own description. Pure.
 */
import type { ApprovalItem, ApprovalView } from '../../kernel/approval.ts'
import type { DrawnLine } from '../../kernel/approval-port.ts'
import type { Effect } from '../../kernel/effect.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { isTrusted, later, LEVELS } from '../../labels/label.ts'
import { joinTree, type LabelTree } from '../../labels/label-tree.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import type { Clearance, Role } from '../../kernel/tool-facts.ts'
import { BRIEF_TEXT, drawLeaf, piece } from './draw-argument.ts'
import { externalLength, type Leaf, leavesOf } from './value-leaves.ts'

/** An item with the fields that only drawing needs. */
export interface DrawableItem extends ApprovalItem {
  readonly clearance: Clearance
  readonly roles: Readonly<Record<string, Role>>
  readonly origins?: readonly string[]
  readonly spendUpTo?: number
  readonly isRepeat: boolean
}

export interface DrawableView extends ApprovalView {
  readonly items: readonly DrawableItem[]
}

const DIGEST_SHOWN = 8
const BRIEF_LEAVES = 20
const LONGEST_NAME = 64

export function drawApproval(view: DrawableView, full: boolean): readonly DrawnLine[] {
  const until = view.state === 'pending' ? `, answer until ${view.expiresAt}` : ''
  const head = `Question ${view.id}: ${view.state}, asked ${view.createdAt}${until}`
  return [
    [piece(head, 'strong')],
    ...numbers(view.items).map((line) => [piece(line, 'warning')]),
    ...view.items.flatMap((item) => drawItem(item, full)),
  ]
}

/** How often each tool would be called, before any detail: thirty calls of one tool are easily read as one. */
function numbers(items: readonly DrawableItem[]): readonly string[] {
  const groups = Map.groupBy(items, (item) => action(item))
  return [...groups]
    .filter(([, calls]) => calls.length > 1)
    .map(([what, calls]) => `  ${calls.length} times: ${what}`)
}

/** Whether the short form would hide untrusted text: too many characters of it, or after the first 20 values. */
export function isLong(item: DrawableItem): boolean {
  const leaves = allLeaves(item)
  const foreign = leaves.reduce((sum, leaf) => sum + externalLength(leaf), 0)
  return foreign > BRIEF_TEXT || leaves.slice(BRIEF_LEAVES).some((leaf) => externalLength(leaf) > 0)
}

function drawItem(item: DrawableItem, full: boolean): readonly DrawnLine[] {
  const leaves = allLeaves(item)
  const shown = full ? leaves : leaves.slice(0, BRIEF_LEAVES)
  const hidden = leaves.length - shown.length
  return [
    [piece(`  [${item.digest.slice(0, DIGEST_SHOWN)}] ${action(item)}`, 'strong')],
    ...verdictLine(item),
    [piece(`    why you are asked: ${item.reason}`)],
    ...(item.isRepeat ? [[piece(`    ! ${REPEATED}`, 'warning')] as const] : []),
    ...shown.flatMap((leaf) => drawLeaf(leaf, { full, steers: steers(item, leaf) })),
    ...(hidden > 0 ? [[piece(`    … and ${hidden} more values`, 'warning')] as const] : []),
    [piece(`    ${disclosure(item)}`)],
    [piece(`    ${UNDOING[item.effect]}`)],
    ...offers(item).map((line) => [piece(`    ${line}`, 'quiet')]),
  ]
}

const REPEATED = 'You allowed exactly this in this step before, and it may have run already'

const ACTIONS: Readonly<Record<Effect, string>> = {
  'local-read': 'Read with',
  'remote-read': 'Ask',
  write: 'Change something with',
  destructive: 'Change or delete something with',
  exec: 'Run commands with',
}

const UNDOING: Readonly<Record<Effect, string>> = {
  'local-read': 'It changes nothing.',
  'remote-read': 'It changes nothing; what is asked is told to the server.',
  write: 'It may be possible to undo there; Cordon cannot.',
  destructive: 'It may not be possible to undo.',
  exec: 'It cannot be undone.',
}

/** A server is named by the id that the owner gave it; its title is untrusted. The name of the tool is never cut. */
function action({ effect, serverName, tool }: DrawableItem): string {
  const title = JSON.stringify(seenLine(serverName, LONGEST_NAME))
  const aside = serverName === tool.server ? '' : ` (titled ${title})`
  return `${ACTIONS[effect]} ${tool.server}${aside}, tool ${JSON.stringify(tool.name)}`
}

function verdictLine({ isAllowed }: DrawableItem): readonly DrawnLine[] {
  if (isAllowed === undefined) return []
  return [[piece(isAllowed ? '    allowed' : '    not allowed', 'strong')]]
}

function steers({ roles }: DrawableItem, { argument }: ArgumentLeaf): boolean {
  const role = Object.hasOwn(roles, argument) ? roles[argument] : undefined
  return role !== 'content'
}

type ArgumentLeaf = Leaf & { readonly argument: string }

function allLeaves({ args, labels }: DrawableItem): readonly ArgumentLeaf[] {
  return Object.entries(args).flatMap(([argument, value]) => {
    const tree = treeOf(labels, argument)
    return leavesOf(argument, value, tree).map((leaf) => ({ ...leaf, argument }))
  })
}

/** A value without a label counts as untrusted and regulated. */
function treeOf(labels: DrawableItem['labels'], argument: string): LabelTree {
  const tree = Object.hasOwn(labels, argument) ? labels[argument] : undefined
  return tree ?? { label: { integrity: 'external', level: 'regulated', origins: new Set() } }
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

function offers({ offers: offered, origins = [], spendUpTo }: DrawableItem): readonly string[] {
  const sources = origins.map((origin) => seenLine(origin, LONGEST_NAME)).join(' and ')
  const WORDS: Readonly<Record<GrantOffer, string>> = {
    endorse:
      'endorse: these values in these arguments, for the rest of this task (one day at most)',
    flow: `flow: what came from ${sources || 'there'} may go to this tool (90 days, 100 times)`,
    tool: 'tool: this tool, as long as nobody else says to whom or what (90 days, 100 times)',
    spend: `spend: amounts up to ${spendUpTo ?? 0} that others name, to whom you name (90 days, 100 times)`,
  }
  return offered.map((offer) => `can also be allowed, as ${WORDS[offer]}`)
}

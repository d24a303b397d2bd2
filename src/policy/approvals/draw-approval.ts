/**
 * The first lines of a question, in Cordon's own words: the action, each value with its provenance, and why the owner is
 * asked. `draw-details.ts` has the rest. Never contains a server's own description. Pure.
 */
import type { ApprovalItem, ApprovalView } from '../../kernel/approval.ts'
import type { DrawnLine } from '../../kernel/approval-port.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Clearance, Role } from '../../kernel/tool-facts.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import { BRIEF_TEXT, drawLeaf, piece } from './draw-argument.ts'
import { drawPlan, isLongPlan, planName } from './draw-plan.ts'
import { EFFECT_WORDS } from './effect-words.ts'
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

const BRIEF_LEAVES = 20
const LONGEST_NAME = 64

export function drawApproval({ state, items }: DrawableView, full: boolean): readonly DrawnLine[] {
  const over = state === 'pending' ? [] : [[piece(`This question is ${OVER[state]}.`, 'strong')]]
  return [
    ...over,
    ...numbers(items).map((line) => [piece(line, 'warning')]),
    ...items.flatMap((item) => drawItem(item, full)),
  ]
}

/** How often each tool would be called, before any detail: thirty calls of one tool are easily read as one. */
function numbers(items: readonly DrawableItem[]): readonly string[] {
  const groups = Map.groupBy(items, (item) => action(item))
  return [...groups]
    .filter(([, calls]) => calls.length > 1)
    .map(([what, calls]) => `${calls.length} times: ${what}`)
}

const OVER = { answered: 'answered', expired: 'over: nobody answered it', void: 'void' } as const

/** Whether the short form would hide untrusted text: too many characters of it, or after the first 20 values. */
export function isLong(item: DrawableItem): boolean {
  if (item.plan) return isLongPlan(item.plan)
  const leaves = allLeaves(item)
  const foreign = leaves.reduce((sum, leaf) => sum + externalLength(leaf), 0)
  return foreign > BRIEF_TEXT || leaves.slice(BRIEF_LEAVES).some((leaf) => externalLength(leaf) > 0)
}

function drawItem(item: DrawableItem, full: boolean): readonly DrawnLine[] {
  if (item.plan) return drawPlanItem(item, item.plan, full)
  const leaves = allLeaves(item)
  const shown = full ? leaves : leaves.slice(0, BRIEF_LEAVES)
  const hidden = leaves.length - shown.length
  return [
    [piece(action(item), 'strong')],
    ...verdictLine(item),
    ...(item.isRepeat ? [[piece(`    ! ${REPEATED}`, 'warning')] as const] : []),
    ...shown.flatMap((leaf) => drawLeaf(leaf, { full, steers: steers(item, leaf) })),
    ...(hidden > 0 ? [[piece(`    … and ${hidden} more values`, 'warning')] as const] : []),
    [piece(`    why you are asked: ${item.reason}`)],
  ]
}

function drawPlanItem(item: DrawableItem, plan: PlanBounds, full: boolean): readonly DrawnLine[] {
  const head = `${PLAN_ACTION} ${planName(plan)}`
  return [[piece(head, 'strong')], ...verdictLine(item), ...drawPlan(plan, full)]
}

const PLAN_ACTION = 'Run this plan once, and ask no more inside its bounds:'

const REPEATED = 'You allowed exactly this in this step before, and it may have run already'

/** A server is named by the id that the owner gave it; its title is untrusted. The name of the tool is never cut. */
function action({ effect, claims, serverName, tool }: DrawableItem): string {
  const title = JSON.stringify(seenLine(serverName, LONGEST_NAME))
  const aside = serverName === tool.server ? '' : ` (titled ${title})`
  const verb = EFFECT_WORDS[claims ? 'local-read' : effect].action
  return `${verb} ${tool.server}${aside}, tool ${JSON.stringify(tool.name)}`
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
export function treeOf(labels: DrawableItem['labels'], argument: string): LabelTree {
  const tree = Object.hasOwn(labels, argument) ? labels[argument] : undefined
  return tree ?? { label: { integrity: 'external', level: 'regulated', origins: new Set() } }
}

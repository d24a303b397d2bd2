/**
 * A plan as lines of text: each step with what is fixed, what may vary and who would choose it, how often it runs, what
 * leaves and to whom; then what the plan does not answer. No text of the flow can end its line or draw a mark. Pure.
 */
import type { DrawnLine } from '../../kernel/approval-port.ts'
import type { BoundedArgument, BoundedStep, PlanBounds } from '../../kernel/plan-bounds.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { later, LEVELS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { BRIEF_TEXT, drawLeaf, piece } from './draw-argument.ts'
import { EFFECT_WORDS } from './effect-words.ts'
import { externalLength, type Leaf, leavesOf } from './value-leaves.ts'

const LONGEST_NAME = 64

export function planName({ flow }: PlanBounds): string {
  return JSON.stringify(seenLine(flow, LONGEST_NAME))
}

/** Whether the short form would cut untrusted text that the plan fixes. */
export function isLongPlan({ steps }: PlanBounds): boolean {
  const leaves = steps.flatMap(({ args }) => args.flatMap(fixedLeaves))
  return leaves.reduce((sum, leaf) => sum + externalLength(leaf), 0) > BRIEF_TEXT
}

export function drawPlan(bounds: PlanBounds, full: boolean): readonly DrawnLine[] {
  const { steps, open, plan } = bounds
  const count = `    one answer instead of ${steps.length}, for this run alone, for one hour`
  const foreign = '    ! Somebody else wrote this flow, also what is fixed in it'
  return [
    [piece(count)],
    ...(plan === 'external' ? [[piece(foreign, 'warning')] as const] : []),
    ...steps.flatMap((step, at) => drawStep(step, at + 1, full)),
    ...open.flatMap(({ node, tool, why }) => [
      [piece(`    not part of it: ${named(node)} (${showTool(tool)}) asks when it comes: ${why}`)],
    ]),
    [piece('    Whatever leaves these bounds stops, and asks you.')],
  ]
}

function drawStep(step: BoundedStep, number: number, full: boolean): readonly DrawnLine[] {
  const { effect, tool, reason, isCertain, node, times } = step
  const what = `${EFFECT_WORDS[effect].action} ${tool.server}, tool ${JSON.stringify(tool.name)}`
  const often = times === 1 ? 'once' : `up to ${times} times`
  const maybe = isCertain ? '' : ', if the flow comes to it'
  return [
    [piece(`    ${number}. ${what}: ${often}${maybe} (step ${named(node)})`, 'strong')],
    [piece(`      would ask because: ${reason}`)],
    ...step.args.flatMap((argument) => drawArgument(argument, step, full)),
    [piece(`      ${disclosure(step)}`)],
    [piece(`      ${EFFECT_WORDS[effect].undoing}`)],
  ]
}

function drawArgument(
  argument: BoundedArgument,
  { times }: BoundedStep,
  full: boolean,
): readonly DrawnLine[] {
  const { name, bound, role } = argument
  const steers = role !== 'content'
  if (bound.kind === 'fixed') {
    return fixedLeaves(argument).flatMap((leaf) =>
      drawLeaf({ ...leaf, path: `fixed    ${leaf.path}` }, { full, steers }),
    )
  }
  const path = JSON.stringify(seenLine(name, LONGEST_NAME))
  const line = (word: string, text: string): DrawnLine => [
    piece(`    ${word.padEnd(8)} ${path}: ${text}`),
  ]
  const count = (values: number): string =>
    values * times === 1 ? 'one' : `up to ${values * times}`
  switch (bound.kind) {
    case 'content':
      return [line('text', `what came from ${sources(argument)}; links of others are disarmed`)]
    case 'trusted':
      return [line('own', `your own words, or an id from ${sources(argument)}`)]
    case 'amount':
      return [line('limited', `at most ${bound.max}, from ${sources(argument)}`)]
    case 'member':
      return [
        line(
          'varies',
          `${count(bound.values)} of the ids of ${seenLine(bound.of, LONGEST_NAME)}, chosen by words that are not yours`,
        ),
      ]
    default: {
      const text = `NOT SEEN BY YOU: ${count(bound.values)} of any value, chosen by words from ${sources(argument)}`
      return [[piece(`    ${'varies'.padEnd(8)} ${path}: ${text}`, 'warning')]]
    }
  }
}

/** Named are the servers that had a part in the value, and the place in the flow. */
function sources({ origins, from }: BoundedArgument): string {
  const places = from.map((one) => seenLine(one, LONGEST_NAME)).join(', ')
  const servers = origins.map((one) => seenLine(one, LONGEST_NAME)).join(', ')
  if (servers === '') return places || 'the flow'
  return places === '' ? servers : `${servers} (${places})`
}

function disclosure({ args, tool }: BoundedStep): string {
  if (args.length === 0) return 'Nothing leaves but the call itself.'
  const level = args.map((one) => one.level).reduce((a, b) => later(LEVELS, a, b))
  const origins = new Set(args.flatMap((one) => one.origins))
  origins.delete(tool.server)
  const names = [...origins].map((origin) => seenLine(origin, LONGEST_NAME)).join(', ')
  const from = names ? `, with what came from ${names}` : ''
  return `What leaves: up to ${level}${from}. ${tool.server} can read it.`
}

function fixedLeaves({ name, bound, integrity, level, origins }: BoundedArgument): readonly Leaf[] {
  if (bound.kind !== 'fixed') return []
  const from = integrity === 'user' ? { from: { kind: 'user' } as const } : {}
  const tree: LabelTree = { label: { integrity, level, origins: new Set(origins) }, ...from }
  return leavesOf(name, bound.value, tree)
}

function named(node: string): string {
  return JSON.stringify(seenLine(node, LONGEST_NAME))
}

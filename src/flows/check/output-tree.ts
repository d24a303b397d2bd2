/** Labels of a node's outputs, computed from the labels of its arguments by the same rules as at run time. */
import { answerTree } from '../../labels/answer-tree.ts'
import { isTrusted, joinLabels, type Label, withoutBound } from '../../labels/label.ts'
import { branchOf, chosenTree, type LabelTree } from '../../labels/label-tree.ts'
import { looksUp } from '../../kernel/tool-facts.ts'
import { FILES } from '../../kernel/built-in-tools.ts'
import { toldLabel, toldTo } from '../../labels/told-label.ts'
import { FILE_LABELS } from '../built-in/file-labels.ts'
import { countLabel } from '../operators/operators.ts'
import type { Operation, OperatorName, WrittenCondition } from '../operators/operation.ts'
import { findReferences } from '../language/references.ts'
import { isObject } from '../language/value-type.ts'
import type { CheckedNode } from './checked-flow.ts'
import {
  boundedBy,
  branchAt,
  flatLabel,
  itemTree,
  type LookUp,
  templateTree,
} from './label-trees.ts'

export interface StepLabels {
  readonly checked: CheckedNode
  readonly args: ReadonlyMap<string, LabelTree>
  readonly lookUp: LookUp
  readonly own: Label
  /** The labels of the `forEach` list. */
  readonly items: LabelTree | undefined
  /** Labels of data that earlier steps of the flow told the same server, or wrote into files. */
  readonly before?: Label | undefined
}

/** The labels of an object with one member per output. */
export function outputTree(step: StepLabels): LabelTree {
  const { checked, own, items } = step
  const once = outputsOnce(step)
  if (!checked.node.forEach) return once
  const container = items?.label ?? own
  return {
    label: container,
    // The errors and their number are determined by the server, so they have its label too.
    each: { label: [flatLabel(once), answerLabel(checked)].reduce(joinLabels, container) },
    members: new Map([
      ['results', { label: container, each: once }],
      ['count', { label: countLabel(container) }],
    ]),
  }
}

function outputsOnce(step: StepLabels): LabelTree {
  const { checked } = step
  const { known, operation } = checked
  if (known?.answers) return asOutputs(checked, told(known.answers, step))
  if (operation) return asOutputs(checked, operationTree(operation, step))
  if (known?.descriptor.kind === 'mcp')
    return asOutputs(checked, told({ label: answerLabel(checked) }, step))
  if (known?.descriptor.id === 'extract') return told(extracted(step), step)
  if (known?.descriptor.id === 'read-file') return told({ label: FILE_LABELS }, step)
  return told({ label: joined(step) }, { ...step, before: undefined })
}

/** As at the door. Without facts, every argument may decide what a server's answer is about. */
function told(answer: LabelTree, { args, checked, before }: StepLabels): LabelTree {
  const { facts, descriptor } = checked.known ?? {}
  const isSource = descriptor?.kind === 'mcp' || descriptor?.id === 'read-file'
  const given = [...args].map(([name, tree]) => ({
    label: flatLabel(tree),
    looksUp: facts ? looksUp(facts, name) : isSource,
  }))
  return answerTree(answer, before ? [...given, { label: before, looksUp: false }] : given)
}

/** The label of the data that this step leaves with its server, for later steps there. */
export function leftBehind({ known }: CheckedNode, args: Iterable<LabelTree>): Label | undefined {
  const labels = [...args].map(flatLabel)
  if (known?.descriptor.id === 'write-file') return toldLabel(labels)
  const server = known?.descriptor.pin?.tool.server
  return server === undefined ? undefined : toldTo(server, labels)
}

/** Steps with the same store may read what an earlier one left there. */
export function storeOf({ known }: CheckedNode): string | undefined {
  const { kind, pin } = known?.descriptor ?? {}
  return kind === 'file' ? FILES : pin?.tool.server
}

/** The label of a server's answers, if no labels are known for the tool. */
function answerLabel({ known }: CheckedNode): Label {
  const server = known?.descriptor.pin?.tool.server ?? known?.descriptor.id ?? ''
  return { integrity: 'external', level: 'sensitive', origins: new Set([server]) }
}

/** `result` is the whole answer; every other output is a field of it. */
function asOutputs({ outputs }: CheckedNode, result: LabelTree): LabelTree {
  const members = outputs.map(({ name, isAlias, asText }) => {
    const isWhole = isAlias === true || name === 'result'
    const whole = asText ? { ...result, label: withoutBound(flatLabel(result)) } : result
    return [name, isWhole ? whole : branchOf(result, name)] as const
  })
  // Fields that no schema declares are outputs too.
  return { ...result, members: new Map([...(result.members ?? []), ...members]) }
}

/**
 * The join of all arguments, since a model may repeat any of them. Drops the bound: a text made of a number is free.
 */
function joined({ args, own }: StepLabels): Label {
  const { bound: _of, ...label } = [...args.values()].map(flatLabel).reduce(joinLabels, own)
  return label
}

/** The type of a field bounds its content, if the schema was written in a trusted flow. */
function extracted(step: StepLabels): LabelTree {
  const label = joined(step)
  const schema = step.checked.node.params['schema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  const isOwn = findReferences(schema ?? null, '').length === 0 && isTrusted(step.own)
  if (!isObject(properties) || !isOwn) return { label }
  const fields = Object.entries(properties).map(
    ([name, one]) => [name, { label: boundedBy(label, one) }] as const,
  )
  return asOutputs(step.checked, { label, members: new Map(fields) })
}

interface Work {
  readonly list: LabelTree
  readonly item: LabelTree
  readonly lookUp: LookUp
  readonly own: Label
}

function operationTree<K extends OperatorName>(
  operation: Operation<K>,
  step: StepLabels,
): LabelTree {
  const { own, lookUp } = step
  const list = step.args.get('items') ?? { label: own }
  return FORESEEN[operation.kind](operation, { list, item: itemTree(list), lookUp, own })
}

const FORESEEN: {
  readonly [K in OperatorName]: (operation: Operation<K>, work: Work) => LabelTree
} = {
  filter: ({ where }, work) => chosen(work.list, conditionLabel(where, work)),
  select: ({ where }, work) => itemTree(chosen(work.list, conditionLabel(where, work))),
  sort: ({ by }, { list, item }) => chosen(list, flatLabel(branchAt(item, by))),
  unique: ({ by }, { list, item }) => chosen(list, flatLabel(branchAt(item, by))),
  argmax: ({ by }, { list, item }) => itemTree(chosen(list, flatLabel(branchAt(item, by)))),
  argmin: ({ by }, { list, item }) => itemTree(chosen(list, flatLabel(branchAt(item, by)))),
  first: (_, { item }) => item,
  last: (_, { item }) => item,
  count: (_, { list }) => ({ label: countLabel(list.label) }),
  join: (_, { list, own }) => ({ label: joinLabels(own, flatLabel(list)) }),
  pick: (_, { list }) => list,
  json: (_, { list }) => ({ label: withoutBound(flatLabel(list)) }),
  lines: (_, { list }) => ({ label: withoutBound(flatLabel(list)) }),
  format: ({ template }, { lookUp, own }) => templateTree(template, lookUp, own),
  map: ({ as, to }, { list, item, lookUp, own }) => {
    const inside: LookUp = (path) => {
      const [root, ...steps] = path
      return root === as ? branchAt(item, steps) : lookUp(path)
    }
    return { label: list.label, each: templateTree(to, inside, own) }
  },
}

function conditionLabel(
  where: readonly WrittenCondition[],
  { list, item, lookUp, own }: Work,
): Label {
  const [first = list.label, ...others] = where.flatMap(({ field, value }) => [
    flatLabel(branchAt(item, field)),
    flatLabel(templateTree(value, lookUp, own)),
  ])
  return others.reduce(joinLabels, first)
}

function chosen(list: LabelTree, choice: Label): LabelTree {
  const each = chosenTree(itemTree(list), choice, amongOf(list))
  return { label: joinLabels(list.label, choice), each }
}

/** The number of items, if the flow itself holds the list. */
function amongOf({ each, members }: LabelTree): number | undefined {
  return each ? undefined : members?.size
}

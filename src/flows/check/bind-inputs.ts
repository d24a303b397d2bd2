/**
 * Resolves the source of each argument of each node: its params, the store, or an output of the previous step under
 * another name. The last is chosen automatically only if it is unambiguous, and never for a recipient or destination
 * unless the names differ only in spelling: the flow's author must decide that.
 */
import type { Json } from '../../text/json.ts'
import type { Role } from '../../kernel/tool-facts.ts'
import type { NodeInput } from '../nodes/node-descriptor.ts'
import { inputKey } from '../engine/store-view.ts'
import { canBecome } from '../language/value-type.ts'
import { ownMember } from '../language/own-member.ts'
import { type CheckedFlow, type CheckedNode, isGiven, type Writer } from './checked-flow.ts'
import { edgeAction } from './flow-graph.ts'
import { DEFAULT_ACTION } from '../engine/error-actions.ts'

export type Source =
  | { readonly kind: 'param'; readonly value: Json }
  /** From the store under this key: written by any of these steps, or given when the flow starts. */
  | { readonly kind: 'store'; readonly key: string; readonly writers: readonly Writer[] }
  /** An output of an earlier step, chosen automatically. */
  | { readonly kind: 'automatic'; readonly key: string; readonly writer: Writer }
  /**
   * Has no source yet and must be given when the flow starts. `unfit`: it was meant to come from this step, of whose
   * outputs none fits, or more than one.
   */
  | { readonly kind: 'needed'; readonly key: string; readonly unfit?: string }

export interface Binding {
  readonly name: string
  readonly type: string
  readonly role: Role
  readonly isRequired: boolean
  readonly source: Source
}

/** By node, in the order of its arguments. Optional arguments without a source are left out. */
export type Bindings = ReadonlyMap<string, readonly Binding[]>

export function bindInputs(flow: CheckedFlow): Bindings {
  return new Map([...flow.nodes].map(([id, one]) => [id, bindNode(flow, one)]))
}

function bindNode(flow: CheckedFlow, checked: CheckedNode): readonly Binding[] {
  const { known } = checked
  if (!known) return paramsOf(checked, new Set())
  const { inputs, params, kind } = known.descriptor
  const open = inputs.filter((input) => !isSettled(flow, checked, input))
  const bound = (input: NodeInput): readonly Binding[] => {
    const source = sourceOf(flow, checked, input, open)
    const { name, type, role, required: isRequired } = input
    return source ? [{ name, type, role, isRequired, source }] : []
  }
  // The params of an operator are its configuration, not arguments.
  if (kind === 'operator') return inputs.flatMap(bound)
  const all = [...inputs, ...params.map((one) => ({ ...one, required: false }))]
  return [...all.flatMap(bound), ...paramsOf(checked, new Set(all.map(({ name }) => name)))]
}

/** Params that the node does not declare; they are passed on unchanged. */
function paramsOf({ node }: CheckedNode, except: ReadonlySet<string>): readonly Binding[] {
  return Object.entries(node.params)
    .filter(([name]) => !except.has(name))
    .map(([name, value]) => ({
      name,
      type: 'any',
      role: 'target',
      isRequired: false,
      source: { kind: 'param', value },
    }))
}

/** Whether the source of the input is already decided. */
function isSettled(flow: CheckedFlow, checked: CheckedNode, input: NodeInput): boolean {
  if (Object.hasOwn(checked.node.params, input.name)) return true
  const key = inputKey(checked.mapping, input.name)
  return (
    isGiven(flow, key) ||
    (!isPiped(flow, checked, input) && writersBefore(flow, checked, key).length > 0)
  )
}

/** Whether the input takes the output of the previous step, even if an earlier step wrote the same key. */
function isPiped(flow: CheckedFlow, checked: CheckedNode, { name, isMain }: NodeInput): boolean {
  const key = inputKey(checked.mapping, name)
  const previous = previousStep(flow, checked)?.node.id
  const isWritten = flow.writers.get(key)?.some(({ node }) => node === previous) ?? false
  return isMain === true && key === name && !isWritten
}

function sourceOf(
  flow: CheckedFlow,
  checked: CheckedNode,
  input: NodeInput,
  open: readonly NodeInput[],
): Source | undefined {
  const value = ownMember(checked.node.params, input.name)
  if (value !== undefined) return { kind: 'param', value }
  const key = inputKey(checked.mapping, input.name)
  const writers = mayTake(checked, input) ? writersBefore(flow, checked, key) : []
  const isOpen = writers.length === 0 || isPiped(flow, checked, input)
  const writer = isOpen && !isGiven(flow, key) ? automatic(flow, checked, input, open) : undefined
  if (writer) return { kind: 'automatic', key, writer }
  if (writers.length > 0 || isGiven(flow, key)) return { kind: 'store', key, writers }
  return input.required ? neededFor(flow, checked, input, key) : undefined
}

function neededFor(flow: CheckedFlow, checked: CheckedNode, input: NodeInput, key: string): Source {
  const unfit = input.isMain ? previousStep(flow, checked)?.node.id : undefined
  return { kind: 'needed', key, ...(unfit !== undefined && { unfit }) }
}

/**
 * Whether an equal name suffices to take the input from an earlier step. Not for optional inputs: otherwise a server
 * could inject `bcc` or `prompt` by naming an output so.
 */
function mayTake({ mapping }: CheckedNode, { name, required, isMain }: NodeInput): boolean {
  return required || isMain === true || Object.hasOwn(mapping?.input_mappings ?? {}, name)
}

function writersBefore(
  { writers, graph }: CheckedFlow,
  { node }: CheckedNode,
  key: string,
): readonly Writer[] {
  return (writers.get(key) ?? []).filter((one) => graph.isBefore(one.node, node.id))
}

function automatic(
  flow: CheckedFlow,
  checked: CheckedNode,
  input: NodeInput,
  open: readonly NodeInput[],
): Writer | undefined {
  if (!input.required && input.isMain !== true) return undefined
  const piped = stepBefore(flow, checked, input, open)
  return input.isMain && piped ? piped : (sameName(flow, checked, input) ?? piped)
}

/** `repoId` and `repo_id` are the same name. */
function sameName(flow: CheckedFlow, checked: CheckedNode, input: NodeInput): Writer | undefined {
  const names = new Set([input.name, inputKey(checked.mapping, input.name)].map(folded))
  const found = [...flow.writers].flatMap(([key, writers]) => {
    if (!names.has(folded(key))) return []
    return writersBefore(flow, checked, key).length > 0 ? writers : []
  })
  const before = found.filter(
    (one) => flow.graph.isBefore(one.node, checked.node.id) && canBe(one, input) !== 'never',
  )
  return before.length === 1 ? before[0] : undefined
}

/** Only for content, and only for one argument: with several, the intended one is ambiguous. */
function stepBefore(
  flow: CheckedFlow,
  checked: CheckedNode,
  input: NodeInput,
  open: readonly NodeInput[],
): Writer | undefined {
  const contents = open.filter(
    ({ role, required, isMain }) => role === 'content' && (required || isMain),
  )
  const main =
    contents.find(({ isMain }) => isMain) ?? (contents.length === 1 ? contents[0] : undefined)
  if (main?.name !== input.name) return undefined
  const step = previousStep(flow, checked)
  return step && fittingOutput(step, input)
}

/** The only step with a default edge to this one. */
function previousStep(
  { graph, nodes }: CheckedFlow,
  { node }: CheckedNode,
): CheckedNode | undefined {
  const [edge, ...others] = graph
    .into(node.id)
    .filter((one) => !graph.back.has(one) && edgeAction(one) === DEFAULT_ACTION)
  return edge && others.length === 0 ? nodes.get(edge.from) : undefined
}

function fittingOutput({ node, outputs }: CheckedNode, input: NodeInput): Writer | undefined {
  // The answers of a node with `forEach`, never its counts and errors.
  const given = node.forEach ? outputs.filter(({ name }) => name === 'results') : outputs
  const all = given.map((output) => ({ node: node.id, output }))
  const isWhole = ({ output }: Writer): boolean => /^results?$/.test(output.name)
  const named = all.filter((one) => !isWhole(one))
  const whole = all.filter(isWhole)
  const choices =
    input.type === 'any'
      ? [all.filter(({ output }) => output.isAlias), whole, all]
      : [
          ...(takesObject(input) ? [whole.filter((one) => canBe(one, input) === 'always')] : []),
          named.filter((one) => canBe(one, input) === 'always'),
          named.filter((one) => canBe(one, input) === 'perhaps'),
          whole.filter((one) => canBe(one, input) !== 'never'),
        ]
  const found = choices.find((choice) => choice.length > 0) ?? []
  return found.length === 1 ? found[0] : undefined
}

/** An operator on the fields of an object means those of the whole answer. */
function takesObject({ isMain, type }: NodeInput): boolean {
  return isMain === true && type.split('|').includes('object')
}

function canBe({ output }: Writer, input: NodeInput): ReturnType<typeof canBecome> {
  return canBecome(output.type, input.type)
}

function folded(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '').toLowerCase()
}

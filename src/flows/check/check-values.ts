/** Checks that every argument has a value of a fitting type, and that the names in inputs and mappings are valid. */
import type { Json } from '../../text/json.ts'
import { closestNames } from '../../text/closest-names.ts'
import { typeNamed } from '../../text/type-named.ts'
import { shown } from '../flow-errors.ts'
import { within } from '../language/json-place.ts'
import { ownMember } from '../language/own-member.ts'
import { wholeReference } from '../language/references.ts'
import { defaultFindings } from './input-findings.ts'
import { isReserved } from '../engine/store-view.ts'
import { canBecome, fits, typeOfValue } from '../language/value-type.ts'
import type { Binding, Bindings, Source } from './bind-inputs.ts'
import { typeOfPath } from './check-references.ts'
import { type CheckedFlow, type CheckedNode, isGiven } from './checked-flow.ts'
import { didYouMean, errorAt, type Finding, noteAt, warningAt } from './finding.ts'

/** The most outputs of a step that are named in a finding. */
const MOST_OUTPUTS = 5

/** An input that must be given when the flow starts. */
export interface Need {
  readonly name: string
  readonly type: string
  readonly node: string
  readonly input: string
}

export function needsOf(flow: CheckedFlow, bindings: Bindings): readonly Need[] {
  const open = [...bindings].flatMap(([node, list]) =>
    list.flatMap(({ name, type, source }) =>
      source.kind === 'needed' && source.unfit === undefined
        ? [{ name: source.key, type, node, input: name }]
        : [],
    ),
  )
  const taken = new Set(open.map(({ name }) => name))
  const declared = Object.entries(flow.ir.inputs)
    .filter(([, input]) => input.required !== false && input.default === undefined)
    .filter(([name]) => !flow.given?.has(name) && !taken.has(name))
    .map(([name, { type }]) => ({ name, type: typeNamed(type), node: '', input: name }))
  return [...declared, ...open]
}

export function valueFindings(flow: CheckedFlow, bindings: Bindings): readonly Finding[] {
  return [...flow.nodes].flatMap(([id, checked]) => [
    ...(bindings.get(id) ?? []).flatMap((binding) => bindingFindings(flow, checked, binding)),
    ...unknownParams(checked),
    ...itemsFindings(flow, checked),
  ])
}

/** A loop takes a list, or a text that may spell one. */
function itemsFindings(flow: CheckedFlow, checked: CheckedNode): readonly Finding[] {
  const { node, place } = checked
  if (!node.forEach) return []
  const { items } = node.forEach
  const from = typeOfParam(flow, checked, items)
  if ((isReference(items) ? canBecome : fits)(from, 'array') !== 'never') return []
  const message = `The loop of ${shown(node.id)} takes a list, and would get ${from}`
  const hint = 'Refer to a list, or take the lines of a text with a `lines` node'
  return [errorAt(`${place}.forEach.items`, 'type.mismatch', message, hint)]
}

function bindingFindings(
  flow: CheckedFlow,
  checked: CheckedNode,
  binding: Binding,
): readonly Finding[] {
  const { name, source } = binding
  const place = source.kind === 'param' ? within(`${checked.place}.params`, name) : checked.place
  const unfit = unfitIn(source)
  if (unfit !== undefined) return [unfitFinding(flow, checked, binding, unfit)]
  const type = typeFinding(flow, checked, binding, place)
  const given = source.kind === 'store' && isGiven(flow, source.key)
  return [...(type ? [type] : []), ...sourceFindings(checked, source, name, given)]
}

function unfitIn(source: Source): string | undefined {
  return source.kind === 'needed' ? source.unfit : undefined
}

/** The author piped one step into the next: asking for a value instead would hide the mistake. */
function unfitFinding(
  { nodes }: CheckedFlow,
  { node, place }: CheckedNode,
  { name, type }: Binding,
  from: string,
): Finding {
  const outputs = (nodes.get(from)?.outputs ?? []).slice(0, MOST_OUTPUTS)
  const gives = outputs.map((one) => `${shown(one.name)} (${one.type})`).join(', ')
  const message = `${shown(node.id)} takes ${type}, and ${shown(from)} gives ${gives}`
  const fitting = outputs.find((one) => canBecome(one.type, type) !== 'never')
  const hint = fitting
    ? `Say what is meant, for example "${name}": "\${${from}.${fitting.name}}"`
    : `Put a step in between that gives such a value, or give ${shown(name)} yourself`
  return errorAt(place, 'type.mismatch', message, hint)
}

function sourceFindings(
  { node, place }: CheckedNode,
  source: Source,
  name: string,
  given: boolean,
): readonly Finding[] {
  if (source.kind === 'automatic') {
    const { writer } = source
    const message = `${shown(node.id)} takes its ${shown(name)} from ${shown(writer.output.name)} of ${shown(writer.node)}`
    const hint = `Write it into params to decide otherwise: "${name}": "\${${writer.node}.${writer.output.name}}"`
    return [noteAt(place, 'mapping.automatic', message, hint)]
  }
  const [first, ...others] = source.kind === 'store' ? source.writers : []
  if (source.kind !== 'store' || !first || (others.length === 0 && !given)) return []
  const names = source.writers.slice(0, 4).map((one) => shown(one.node))
  const counts = given ? 'what the flow is given counts' : 'the last one counts'
  const message = `${shown(source.key)} is written by ${names.join(' and ')}; ${counts}`
  const hint = `Refer to what is meant: \${${first.node}.${first.output.name}}`
  return [warningAt(place, 'key.overwritten', message, hint)]
}

/** Missing inputs are errors only once the caller has listed the inputs that it gives. */
export function needFindings(flow: CheckedFlow, needs: readonly Need[]): readonly Finding[] {
  if (!flow.given) return []
  return needs.map(({ name, type, node, input }) => {
    const place = node === '' ? `inputs.${name}` : (flow.nodes.get(node)?.place ?? '')
    const whose = node === '' ? 'The flow' : shown(node)
    const message = `${whose} is missing ${shown(input)} (${type})`
    return errorAt(place, 'input.missing', message, `Give it with --${name}`)
  })
}

/** Names a field that is a text, if the whole answer of a step was taken. */
function textHint({ nodes }: CheckedFlow, source: Binding['source']): string {
  const whole = source.kind === 'param' && typeof source.value === 'string' ? source.value : ''
  const [, id = ''] = /^\$\{([\w-]+)\.result\}$/.exec(whole) ?? []
  const text = nodes
    .get(id)
    ?.outputs.find(({ name, type }) => type === 'string' && name !== 'result')
  const made = 'ake a text of it with a `format` node'
  return text ? `Take the text in it, \${${id}.${text.name}}, or m${made}` : `M${made}`
}

/** A known text is not read as a number by itself: most texts are none. */
function valueHint(from: string, type: string): string {
  const isReadable = from === 'string' && canBecome(type, 'number|boolean') !== 'never'
  return isReadable
    ? 'If the text is just that, read it with a `json` node in between'
    : `Give it a value of type ${type}`
}

function typeFinding(
  flow: CheckedFlow,
  checked: CheckedNode,
  { name, type, source }: Binding,
  place: string,
): Finding | undefined {
  const from = typeOfSource(flow, checked, source)
  const isWritten = source.kind === 'param' && !isReference(source.value)
  if ((isWritten ? fits : canBecome)(from, type) !== 'never') return undefined
  const message = `${shown(name)} takes ${type}, and would get ${from}`
  const hint = type === 'string' ? textHint(flow, source) : valueHint(from, type)
  return errorAt(place, 'type.mismatch', message, hint)
}

function typeOfSource(flow: CheckedFlow, checked: CheckedNode, source: Source): string {
  switch (source.kind) {
    case 'param':
      return typeOfParam(flow, checked, source.value)
    case 'automatic':
      return source.writer.output.type
    case 'store': {
      const types = new Set(source.writers.map(({ output }) => output.type))
      const input = ownMember(flow.ir.inputs, source.key)
      if (input) types.add(typeNamed(input.type))
      return types.size === 1 ? ([...types][0] ?? 'any') : 'any'
    }
    default:
      return 'any'
  }
}

function isReference(value: Json): boolean {
  return typeof value === 'string' && wholeReference(value) !== undefined
}

function typeOfParam(flow: CheckedFlow, checked: CheckedNode, value: Json): string {
  if (typeof value !== 'string') return typeOfValue(value)
  const path = wholeReference(value)
  return path ? typeOfPath(flow, checked, path) : 'string'
}

function unknownParams({ node, known, place }: CheckedNode): readonly Finding[] {
  if (!known) return []
  const { id, inputs, params } = known.descriptor
  const names = [...inputs, ...params].map(({ name }) => name)
  return Object.keys(node.params)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const hint = didYouMean(closestNames(name, names), `It takes ${names.join(', ')}`)
      const message = `${shown(id)} takes no ${shown(name)}`
      return warningAt(within(`${place}.params`, name), 'param.unknown', message, hint)
    })
}

export function nameFindings(flow: CheckedFlow): readonly Finding[] {
  const { ir, nodes } = flow
  const inputs = Object.entries(ir.inputs).flatMap(([name, input]) => [
    ...twiceFindings(flow, name, `inputs.${name}`),
    ...(name.startsWith('__') ? [reserved(`inputs.${name}`, name)] : []),
    ...defaultFindings(name, input),
  ])
  const items = [...nodes.values()].flatMap(({ node, place }) =>
    node.forEach ? twiceFindings(flow, node.forEach.as, `${place}.forEach.as`) : [],
  )
  const mappings = Object.keys(ir.mappings).flatMap((id) => mappingFindings(flow, id))
  return [...inputs, ...pipedFindings(flow), ...items, ...mappings]
}

function twiceFindings({ nodes }: CheckedFlow, name: string, place: string): readonly Finding[] {
  if (!nodes.has(name)) return []
  const hint = 'Rename one of them: a reference could mean either'
  return [errorAt(place, 'name.twice', `${shown(name)} is the name of a node too`, hint)]
}

function pipedFindings({ ir }: CheckedFlow): readonly Finding[] {
  const [first, ...others] = Object.keys(ir.inputs).filter(
    (name) => ir.inputs[name]?.stdin === true,
  )
  return others.map((name) => {
    const hint = 'Let only one input take what is piped in'
    const message = `${shown(first ?? '')} takes what is piped in already`
    return errorAt(`inputs.${name}.stdin`, 'input.stdin', message, hint)
  })
}

function mappingFindings(flow: CheckedFlow, id: string): readonly Finding[] {
  const checked = flow.nodes.get(id)
  const place = `mappings.${id}`
  if (!checked) {
    const near = closestNames(id, [...flow.nodes.keys()])
    const hint = didYouMean(near, 'Use the id of a node of this flow')
    return [errorAt(place, 'mapping.node', `There is no node ${shown(id)} in the flow`, hint)]
  }
  const { known, mapping, outputs } = checked
  const { input_mappings = {}, output_mappings = {} } = mapping ?? {}
  const inputs = [...(known?.descriptor.inputs ?? []), ...(known?.descriptor.params ?? [])]
  const strange = (
    kind: string,
    keys: readonly string[],
    names: readonly string[],
  ): readonly Finding[] =>
    keys
      .filter((key) => known && !names.includes(key))
      .map((key) => {
        const hint = didYouMean(closestNames(key, names), `It knows ${names.join(', ')}`)
        return warningAt(
          `${place}.${kind}.${key}`,
          'mapping.key',
          `${shown(id)} has no ${shown(key)}`,
          hint,
        )
      })
  return [
    ...strange(
      'input_mappings',
      Object.keys(input_mappings),
      inputs.map(({ name }) => name),
    ),
    ...strange(
      'output_mappings',
      Object.keys(output_mappings),
      outputs.map(({ name }) => name),
    ),
    ...Object.values(output_mappings)
      .filter(isReserved)
      .map((key) => reserved(place, key)),
    ...outputs.filter((one) => one.isAlias).map(({ name }) => aliasNote(place, id, name)),
  ]
}

function aliasNote(place: string, id: string, name: string): Finding {
  const message = `The whole answer of ${shown(id)} is taken for ${shown(name)}`
  const hint = 'Map "result" instead to say so yourself'
  return noteAt(`${place}.output_mappings.${name}`, 'mapping.whole', message, hint)
}

function reserved(place: string, key: string): Finding {
  const hint = 'Choose another name; "stdin" and names that begin with "__" are taken'
  return errorAt(place, 'name.reserved', `${shown(key)} cannot be used here`, hint)
}

/** Checks that every reference names a value that exists by then, and determines its type. */
import type { Json, JsonObject } from '../../text/json.ts'
import { closestNames } from '../../text/closest-names.ts'
import { typeNamed } from '../../text/type-named.ts'
import { shown } from '../flow-errors.ts'
import { within } from '../language/json-place.ts'
import { ownMember } from '../language/own-member.ts'
import { findReferences, type Path, type Reference } from '../language/references.ts'
import { isObject, itemTypeOf, schemaAt, typeOfSchema } from '../language/value-type.ts'
import { type CheckedFlow, type CheckedNode, isGiven } from './checked-flow.ts'
import { didYouMean, errorAt, type Finding, warningAt } from './finding.ts'

export function referenceFindings(flow: CheckedFlow): readonly Finding[] {
  const inNodes = [...flow.nodes.values()].flatMap((checked) =>
    valuesOf(checked).flatMap(({ value, place, names }) =>
      findReferences(value, place).flatMap((one) => findingsFor(one, flow, checked, names)),
    ),
  )
  const inOutputs = Object.entries(flow.ir.outputs).flatMap(([name, { source }]) =>
    findReferences(source ?? `\${${name}}`, `outputs.${name}`).flatMap((one) =>
      findingsFor(one, flow),
    ),
  )
  return [...inNodes, ...inOutputs]
}

interface Placed {
  readonly value: Json
  readonly place: string
  /** Names that are valid only in this value, such as the loop variable. */
  readonly names: readonly string[]
}

function valuesOf({ node, place, operation }: CheckedNode): readonly Placed[] {
  const item = node.forEach ? [node.forEach.as] : []
  const inMap = operation?.kind === 'map' ? [operation.as] : []
  const params = Object.entries(node.params).map(([name, value]) => ({
    value,
    place: within(`${place}.params`, name),
    names: name === 'to' ? [...item, ...inMap] : item,
  }))
  const { when, forEach } = node
  return [
    ...params,
    // `when` and `forEach.items` are evaluated once, before the first item, so the loop variable is not valid there.
    ...(when ? [{ value: [when.left, when.right], place: `${place}.when`, names: [] }] : []),
    ...(forEach ? [{ value: forEach.items, place: `${place}.forEach.items`, names: [] }] : []),
  ]
}

function findingsFor(
  { text, path, place }: Reference,
  flow: CheckedFlow,
  at?: CheckedNode,
  names: readonly string[] = [],
): readonly Finding[] {
  if (!path) {
    const hint =
      'Write references as `${node.key[0].name}`, and `$${` where the text itself is meant'
    return [errorAt(place, 'reference.bad', `Cannot read the reference ${shown(text)}`, hint)]
  }
  const [root] = path
  if (names.includes(root)) return []
  const step = flow.nodes.get(root)
  return step
    ? stepFindings(step, path, { flow, at, place })
    : keyFindings(root, { flow, at, place })
}

interface Spot {
  readonly flow: CheckedFlow
  readonly at: CheckedNode | undefined
  readonly place: string
}

function stepFindings(
  step: CheckedNode,
  path: Path,
  { flow, at, place }: Spot,
): readonly Finding[] {
  const { id } = step.node
  if (at && !flow.graph.isBefore(id, at.node.id)) {
    const isSelf = id === at.node.id
    const message = isSelf
      ? `${shown(id)} refers to itself`
      : `${shown(id)} has not run when ${shown(at.node.id)} does`
    const hint = isSelf
      ? 'Refer to an earlier node'
      : `Add an edge that leads from ${id} to ${at.node.id}`
    return [errorAt(place, 'reference.later', message, hint)]
  }
  const output = [...outputFindings(step, path, place), ...fieldFindings(step, path, place)]
  return output.length > 0 ? output : perhapsFindings(step, { flow, at, place })
}

function outputFindings(
  { node, outputs, known }: CheckedNode,
  path: Path,
  place: string,
): readonly Finding[] {
  const [, key] = path
  if (key === undefined || !known || outputs.some(({ name }) => name === key)) return []
  // An answer without an output schema may have any fields; its top-level fields are outputs too.
  const isOpen =
    !node.forEach && outputs.some(({ name, type }) => name === 'result' && type === 'any')
  if (isOpen && typeof key === 'string') return []
  const names = outputs.map(({ name }) => name)
  const near = typeof key === 'string' ? closestNames(key, names) : []
  const message = `${shown(node.id)} gives no ${shown(String(key))}`
  return [
    errorAt(place, 'reference.output', message, didYouMean(near, `It gives ${names.join(', ')}`)),
  ]
}

/** A field that the declared schema rules out. */
function fieldFindings(step: CheckedNode, path: Path, place: string): readonly Finding[] {
  for (const [at, field] of path.slice(2).entries()) {
    const { properties, additionalProperties } = answerAt(step, path.slice(1, at + 2)) ?? {}
    const isOpen = additionalProperties !== false || !isObject(properties)
    if (isOpen || typeof field !== 'string' || Object.hasOwn(properties, field)) continue
    const names = Object.keys(properties).filter((name) => /^[\w.$-]{1,64}$/.test(name))
    const message = `${shown(path.slice(0, at + 2).join('.'))} has no ${shown(field)}`
    const hint = didYouMean(closestNames(field, names), `It has ${names.slice(0, 20).join(', ')}`)
    return [errorAt(place, 'reference.output', message, hint)]
  }
  return []
}

/** Warns if the referenced step may have been skipped. */
function perhapsFindings({ node }: CheckedNode, { flow, at, place }: Spot): readonly Finding[] {
  const isCertain = at
    ? flow.graph.isCertainFor(node.id, at.node.id)
    : !flow.graph.isAlternative(node.id)
  const isGuarded =
    node.when !== undefined && JSON.stringify(node.when) !== JSON.stringify(at?.node.when)
  if (isCertain && !isGuarded) return []
  const message = `${shown(node.id)} may not have run by then`
  const hint = isGuarded
    ? 'Give this node the same `when`'
    : 'Refer to it only on the branch on which it runs'
  return [warningAt(place, 'reference.perhaps', message, hint)]
}

function keyFindings(key: string, { flow, at, place }: Spot): readonly Finding[] {
  if (key === 'stdin' || isGiven(flow, key)) return []
  const writers = flow.writers.get(key) ?? []
  if (writers.some((one) => !at || flow.graph.isBefore(one.node, at.node.id))) return []
  if (ownMember(flow.ir.inputs, key)) {
    const hint = `Give it with --${key}, or give it a default`
    return [warningAt(place, 'reference.perhaps', `${shown(key)} is not given`, hint)]
  }
  const known = [...flow.nodes.keys(), ...flow.writers.keys(), ...Object.keys(flow.ir.inputs)]
  const hint = didYouMean(closestNames(key, known), `Declare ${shown(key)} under inputs`)
  return [errorAt(place, 'reference.unknown', `Nothing here is called ${shown(key)}`, hint)]
}

/** The type of a value that consists of this reference only. */
export function typeOfPath(flow: CheckedFlow, at: CheckedNode, path: Path): string {
  const [root, key, ...deeper] = path
  if (root === at.node.forEach?.as) return key === undefined ? itemType(flow, at) : 'any'
  const step = flow.nodes.get(root)
  if (!step) return key === undefined ? typeOfKey(flow, root) : 'any'
  if (key === undefined) return 'object'
  const output = deeper.length === 0 ? step.outputs.find(({ name }) => name === key) : undefined
  return output?.type ?? typeOfSchema(answerAt(step, path.slice(1)))
}

/** The declared schema of this part of a step's answer; the path begins with an output. */
function answerAt(
  { node, known }: CheckedNode,
  [output, ...deeper]: readonly (string | number)[],
): JsonObject | undefined {
  const schema = known?.descriptor.answerSchema
  if (!schema || node.forEach || output === undefined) return undefined
  return schemaAt(schema, output === 'result' ? deeper : [output, ...deeper])
}

function itemType(flow: CheckedFlow, at: CheckedNode): string {
  const items = at.node.forEach?.items
  return typeof items === 'string' ? itemTypeOf(typeOfItems(flow, at, items)) : 'any'
}

function typeOfItems(flow: CheckedFlow, at: CheckedNode, items: string): string {
  const [one] = findReferences(items, '')
  return one?.isWhole && one.path && one.path[0] !== at.node.forEach?.as
    ? typeOfPath(flow, at, one.path)
    : 'any'
}

function typeOfKey(flow: CheckedFlow, key: string): string {
  const types = new Set((flow.writers.get(key) ?? []).map(({ output }) => output.type))
  const input = ownMember(flow.ir.inputs, key)
  if (input) types.add(typeNamed(input.type))
  return types.size === 1 ? ([...types][0] ?? 'any') : 'any'
}

/** Finds inputs that somebody typed and that the flow does not take: a wrong name must not be ignored. Pure. */
import { closestNames } from '../../text/closest-names.ts'
import { shown } from '../flow-errors.ts'
import type { FlowIr } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import { findReferences } from '../language/references.ts'
import type { Json } from '../../text/json.ts'
import type { CheckReport } from './check-flow.ts'
import { didYouMean, errorAt, type Finding } from './finding.ts'

export function inputFindings(
  ir: FlowIr,
  { bindings, nodes }: Pick<CheckReport, 'bindings' | 'nodes'>,
  typed: readonly string[],
): readonly Finding[] {
  const read = [...bindings.values()].flat().flatMap(({ source }) => {
    return source.kind === 'param' ? [] : [source.key]
  })
  const named = findReferences([ir.nodes, ir.outputs] as unknown as Json, '').flatMap(
    ({ path }) => path?.slice(0, 1) ?? [],
  )
  const taken = new Set([...Object.keys(ir.inputs), ...read, ...named.map(String), 'stdin'])
  const known = [...taken].filter((name) => name !== 'stdin' && !nodes.has(name))
  return typed.filter((name) => !taken.has(name)).map((name) => unknownInput(name, known, ir))
}

function unknownInput(name: string, known: readonly string[], { inputs }: FlowIr): Finding {
  const named = known.filter((one) => ownMember(inputs, one) !== undefined)
  const all = named.length > 0 ? named : known
  const otherwise = all.length === 0 ? 'Leave it out' : `It takes ${all.slice(0, 10).join(', ')}`
  const hint = didYouMean(closestNames(name, known), otherwise)
  return errorAt(`inputs.${name}`, 'input.unknown', `The flow takes no input ${shown(name)}`, hint)
}

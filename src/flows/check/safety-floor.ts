/** The minimum that a flow must declare about itself: its strongest effect, the highest level it handles, its sinks. */
import type { Effect } from '../../kernel/effect.ts'
import { isAbove, later, type Level, LEVELS } from '../../labels/label.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { shown } from '../flow-errors.ts'
import type { CheckedFlow } from './checked-flow.ts'
import { errorAt, type Finding } from './finding.ts'
import type { Foresight } from './foresee.ts'
import { findReferences } from '../language/references.ts'
import { flatLabel } from './label-trees.ts'

export interface SafetyFloor {
  readonly effect: Effect
  /** The highest level that reaches a tool or an output of the flow. */
  readonly level: Level
  /** Tools with an effect above `local-read`: they are sent data or change something. */
  readonly sinks: readonly string[]
}

const EFFECTS: readonly Effect[] = ['local-read', 'remote-read', 'write', 'destructive', 'exec']

export function safetyFloor({ nodes, ir }: CheckedFlow, { steps, labels }: Foresight): SafetyFloor {
  const descriptors = [...nodes.values()].flatMap(({ known }) => (known ? [known] : []))
  const effects = descriptors.map(({ descriptor, facts }) => facts?.effect ?? descriptor.effect)
  const told = steps.flatMap(({ args }) => args.map(({ label }) => label.level))
  const shownLevels = Object.entries(ir.outputs).flatMap(([name, { source }]) =>
    findReferences(source ?? `\${${name}}`, '').flatMap(({ path }) =>
      path ? [flatLabel(labels.lookUp(path)).level] : [],
    ),
  )
  const sinks = descriptors
    .filter(({ descriptor, facts }) => (facts?.effect ?? descriptor.effect) !== 'local-read')
    .map(({ descriptor }) => (descriptor.pin ? showTool(descriptor.pin.tool) : descriptor.id))
  return {
    effect: effects.reduce<Effect>((most, one) => later(EFFECTS, most, one), 'local-read'),
    level: [...told, ...shownLevels].reduce<Level>(
      (most, one) => later(LEVELS, most, one),
      'public',
    ),
    sinks: [...new Set(sinks)].sort(),
  }
}

/** A flow may declare more than this minimum, never less. */
export function claimFindings({ ir }: CheckedFlow, floor: SafetyFloor): readonly Finding[] {
  const { effect, level, sinks } = ir.metadata.safety ?? {}
  const claims = (what: string, message: string): Finding =>
    errorAt(
      `metadata.safety.${what}`,
      'safety.claims-less',
      message,
      'Correct it, or remove `safety`',
    )
  const findings: Finding[] = []
  if (effect && EFFECTS.indexOf(effect) < EFFECTS.indexOf(floor.effect)) {
    findings.push(claims('effect', `The flow says "${effect}", and would do "${floor.effect}"`))
  }
  if (level && isAbove(floor.level, level)) {
    findings.push(claims('level', `The flow says "${level}", and would handle "${floor.level}"`))
  }
  const unsaid = sinks ? floor.sinks.filter((sink) => !sinks.includes(sink)) : []
  for (const sink of unsaid)
    findings.push(claims('sinks', `The flow does not say that it uses ${shown(sink)}`))
  return findings
}

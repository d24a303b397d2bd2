/** The bounds of a flow that is not started: what its owner would agree to with one answer. Starts and asks nothing. */
import type { FlowBounds, FlowSource, StartFlow } from '../../ports/flow-port.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { mapRecord } from '../../text/map-record.ts'
import { foreseeFlow } from '../check/foresee-flow.ts'
import { wrongOwnInputs } from '../check/input-findings.ts'
import { pinFlow } from '../check/pin-flow.ts'
import { isWorthAsking, planBounds } from '../check/plan-bounds.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { readSource } from '../language/read-source.ts'
import { readNodes } from '../nodes/read-nodes.ts'
import { planIntegrity } from './plan-integrity.ts'
import { defaultsOf, refuseUnsound, titleOf, withErrors } from './prepare-run.ts'

export async function foreseeBounds(
  deps: FlowDeps,
  source: FlowSource,
  { inputs: typed, mostAmount }: Pick<StartFlow, 'inputs' | 'mostAmount'>,
  signal: AbortSignal,
): Promise<FlowBounds> {
  const nodeIndex = await readNodes(deps, source, signal)
  const { ir } = await readSource(deps, source, nodeIndex, false)
  const principal = deps.owner
  const integrity = await planIntegrity(deps, { principal, source }, nodeIndex)
  const { policy } = deps.door
  const report = foreseeFlow({ ir, nodeIndex, policy, principal, plan: integrity })
  refuseUnsound(withErrors(report, wrongOwnInputs(ir, typed)))
  const own = { label: OWN_WORDS, from: { kind: 'user' } } as const
  const given = mapRecord(typed, (value) => new Labelled(value, own))
  const inputs = { ...defaultsOf(ir, integrity), ...given }
  const known = { ir: pinFlow(ir, report), report, integrity, principal, inputs }
  const bounds = planBounds({ ...known, flow: titleOf(ir), mostAmount })
  return { bounds, isAskedAtOnce: isWorthAsking(bounds) }
}

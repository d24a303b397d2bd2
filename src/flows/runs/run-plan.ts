/**
 * The plan of a run, stored once when it starts: the checked flow, the tool behind each node, the source of each
 * argument, the predicted control labels, and the inputs. A run that is resumed days later uses this plan and does not
 * look up the tools again; whether a tool is still the same is checked before each call.
 */
import { createHash } from 'node:crypto'
import { FILES, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import type { StartFlow } from '../../ports/flow-port.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import { canonicalJson, type Json } from '../../text/json.ts'
import { type Integrity, type Label, type Level, OWN_WORDS } from '../../labels/label.ts'
import { restoreLabelled } from '../../labels/stored-label.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { Problem } from '../../text/problem.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { nodeHashOf } from '../engine/cache-key.ts'
import type { Binding } from '../check/bind-inputs.ts'
import type { CheckedNode, CheckedOutput } from '../check/checked-flow.ts'
import { wordsFor } from '../check/foresee.ts'
import type { Effect } from '../../kernel/effect.ts'
import type { Control } from '../../kernel/tool-call.ts'
import type { CheckReport } from '../check/check-flow.ts'
import { type FlowIr, type FlowNode, parseIr } from '../language/ir.ts'
import type { NodeDescriptor } from '../nodes/node-descriptor.ts'
import { kept } from '../operators/peek.ts'

export interface RunPlan {
  readonly version: 1
  /** For people: the name of the flow, or its nodes. */
  readonly flow: string
  readonly ir: FlowIr
  readonly irHash: string
  /** The integrity of the flow's author. */
  readonly integrity: Integrity
  /** The label of the flow's own literals, if it is more than the integrity of its author. */
  readonly words?: { readonly level: Level; readonly origins: readonly string[] }
  /** In stored form, with their labels. */
  readonly inputs: Readonly<Record<string, Json>>
  readonly nodes: Readonly<Record<string, PlannedNode>>
  readonly options: RunOptions
  /** The bounds of all questions that one answer may take the place of; absent if there is no such plan to ask about. */
  readonly bounds?: PlanBounds
  /** The run could not start: it fails at once, with this reason. */
  readonly refused?: Problem
}

export type RunOptions = Pick<
  StartFlow,
  'principal' | 'folder' | 'approval' | 'useCache' | 'template' | 'asksForWrites' | 'asksForReads'
>

export interface PlannedNode {
  readonly place: string
  /** `mcp-notion-search`, `llm`, `filter`. */
  readonly type: string
  readonly tool?: ToolId
  /** The name of the server, for people. */
  readonly serverName?: string
  /** The effect of the tool when the run was planned. */
  readonly effect?: Effect
  /** The hash of the tool's definition when the run was planned; another one is refused. */
  readonly expects?: string
  /** The launch of its server when the run was planned: another kernel needs the same. */
  readonly serverPin?: string
  readonly outputs: readonly CheckedOutput[]
  readonly args: readonly PlannedArgument[]
  /** As predicted by the check; a run can only raise it. */
  readonly control: Control
  /** A part of the cache key; absent if the answers of the node may not be cached. */
  readonly cachedAs?: string
}

export interface PlannedArgument extends Binding {
  readonly from: string
}

export interface PlanRequest {
  readonly ir: FlowIr
  readonly report: CheckReport
  readonly integrity: Integrity
  readonly inputs: Readonly<Record<string, Labelled>>
  readonly start: StartFlow
  readonly flow: string
  readonly bounds?: PlanBounds | undefined
}

export function planRun(request: PlanRequest): RunPlan {
  const { ir, report, integrity, inputs, start, flow, bounds } = request
  const words = wordsFrom(start)
  const { principal, folder, approval, useCache, template, asksForWrites, asksForReads } = start
  const nodes = [...report.nodes].map(([id, node]) => [id, plannedNode(node, report)] as const)
  return {
    version: 1,
    flow,
    ir,
    irHash: hashOf(ir),
    integrity,
    ...(words && { words: { level: words.level, origins: [...words.origins].sort() } }),
    inputs: Object.fromEntries(Object.entries(inputs).map(([key, one]) => [key, kept(one)])),
    nodes: Object.fromEntries(nodes),
    ...(bounds && { bounds }),
    options: {
      principal,
      approval,
      useCache,
      ...(folder !== undefined && { folder }),
      ...(template !== undefined && { template }),
      ...(asksForWrites && { asksForWrites }),
      ...(asksForReads && { asksForReads }),
    },
  }
}

/** The plan of a run that could not start: it has no steps. */
export function planRefused(start: StartFlow, refused: Problem): RunPlan {
  const { source, principal, approval, useCache, template } = start
  const flow = source.kind === 'saved' ? source.name : 'a flow'
  const ir = parseIr({ nodes: [], metadata: { name: flow } })
  const options = { principal, approval, useCache, ...(template !== undefined && { template }) }
  const nothing = { inputs: {}, nodes: {}, integrity: 'user' } as const
  return { version: 1, flow, ir, irHash: hashOf(ir), ...nothing, options, refused }
}

/** Undefined for the owner's own words, and those of a flow that they saved. */
export function wordsFrom({
  source,
  words,
}: Pick<StartFlow, 'source' | 'words'>): Label | undefined {
  return source.kind === 'saved' ? undefined : words
}

export function wordsOf({ words }: RunPlan): Label {
  return words ? { ...OWN_WORDS, level: words.level, origins: new Set(words.origins) } : OWN_WORDS
}

/** Not validated, since only Cordon writes plans; `unreadablePlan` is asked before. */
export function readPlan(stored: Json): RunPlan {
  return stored as unknown as RunPlan
}

export function inputsOf({ inputs }: RunPlan): Readonly<Record<string, Labelled>> {
  const restored = Object.entries(inputs).map(([key, one]) => [key, restoreLabelled(one)] as const)
  return Object.fromEntries(restored)
}

function plannedNode(
  { node, known, place, outputs }: CheckedNode,
  report: CheckReport,
): PlannedNode {
  if (!known) throw new TypeError('A flow with unknown nodes is not sound')
  const { descriptor, facts } = known
  const tool = toolOf(descriptor)
  const step = report.steps.find((one) => one.node === node.id)
  return {
    place,
    type: descriptor.id,
    ...(tool && { tool }),
    ...(facts && { serverName: facts.serverName, effect: facts.effect }),
    ...(descriptor.pin && { expects: descriptor.pin.hash, serverPin: descriptor.pin.serverPin }),
    outputs,
    args: (report.bindings.get(node.id) ?? []).map((one) => ({
      ...one,
      from: wordsFor(one).join(', '),
    })),
    control: step?.control ?? { integrity: 'user', bits: 0 },
    ...(mayBeKept(node, descriptor) && { cachedAs: nodeHashOf(known) }),
  }
}

/** Operators are not cached: computing a result again is faster than looking it up. */
function mayBeKept({ execution }: FlowNode, { purity, kind }: NodeDescriptor): boolean {
  return purity === 'pure' && kind === 'mcp' && execution?.use_cache !== false
}

export function toolOf({ kind, id, pin }: NodeDescriptor): ToolId | undefined {
  if (kind === 'model') return { server: MODEL, name: id }
  if (kind === 'file') return { server: FILES, name: id }
  if (kind === 'memory') return { server: MEMORY, name: id }
  return pin?.tool
}

export function hashOf(ir: FlowIr): string {
  return createHash('sha256')
    .update(canonicalJson(ir as unknown as Json))
    .digest('hex')
}

/**
 * Decides which steps of a flow are the same node, and builds the edges between nodes. Pure.
 *
 * A step with flags, clauses, a version or `as NAME` is a new node. A bare name means the existing node of that name, on an
 * earlier line too: `search - "timeout" >> wait >> search` loops back to the first step. If that could only be an
 * endless loop (`llm >> translate >> llm`), the repeated name is a second node.
 */
import type { FlowText, Statement, Step } from './flow-text.ts'
import type { Describe, NodeShape } from './node-shape.ts'
import type { Complaint } from './problem.ts'
import { createUniqueNames, type UniqueNames } from './unique-names.ts'

export interface PlacedStep {
  readonly id: string
  readonly step: Step
  readonly shape: NodeShape
}

export interface Edge {
  readonly from: string
  readonly to: string
  readonly action?: string
  readonly max?: number
}

export interface PlacedFlow {
  /** The steps whose node type is known. */
  readonly steps: readonly PlacedStep[]
  readonly edges: readonly Edge[]
  readonly complaints: readonly Complaint[]
}

/** How often an edge with an action may be taken if the flow gives no `max`. */
const DEFAULT_MAX = 3
const UNKNOWN: NodeShape = { inputs: [], params: {}, types: {} }

interface Site {
  readonly describe: Describe
  readonly ids: UniqueNames
  /** By id, and by the name that a step was first written with. */
  readonly named: Map<string, PlacedStep>
  readonly steps: PlacedStep[]
  readonly edges: Map<string, Edge>
  readonly complaints: Complaint[]
}

/** `complain` builds the problem for a name that no node has. */
export function placeSteps(
  flow: FlowText,
  describe: Describe,
  complain: (step: Step) => Complaint,
): PlacedFlow {
  const site: Site = {
    describe,
    ids: createUniqueNames(),
    named: new Map(),
    steps: [],
    edges: new Map(),
    complaints: [],
  }
  for (const statement of flow.statements) placeStatement(site, statement)
  const known = site.steps.filter(({ shape }) => shape !== UNKNOWN)
  const unknown = site.steps.filter(({ shape }) => shape === UNKNOWN)
  site.complaints.push(...unknown.slice(0, MOST_UNKNOWN).map(({ step }) => complain(step)))
  return { steps: known, edges: [...site.edges.values()], complaints: site.complaints }
}

/** Longer lists of problems are not read. */
const MOST_UNKNOWN = 20

function placeStatement(site: Site, statement: Statement): void {
  /** The nodes since the last exit: an edge back to one of them would be an endless loop. */
  const onTheWay = new Set<PlacedStep>()
  let before: PlacedStep | undefined
  let left: Step | undefined
  for (const step of statement) {
    const placed = findPlaced(site, step, onTheWay) ?? placeNew(site, step)
    if (before) addEdge(site, before.id, placed.id, left)
    onTheWay.add(placed)
    if (step.exit) onTheWay.clear()
    before = placed
    left = step
  }
}

function findPlaced(
  site: Site,
  step: Step,
  onTheWay: ReadonlySet<PlacedStep>,
): PlacedStep | undefined {
  if (step.flags.length > 0 || step.id !== undefined || step.version !== undefined) return undefined
  if (step.each || step.when || step.retry) return undefined
  const known = site.named.get(step.name)
  return known && onTheWay.has(known) ? undefined : known
}

function placeNew(site: Site, step: Step): PlacedStep {
  const shape = site.describe(step.name) ?? UNKNOWN
  const placed = { id: claimId(site, step, shape), step, shape }
  site.steps.push(placed)
  site.named.set(placed.id, placed)
  if (!site.named.has(step.name)) site.named.set(step.name, placed)
  return placed
}

function claimId(site: Site, step: Step, shape: NodeShape): string {
  const { id } = step
  if (id === undefined) return site.ids.claim(shape.id ?? step.name)
  if (site.ids.has(id)) {
    site.complaints.push({
      at: step.at,
      code: 'flows.duplicate-id',
      message: `Cannot call two steps ${JSON.stringify(id)}`,
      hint: 'Give the second one another name after "as"',
    })
  }
  site.ids.add(id)
  return id
}

function addEdge(site: Site, from: string, to: string, left: Step | undefined): void {
  const { action, max = DEFAULT_MAX } = left?.exit ?? {}
  const edge = action === undefined ? { from, to } : { from, to, action, max }
  site.edges.set(JSON.stringify([from, to, action ?? null]), edge)
}

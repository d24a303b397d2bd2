/** Reads a flow from any source (IR, saved flow, text, arguments) into IR. Text is resolved against the known nodes. */
import type { FlowSource } from '../../ports/flow-port.ts'
import type { SavedFlowRows, StoredFlow } from '../../ports/saved-flow-port.ts'
import type { Json } from '../../text/json.ts'
import { flowError } from '../flow-errors.ts'
import type { Describe } from '../grammar/node-shape.ts'
import { parseFlow } from '../grammar/parse-flow.ts'
import { grammarError } from '../grammar/problem.ts'
import { toIr } from '../grammar/to-ir.ts'
import { expandHomes, type FindHome } from './expand-homes.ts'
import { type FlowIr, IR_VERSION, parseIr } from './ir.ts'
import { missingServerHint } from '../nodes/missing-server-hint.ts'
import type { NodeIndex } from '../nodes/node-index.ts'
import type { NodeDescriptor } from '../nodes/node-descriptor.ts'

export interface SourceDeps {
  readonly savedFlows: SavedFlowRows
  /** Absent: `~` stays as it is written. */
  readonly findHome?: FindHome
}

export interface ReadFlow {
  readonly ir: FlowIr
  /** The text as the owner wrote it, if the flow was written as text. */
  readonly text?: string
}

export async function readSource(
  deps: SourceDeps,
  source: FlowSource,
  nodeIndex: NodeIndex,
  hasStdin: boolean,
): Promise<ReadFlow> {
  switch (source.kind) {
    case 'ir':
      return { ir: parseIr(source.ir) }
    case 'saved':
      return await readSaved(deps, source.name)
    case 'text':
      return { ir: await readWritten(deps, source.text, nodeIndex, hasStdin), text: source.text }
    default:
      return { ir: await readWritten(deps, source.words, nodeIndex, hasStdin) }
  }
}

async function readSaved({ savedFlows }: SourceDeps, name: string): Promise<ReadFlow> {
  const stored = await savedFlows.get(name)
  if (!stored) throw noSuchFlow(name)
  const ir = withOldAnswers(parseStored(stored))
  const named = { ...ir, metadata: { ...ir.metadata, name: stored.name } }
  return { ir: named, ...(stored.text !== undefined && { text: stored.text }) }
}

/** A row may be damaged, or of a newer version. */
export function parseStored({ name, ir }: Pick<StoredFlow, 'name' | 'ir'>): FlowIr {
  try {
    return parseIr(JSON.parse(ir) as Json)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw flowError(
      'flows.unreadable-flow',
      `Cannot read the saved flow ${JSON.stringify(name)}: its record is damaged`,
      `Remove it with \`cordon flow remove ${name}\`, and save it again`,
    )
  }
}

/** A flow keeps the meaning that it had when it was saved. */
function withOldAnswers(ir: FlowIr): FlowIr {
  return ir.ir_version === IR_VERSION ? { ...ir, answers: 'blocks' } : ir
}

export function noSuchFlow(name: string): Error {
  return flowError(
    'flows.no-such-flow',
    `Cannot find a saved flow ${JSON.stringify(name)}`,
    'Run `cordon flow list` to see those there are',
  )
}

async function readWritten(
  { findHome }: SourceDeps,
  source: string | readonly string[],
  nodeIndex: NodeIndex,
  stdin: boolean,
): Promise<FlowIr> {
  const parsed = parseFlow(source)
  if (parsed.kind === 'problem') throw grammarError(parsed.problem)
  const suggestNodes = (typed: string): readonly string[] => {
    const found = nodeIndex.find(typed)
    if (found.kind === 'ambiguous') return found.names.slice(0, 5)
    return found.kind === 'unknown' ? found.suggestions : []
  }
  const flow = await expandHomes(parsed.flow, nodeIndex, findHome)
  const result = toIr(flow, describeBy(nodeIndex), {
    stdin,
    suggestNodes,
    hintFor: (typed) => missingServerHint(typed, nodeIndex),
  })
  if (result.kind === 'ir') return parseIr(result.reading.ir)
  const [problem] = result.problems
  if (!problem) throw new TypeError('There is a problem without a word about it')
  throw grammarError(problem)
}

/** Looks a node up by name, and returns the facts that the grammar needs. */
export function describeBy(nodeIndex: NodeIndex): Describe {
  return (name) => {
    const found = nodeIndex.find(name)
    return found.kind === 'found' ? shapeOf(found.node.descriptor) : undefined
  }
}

function mainOf(inputs: NodeDescriptor['inputs']): { readonly main?: string } {
  const main = inputs.find(({ isMain }) => isMain)
  return main ? { main: main.name } : {}
}

function shapeOf({ id, inputs, params, outputs }: NodeDescriptor): ReturnType<Describe> {
  return {
    id,
    inputs: inputs.map(({ name }) => name),
    required: inputs.filter(({ required }) => required).map(({ name }) => name),
    ...mainOf(inputs),
    outputs: outputs.map(({ name }) => name),
    params: Object.fromEntries(params.map((one) => [one.name, one.default])),
    types: Object.fromEntries([...inputs, ...params].map(({ name, type }) => [name, type])),
  }
}

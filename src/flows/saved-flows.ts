/** Flows saved under a name. Only a sound flow is saved, pinned to the exact tools that it means. */
import type { FlowSource, Flows, SavedFlow } from '../ports/flow-port.ts'
import type { StoredFlow } from '../ports/saved-flow-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Json } from '../text/json.ts'
import { flowError } from './flow-errors.ts'
import type { FlowDeps } from './flow-deps.ts'
import { foreseeFlow } from './check/foresee-flow.ts'
import { nodeTitle } from './language/ir.ts'
import { pinFlow, spellSaved } from './check/pin-flow.ts'
import { readNodes } from './nodes/read-nodes.ts'
import { noSuchFlow, parseStored, readSource } from './language/read-source.ts'

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

export function createSavedFlows(
  deps: FlowDeps,
): Pick<Flows, 'save' | 'saved' | 'read' | 'remove'> {
  const { savedFlows } = deps
  return {
    save: (name, source, replace) => save(deps, name, source, replace),
    saved: async () => (await savedFlows.list()).map((stored) => tellAny(stored)),
    async read(name) {
      const stored = await savedFlows.get(name)
      if (!stored) throw noSuchFlow(name)
      const told = tell(stored)
      const ir = JSON.parse(stored.ir) as Json
      return { ...told, ir, ...(stored.text !== undefined && { text: stored.text }) }
    },
    remove: (name) => savedFlows.remove(name),
  }
}

async function save(
  deps: FlowDeps,
  name: string,
  source: FlowSource,
  replace: boolean,
): Promise<SavedFlow> {
  if (!NAME.test(name)) throw badName(name)
  const never = new AbortController().signal
  const nodeIndex = await readNodes(deps, source, never)
  const { ir, text } = await readSource(deps, source, nodeIndex, false)
  const { door, owner } = deps
  const report = foreseeFlow({
    ir,
    nodeIndex,
    policy: door.policy,
    principal: owner,
    plan: 'user',
  })
  const error = report.findings.find(({ severity }) => severity === 'error')
  if (error) throw unsound(name, error.place, error.message, error.hint)
  const stored: StoredFlow = {
    name,
    savedAt: deps.now(),
    ir: spellSaved(name, pinFlow(ir, report)),
    ...(text !== undefined && { text }),
  }
  if (!(await deps.savedFlows.put(stored, replace))) throw taken(name)
  return tell(stored)
}

/** One record that cannot be read never takes the others with it: it is listed with the reason. */
function tellAny(stored: StoredFlow): SavedFlow {
  try {
    return tell(stored)
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    const { name, savedAt } = stored
    return { name, description: error.message, savedAt: new Date(savedAt).toISOString(), nodes: [] }
  }
}

function tell(stored: StoredFlow): SavedFlow {
  const { name, savedAt } = stored
  const { metadata, nodes } = parseStored(stored)
  return {
    name,
    description: metadata.description ?? metadata.prompt ?? '',
    savedAt: new Date(savedAt).toISOString(),
    nodes: nodes.map(nodeTitle),
  }
}

function badName(name: string): Error {
  return flowError(
    'flows.bad-name',
    `Cannot save a flow as ${JSON.stringify(name.slice(0, 80))}`,
    'Use up to 64 letters, digits, ".", "-" and "_", and begin with a letter or a digit',
  )
}

function taken(name: string): Error {
  return flowError(
    'flows.name-taken',
    `Cannot save the flow: there is already one called ${JSON.stringify(name)}`,
    'Choose another name, or replace it with --replace',
  )
}

function unsound(name: string, place: string, message: string, hint: string): Error {
  return flowError(
    'flows.unsound',
    `Cannot save ${JSON.stringify(name)}: ${place}: ${message}`,
    hint,
  )
}

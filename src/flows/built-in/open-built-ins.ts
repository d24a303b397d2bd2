/**
 * Opens the built-in tools, behind the nodes that no server runs. Policy judges them by facts of the host, and they are
 * called through the one door like all tools: a call redeems its capability before it does anything.
 */
import { createHash } from 'node:crypto'
import { type BuiltInTools, FILES, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import { Capability } from '../../kernel/capability.ts'
import type { KeptLabels } from '../../kernel/kept-labels.ts'
import type { Memory } from '../../ports/memory-port.ts'
import { canonicalJson } from '../../text/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { argumentMisfit, type BuiltIn } from './built-in.ts'
import { UNSEEN } from './built-in-labels.ts'
import { type MarkedFolders, NO_MARKS } from './file-labels.ts'
import { createFileLedger, memoryLabels } from './file-ledger.ts'
import { fileTools } from './file-tools.ts'
import type { Places } from './guarded-folder.ts'
import { memoryTools } from './memory-tools.ts'
import { modelTools } from './model-tools.ts'
import type { Models } from '../../ports/model-port.ts'

export interface BuiltInDeps extends Places {
  readonly models: Models
  /** The labels of files that flows wrote. Absent: remembered as long as the process lives. */
  readonly keptLabels?: KeptLabels
  /** Absent: no fact can be kept. */
  readonly memory?: Pick<Memory, 'remember'>
  /** As configured now; throws if it cannot be parsed. Absent: no folder is marked. */
  readonly markedFolders?: () => Promise<MarkedFolders>
}

interface Shelf {
  readonly name: string
  /** Changes whenever the implementation behind the tools changes. */
  readonly pin: string
  readonly tools: ReadonlyMap<string, BuiltIn>
  readonly facts: ReadonlyMap<string, ToolFacts>
}

function shelfOf(
  server: ServerId,
  name: string,
  pin: string,
  tools: ReadonlyMap<string, BuiltIn>,
): Shelf {
  const facts = [...tools].map(
    ([tool, builtIn]) => [tool, factsOf({ server, name: tool }, { name, pin }, builtIn)] as const,
  )
  return { name, pin, tools, facts: new Map(facts) }
}

function modelShelfOf(models: Models): Shelf & { readonly of: string } {
  const { pin } = models
  return { ...shelfOf(MODEL, 'Model', hashOf(['model', 1, pin]), modelTools(models)), of: pin }
}

export function openBuiltIns({ models, ...deps }: BuiltInDeps): BuiltInTools {
  const files = fileTools(deps, {
    ledger: createFileLedger(deps.keptLabels ?? memoryLabels()),
    marked: deps.markedFolders ?? (async () => NO_MARKS),
  })
  const fixed = new Map<ServerId, Shelf>([
    [FILES, shelfOf(FILES, 'Files', hashOf(['files', 1]), files)],
    [MEMORY, shelfOf(MEMORY, 'Memory', hashOf(['memory', 1]), memoryTools(deps.memory))],
  ])
  let modelShelf = modelShelfOf(models)
  const shelfFor = (server: ServerId): Shelf | undefined => {
    if (server !== MODEL) return fixed.get(server)
    // The owner's profiles may have changed: effect and clearance are those of now.
    if (modelShelf.of !== models.pin) modelShelf = modelShelfOf(models)
    return modelShelf
  }
  const find = ({ server, name }: ToolId): BuiltIn | undefined => shelfFor(server)?.tools.get(name)
  return {
    know(tool) {
      const shelf = shelfFor(tool.server)
      return shelf && (shelf.facts.get(tool.name) ?? unknown(tool, shelf))
    },
    misfit({ tool, args }) {
      const found = find(tool)
      return found ? argumentMisfit(found, args) : NO_TOOL
    },
    async call(capability, signal) {
      const { tool, args, label = UNSEEN } = Capability.redeem(capability, Date.now())
      const found = find(tool)
      const reason = found ? argumentMisfit(found, args) : NO_TOOL
      if (!found || reason !== undefined) {
        return { kind: 'refused', rule: 'tool.arguments', reason: reason ?? NO_TOOL }
      }
      return await found.run(args, signal, label)
    },
  }
}

const NO_TOOL = 'There is no such tool'

function factsOf(
  id: ToolId,
  { name, pin }: Pick<Shelf, 'name' | 'pin'>,
  { effect, clearance, isLocal = false, args }: BuiltIn,
): ToolFacts {
  const rules = Object.entries(args).map(
    ([arg, { role, is, isRequired = false }]) => [arg, role, is, isRequired] as const,
  )
  const formats = Object.entries(args).flatMap(([arg, rule]) =>
    rule.formats ? [[arg, rule.formats] as const] : [],
  )
  return {
    id,
    serverName: name,
    effect,
    roles: new Map(rules.map(([arg, role]) => [arg, role])),
    ...(formats.length > 0 && { formats: new Map(formats) }),
    ...(isLocal && { isLocal }),
    clearance,
    hash: hashOf([id.server, id.name, effect, { ...clearance }, rules]),
    serverPin: pin,
    isVouchedFor: true,
  }
}

/** The strictest facts, for a tool that does not exist. */
function unknown(id: ToolId, { name, pin }: Shelf): ToolFacts {
  return {
    id,
    serverName: name,
    blocked: 'unknown',
    effect: 'exec',
    roles: new Map(),
    clearance: { own: 'public', others: 'public' },
    hash: '',
    serverPin: pin,
    isVouchedFor: false,
  }
}

function hashOf(what: Parameters<typeof canonicalJson>[0]): string {
  return createHash('sha256').update(canonicalJson(what)).digest('hex')
}

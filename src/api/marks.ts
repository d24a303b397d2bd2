/**
 * Routes about the owner's marks: what the tools of a server claim to do, and the owner's word on it. Never takes a
 * claim by itself, and never calls a tool.
 */
import { z } from 'zod'
import type { Definitions, Servers } from '../kernel/ports.ts'
import { SEMANTICS, type ToolOverride } from '../kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type { MarkChange, ToolProposal } from '../kernel/tool-proposal.ts'
import { server, serverOnly, tool } from './fields.ts'
import type { Routes } from './route.ts'

export interface MarkContract {
  'tools.proposal': {
    surface: 'any'
    input: { readonly server: string }
    output: ToolProposal
  }
  /** `set` is the hash of the proposal that the owner was shown: the answer is void if the tools are others by now. */
  'tools.mark': {
    surface: 'any'
    input: { readonly server: string; readonly set: string; readonly change: MarkChange }
    output: ToolProposal
  }
}

export interface MarkDeps {
  readonly definitions: Pick<Definitions, 'edit'>
  readonly servers: Pick<Servers, 'proposal' | 'markTools' | 'refresh'>
}

const MOST_NAMED = 10_000

const names = z.array(tool).max(MOST_NAMED)
const change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('as-said'), tools: names.exactOptional() }),
  z.strictObject({ kind: z.literal('effect'), effect: z.enum(SEMANTICS), tools: names.min(1) }),
  z.strictObject({ kind: z.literal('clear'), tools: names.exactOptional() }),
])

export function markRoutes(deps: MarkDeps): Routes<MarkContract> {
  return {
    'tools.proposal': {
      surface: 'any',
      input: serverOnly,
      handle: async ({ server }) => await deps.servers.proposal(parseServerId(server)),
    },
    'tools.mark': {
      surface: 'any',
      input: z.strictObject({ server, set: z.hex().length(64), change }),
      handle: async ({ server, set, change }) =>
        await markTools(deps, parseServerId(server), set, change),
    },
  }
}

/**
 * A tool for which the definition speaks gets its new effect there; a mark would be hidden behind it. Marks come first:
 * they are refused if the list changed, and then the definition stays as it is.
 */
async function markTools(
  { servers, definitions }: MarkDeps,
  id: ServerId,
  set: string,
  change: MarkChange,
): Promise<ToolProposal> {
  const proposal = await servers.proposal(id)
  const spoken = spokenFor(proposal, change)
  const others = change.tools?.filter((name) => !spoken.has(name))
  const marked = await servers.markTools(id, set, others ? { ...change, tools: others } : change)
  if (spoken.size === 0) return marked
  await definitions.edit(id, { ownTools: Object.fromEntries(spoken) })
  await servers.refresh()
  return await servers.proposal(id)
}

function spokenFor({ tools }: ToolProposal, change: MarkChange): ReadonlyMap<string, ToolOverride> {
  if (change.kind === 'clear' || !change.tools) return new Map()
  const named = new Set(change.tools)
  const found = tools.filter(({ name, by }) => by === 'definition' && named.has(name))
  return new Map(
    found.map(({ name, says }) => {
      return [name, { semantics: change.kind === 'effect' ? change.effect : says }]
    }),
  )
}

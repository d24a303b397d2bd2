/** Cordon's facts about one tool of one server, derived from its definition, its pins and its sandbox. */
import type { Effect } from '../../kernel/effect.ts'
import { type Level, later, LEVELS } from '../../labels/label.ts'
import { isRemote, type ServerDefinition } from '../../kernel/server-definition.ts'
import type { Blocked, Clearance, ToolFacts } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { formatsOf } from '../tools/formats-of.ts'
import { rolesOf } from '../tools/argument-roles.ts'
import { overrideOf } from '../tools/override-of.ts'
import { isClaimedRead } from '../tools/claim-of.ts'
import { judgeEffect, sayerOf } from './judge-effect.ts'
import { launchHashOf } from './launch-hash.ts'
import type { ManifestTool } from './manifest.ts'
import type { ServerLife } from './server-life.ts'

/** Facts for a server that does not exist, or a tool that the server does not have. */
export function unknownTool(id: ToolId, effect: Effect = 'destructive'): ToolFacts {
  return {
    id,
    serverName: id.server,
    blocked: 'unknown',
    effect,
    roles: new Map(),
    clearance: { own: 'public', others: 'public' },
    hash: '',
    serverPin: '',
    isVouchedFor: false,
  }
}

export type FactsOf = (server: Pick<ServerLife, 'definition'>, tool: ManifestTool) => ToolFacts

/** Facts are cached while the definition and the tool are the same objects: every call asks for them twice. */
export function createFacts(): FactsOf {
  const known = new WeakMap<
    ManifestTool,
    { readonly of: ServerDefinition; readonly facts: ToolFacts }
  >()
  return ({ definition }, tool) => {
    const found = known.get(tool)
    if (found?.of === definition) return found.facts
    const facts = factsOf(definition, tool)
    known.set(tool, { of: definition, facts })
    return facts
  }
}

function factsOf(definition: ServerDefinition, tool: ManifestTool): ToolFacts {
  const own = overrideOf(definition, tool.name)
  const roles = [...rolesOf(tool.inputSchema, own)].map(([name, { role }]) => [name, role] as const)
  const blocked = blockedBy(tool, own?.enabled)
  const formats = formatsOf(tool, definition.formats)
  const version = definition.package?.version ?? definition.version
  return {
    id: { server: definition.id, name: tool.name },
    serverName: definition.name,
    ...(blocked && { blocked }),
    effect: judgeEffect(definition, tool).effect,
    ...(isOnlyClaimed(definition, tool) && { claims: 'read' as const }),
    roles: new Map(roles),
    ...(formats.size > 0 && { formats }),
    ...(isShutIn(definition) && { isLocal: true }),
    clearance: clearanceOf(definition),
    level: definition.label,
    hash: tool.hash,
    serverPin: `${launchHashOf(definition)}${tool.setHash}`,
    ...(version !== undefined && { version }),
    isVouchedFor: definition.isKnown === true,
  }
}

function isOnlyClaimed(definition: ServerDefinition, tool: ManifestTool): boolean {
  return sayerOf(definition, tool) === 'unsaid' && isClaimedRead(tool)
}

function blockedBy(
  { quarantined, lookAlike, isHeld }: ManifestTool,
  enabled: boolean | undefined,
): Blocked | undefined {
  if (isHeld) return 'held'
  if (quarantined) return lookAlike === undefined ? 'quarantined' : 'collides'
  return enabled === false ? 'disabled' : undefined
}

/** The clearance of a server follows from its possible audience: nobody, its vendor, or anyone. */
function clearanceOf(definition: ServerDefinition): Clearance {
  const { transport, command, sandbox, label } = definition
  const own = later<Level>(LEVELS, 'sensitive', label)
  const isProcess = command !== undefined
  const isSocket = !isProcess && !isRemote(transport)
  // No sandbox of Cordon around these servers, so their data may go anywhere.
  if (isSocket || (isProcess && sandbox.mode === 'none')) return { own, others: 'public' }
  if (isShutIn(definition)) return { own, others: 'sensitive' }
  return { own, others: 'internal' }
}

/** A sandboxed process without any network. */
function isShutIn({ transport, sandbox, allowedDomains }: ServerDefinition): boolean {
  return transport === 'stdio' && sandbox.mode !== 'none' && allowedDomains.length === 0
}

/**
 * The stricter of two definitions of one server, part by part: what the server runs as now, and what its file says after
 * an edit by hand. Whatever the edit forbids is forbidden at once; whatever it allows waits until the definitions are
 * loaded anew, as does everything that is neither stricter nor weaker, such as another program or
 * another credential.
 */
import { type Level, later, LEVELS } from '../../labels/label.ts'
import type {
  SandboxSettings,
  Semantics,
  ServerDefinition,
  ToolOverride,
} from '../../kernel/server-definition.ts'
import { type Role, ROLES } from '../../kernel/tool-facts.ts'
import { overrideOf } from '../tools/override-of.ts'
import { isShutIn } from './judge-effect.ts'

export function stricterDefinition(
  now: ServerDefinition,
  edited: ServerDefinition,
): ServerDefinition {
  const { dangerouslyAllowHttp, ...rest } = now
  const merged: ServerDefinition = {
    ...rest,
    ...(dangerouslyAllowHttp && edited.dangerouslyAllowHttp && { dangerouslyAllowHttp }),
    label: later<Level>(LEVELS, now.label, edited.label),
    enabled: now.enabled && edited.enabled,
    isKnown: now.isKnown === true && edited.isKnown === true,
    allowedDomains: inBoth(now.allowedDomains, edited.allowedDomains),
    sandbox: stricterSandbox(now.sandbox, edited.sandbox),
  }
  const names = new Set([...Object.keys(now.tools), ...Object.keys(edited.tools)])
  const tools = [...names].map((name) => {
    const [a, b] = [overrideOf(now, name) ?? {}, overrideOf(edited, name) ?? {}]
    return [name, stricterTool(a, b, isShutIn(merged))] as const
  })
  return { ...merged, tools: Object.fromEntries(tools) }
}

function stricterSandbox(now: SandboxSettings, edited: SandboxSettings): SandboxSettings {
  return {
    mode: edited.mode === 'bwrap' ? 'bwrap' : now.mode,
    memoryLimitBytes: Math.min(now.memoryLimitBytes, edited.memoryLimitBytes),
    readOnlyFs: now.readOnlyFs || edited.readOnlyFs,
    allowTmp: now.allowTmp && edited.allowTmp,
    ...permissionsOfBoth(now, edited),
    readPaths: inBoth(now.readPaths, edited.readPaths),
    writePaths: inBoth(now.writePaths, edited.writePaths),
  }
}

const PERMISSIONS = ['keepsData', 'startsBrowser', 'watchesOpening', 'ownPorts'] as const

function permissionsOfBoth(
  now: SandboxSettings,
  edited: SandboxSettings,
): Partial<SandboxSettings> {
  const said = PERMISSIONS.filter((name) => now[name] !== undefined)
  return Object.fromEntries(said.map((name) => [name, now[name] === true && edited[name] === true]))
}

function inBoth(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return a.filter((one) => b.includes(one))
}

/** A part that only one of the two allows is left out: without a word of the owner the strict default holds. */
function stricterTool(now: ToolOverride, edited: ToolOverride, shutIn: boolean): ToolOverride {
  const semantics = stricterSemantics(now.semantics, edited.semantics, shutIn)
  const fields = inBoth(now.fields, edited.fields)
  const directory = inBoth(now.directory, edited.directory)
  const { hints: _hints, semantics: _semantics, ...rest } = now
  return {
    ...rest,
    ...(semantics !== undefined && { semantics }),
    ...(now.hints !== undefined && edited.hints !== undefined && { hints: now.hints }),
    ...((now.enabled === false || edited.enabled === false) && { enabled: false }),
    roles: stricterRoles(now.roles, edited.roles),
    fields,
    directory,
  }
}

/** Undefined means destructive, or a read if the sandbox proves that nothing can change. */
function stricterSemantics(
  now: Semantics | undefined,
  edited: Semantics | undefined,
  shutIn: boolean,
): Semantics | undefined {
  const rank = (one: Semantics | undefined): number =>
    RANKS[one ?? (shutIn ? 'read' : 'destructive')]
  return rank(edited) > rank(now) ? edited : now
}

const RANKS: Readonly<Record<Semantics, number>> = { read: 0, write: 1, destructive: 2, exec: 3 }

type Roles = Readonly<Record<string, Role>>

function stricterRoles(now: Roles = {}, edited: Roles = {}): Roles {
  const names = new Set([...Object.keys(now), ...Object.keys(edited)])
  const roles = [...names].flatMap((name): readonly (readonly [string, Role])[] => {
    const [a, b] = [roleIn(now, name), roleIn(edited, name)]
    if (a !== undefined && b !== undefined) return [[name, later(ROLES, a, b)]]
    // Guessed from the schema in one of the two: `content` is the weakest guess, and `locator` the strictest.
    return (a ?? b) === 'content' ? [] : [[name, 'locator']]
  })
  return Object.fromEntries(roles)
}

function roleIn(roles: Roles, name: string): Role | undefined {
  return Object.hasOwn(roles, name) ? roles[name] : undefined
}

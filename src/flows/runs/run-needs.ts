/**
 * The needs of a run, where several kernels share the log: the servers as they were launched when
 * the run was planned, its template, its models, and for files the home whose disk was meant. A kernel that lacks one
 * gives the run back and says what it lacks; it never fails the run, since another kernel may have it.
 */
import { FILES, isBuiltIn, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { Blocked } from '../../kernel/tool-facts.ts'
import { showTool, type ToolId } from '../../kernel/tool-id.ts'
import type { EngineDeps } from '../engine/run-context.ts'
import type { OwnedRun } from './flow-runtime.ts'
import { isSameHome, shownHome } from './name-home.ts'
import type { RunPlan } from './run-plan.ts'

/** Stored as JSON text. A kind that a kernel does not know comes from a newer Cordon, and is not met. */
export type Need =
  | { readonly kind: 'plan'; readonly version: number }
  | { readonly kind: 'tool'; readonly tool: ToolId; readonly pin: string; readonly home: string }
  | { readonly kind: 'model'; readonly tool: string; readonly profile?: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'files'; readonly home: string }

const VERSION = 1

export function needsOf({ nodes, ir, options }: RunPlan, home: string): readonly string[] {
  const tools = ir.nodes.flatMap(({ id, params }): readonly Need[] => {
    const { tool, serverPin = '' } = nodes[id] ?? {}
    if (!tool || tool.server === MEMORY) return []
    if (tool.server === FILES) return [{ kind: 'files', home }]
    if (tool.server === MODEL) return [modelNeed(tool, params['model'])]
    const own: Need = { kind: 'tool', tool, pin: serverPin, home }
    return isOfProject(tool.server) ? [own, { kind: 'files', home }] : [own]
  })
  const { template } = options
  const named: readonly Need[] =
    template === undefined ? [] : [{ kind: 'template', name: template }]
  const needs: readonly Need[] = [{ kind: 'plan', version: VERSION }, ...tools, ...named]
  return [...new Set(needs.map((need) => JSON.stringify(need)))]
}

/**
 * The needs of a run as it is stored. One that an older Cordon stored has none: it counts as planned by the kernel that
 * works on it, since which one planned it is not on record.
 */
export function needsNow(
  { home }: Pick<EngineDeps, 'home'>,
  plan: RunPlan,
  { needs }: Pick<OwnedRun, 'needs'>,
): readonly string[] {
  return needs.length > 0 ? needs : needsOf(plan, home)
}

function modelNeed({ name }: ToolId, model: unknown): Need {
  const isNamed = typeof model === 'string' && !model.includes('${')
  return { kind: 'model', tool: name, ...(isNamed && { profile: model }) }
}

/** A server of a project exists only where the folder of the project is. */
function isOfProject(server: ServerId): boolean {
  return server.includes('~') && !isBuiltIn({ server, name: '' })
}

export interface Lack {
  readonly need: string
  /** For people: `it has no tool github.search`. */
  readonly text: string
}

type LackDeps = Pick<EngineDeps, 'door' | 'template' | 'readiness' | 'home'>

/** The first need that this kernel does not meet. */
export async function findLack(
  deps: LackDeps,
  needs: readonly string[],
  signal: AbortSignal,
): Promise<Lack | undefined> {
  for (const need of needs) {
    const text = await lackOf(deps, JSON.parse(need) as Need, signal)
    if (text !== undefined) return { need, text }
  }
  return undefined
}

async function lackOf(
  deps: LackDeps,
  need: Need,
  signal: AbortSignal,
): Promise<string | undefined> {
  switch (need.kind) {
    case 'plan':
      return need.version > VERSION ? NEWER : undefined
    case 'files':
      return isSameHome(need.home, deps.home)
        ? undefined
        : `the files of the run are at ${shownHome(need.home)}`
    case 'template':
      return await templateLack(deps, need.name)
    case 'model':
      return await unready(deps, MODEL, [need.tool], need.profile)
    case 'tool':
      return await toolLack(deps, need, signal)
    default:
      return NEWER
  }
}

const NEWER = 'a newer Cordon planned the run, and this one is older'

export async function templateLack(
  { template }: Pick<EngineDeps, 'template'>,
  name: string,
): Promise<string | undefined> {
  const found = await template(name).catch(() => undefined)
  return found ? undefined : `it has no template ${JSON.stringify(name)} that can be read`
}

/**
 * The kernel that planned the run goes on with a server that its owner changed since; the policy decides about each call
 * anew. Another kernel needs the very same launch: the same name may be another account there.
 */
async function toolLack(
  deps: LackDeps,
  { tool, pin, home }: Extract<Need, { readonly kind: 'tool' }>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { blocked, serverPin } = await deps.door.servers.know(tool, signal)
  if (blocked) return `${BLOCKED[blocked]} ${showTool(tool)}`
  if (!isSameHome(home, deps.home) && serverPin !== pin) {
    return `its server ${tool.server} is launched in another way, or has other tools`
  }
  return await unready(deps, tool.server, [tool.name])
}

const BLOCKED: Readonly<Record<Blocked, string>> = {
  unknown: 'it has no tool',
  quarantined: 'it has quarantined',
  held: 'it has quarantined the server of',
  collides: 'another tool there has the name of',
  disabled: 'it has switched off',
}

async function unready(
  { readiness }: LackDeps,
  server: ServerId,
  tools: readonly string[],
  profile?: string,
): Promise<string | undefined> {
  const used = { tools, ...(profile !== undefined && { profile }) }
  return (await readiness?.(server, used))?.message
}

/**
 * From a stored credential to a server that was seen to work: install, write the definition, start, test. The server that
 * ran with an older credential is ended before the new one is tried.
 */
import { randomUUID } from 'node:crypto'
import type { InstalledPackage, InstallProgress } from '../kernel/catalog-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { Service } from '../kernel/service-facts.ts'
import type { DefinitionPlan, Flow, WorkResult } from './flow.ts'
import { foreignText } from './foreign-text.ts'
import { isRefusal, judgeAnswer } from './judge-answer.ts'
import { describePackage } from './package-facts.ts'
import { planDefinition } from './plan-definition.ts'
import { withProgress } from './progress.ts'
import type { SetupRooms } from './setup-rooms.ts'

interface PrepareContext {
  readonly voice: { say(text: string): void }
  /** The package, where it was fetched before. */
  readonly installed: InstalledPackage | undefined
}

export async function prepare(
  rooms: SetupRooms,
  flow: Flow,
  { voice, installed: early }: PrepareContext,
  signal: AbortSignal,
): Promise<WorkResult> {
  const get = (step: InstallProgress) => install(rooms, flow, step, signal)
  const installed = early ?? (await withProgress(rooms.sleep, voice, get))
  const plan = await planNow(rooms.definitions, flow, installed)
  const facts = installed && foreignLines(describePackage(installed, rooms.now()), rooms)
  return { kind: 'prepared', plan, ...(facts !== undefined && { facts }) }
}

async function planNow(
  definitions: SetupRooms['definitions'],
  flow: Flow,
  installed: InstalledPackage | undefined,
): Promise<DefinitionPlan> {
  const { servers } = await definitions.load(flow.principal)
  const existing = servers.find(({ definition }) => definition.id === flow.service.slug)
  return planDefinition(flow, installed, existing)
}

/** Undefined for a service without a package. */
export async function install(
  { packages }: SetupRooms,
  { service: { slug, launch }, isOwn }: Flow,
  progress: InstallProgress,
  signal: AbortSignal,
): Promise<InstalledPackage | undefined> {
  const isPackage = launch.kind === 'npm' || launch.kind === 'http'
  return isOwn || !isPackage ? undefined : await packages.install(slug, launch, progress, signal)
}

export async function connectServer(
  rooms: SetupRooms,
  flow: Flow,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { principal, service, plan } = flow
  await haltServer(rooms, flow)
  if (plan) await write(rooms, flow, plan)
  signal.throwIfAborted()
  await rooms.servers.refresh(principal)
  try {
    await rooms.servers.start(principal, service.slug, signal)
  } catch (error) {
    return startFailure(rooms, error)
  }
  const tools = await rooms.servers.tools(principal, service.slug)
  return { kind: 'started', tools: tools.length }
}

export async function verifyServer(
  rooms: SetupRooms,
  { principal, service }: Flow,
  signal: AbortSignal,
): Promise<WorkResult> {
  const test = safeCall(service, await rooms.servers.tools(principal, service.slug))
  if (!test) return { kind: 'verified', isCertain: false }
  const result = await rooms.callTool(
    {
      callId: randomUUID(),
      principal: { kind: 'owner', id: principal },
      tool: { server: service.slug, name: test.tool },
      args: test.args,
    },
    signal,
  )
  if (result.kind === 'refused') return { kind: 'verified', isCertain: false }
  const judgement = judgeAnswer(result)
  if (judgement.kind === 'good') return { kind: 'verified', isCertain: true }
  // A tool that was only guessed to be a test proves nothing by failing.
  if (judgement.kind === 'failed' && !service.verify) return { kind: 'verified', isCertain: false }
  return { kind: judgement.kind, reason: foreignText(judgement.reason, rooms.redactor) }
}

/** Where no such server is known there is nothing to end. */
export async function haltServer({ servers }: SetupRooms, flow: Flow): Promise<void> {
  try {
    await servers.stop(flow.principal, flow.service.slug)
  } catch (error) {
    if (!(error instanceof CordonError && error.code === 'servers.unknown')) throw error
  }
}

/** As it was before the flow. Doing it twice does no harm, so a restart may do it again. */
export async function undoDefinition(rooms: SetupRooms, flow: Flow): Promise<void> {
  const { definitions, servers } = rooms
  const { principal, service, plan } = flow
  const undo = plan?.undo ?? { kind: 'none' }
  if (undo.kind === 'none') return
  if (await isDefined(rooms, flow)) {
    if (undo.kind === 'remove') {
      await definitions.remove(principal, service.slug, { keepSecrets: true })
    } else {
      await definitions.edit(principal, service.slug, undo.changes)
    }
  }
  await servers.refresh(principal)
}

async function write(rooms: SetupRooms, flow: Flow, plan: DefinitionPlan): Promise<void> {
  const { principal, service } = flow
  if (plan.write === 'none') return
  const change = plan.write === 'add' ? rooms.definitions.add : rooms.definitions.edit
  await change(principal, service.slug, plan.changes)
}

async function isDefined({ definitions }: SetupRooms, flow: Flow): Promise<boolean> {
  const { servers } = await definitions.load(flow.principal)
  const { slug } = flow.service
  return servers.some(({ definition, scope }) => definition.id === slug && scope === 'user')
}

/** The catalog's own test, or a tool the catalog calls a read and that needs no arguments; never a server's word. */
function safeCall(
  { verify, tools: overrides }: Service,
  tools: readonly ToolDescription[],
): Service['verify'] {
  if (verify) return tools.some(({ name }) => name === verify.tool) ? verify : undefined
  const tool = tools.find(
    ({ name, inputSchema }) =>
      Object.hasOwn(overrides, name) &&
      overrides[name]?.semantics === 'read' &&
      [inputSchema['required'] ?? []].flat().length === 0,
  )
  return tool && { tool: tool.name, args: {} }
}

/** The credential is void, and only the person can give another one. */
const UNAUTHORIZED: ReadonlySet<string> = new Set([
  'servers.unauthorized',
  'setup.needs-authorization',
  'setup.token-damaged',
  'vault.expired',
])

/** A server that refuses the credential when it is started needs another one; any other failure does not. */
function startFailure({ redactor }: SetupRooms, error: unknown): WorkResult {
  if (!(error instanceof CordonError)) throw error
  const why = error.message.replace(/^Cannot [^:]*: /, '')
  const isUnauthorized = UNAUTHORIZED.has(error.code) || isRefusal(error.message)
  return isUnauthorized
    ? { kind: 'unauthorized', reason: foreignText(why, redactor) }
    : { kind: 'failed', reason: foreignText(`${why}. ${error.hint}`, redactor) }
}

function foreignLines(text: string, { redactor }: SetupRooms): string {
  return text
    .split('\n')
    .map((line) => `${foreignText(line, redactor)}.`)
    .join('\n')
}

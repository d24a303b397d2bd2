/**
 * From a stored credential to a tested server: install, write the definition, start, test. A server that runs with an
 * older credential is stopped before the new one is tried.
 */
import { randomUUID } from 'node:crypto'
import type { InstalledPackage, InstallProgress } from '../../kernel/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { Service } from '../../kernel/service-facts.ts'
import type { DefinitionPlan, Connection, WorkResult } from '../connection/connection.ts'
import { foreignText } from '../message/foreign-text.ts'
import { isCredentialRefused, isRefusal, judgeAnswer } from './judge-answer.ts'
import { describePackage } from './describe-package.ts'
import { planDefinition } from './plan-definition.ts'
import { withProgress } from '../connection/with-progress.ts'
import type { SetupDeps } from '../setup-deps.ts'

interface PrepareContext {
  readonly transcript: { say(text: string): void }
  /** The package, if it was prefetched. */
  readonly installed: InstalledPackage | undefined
}

export async function prepare(
  deps: SetupDeps,
  connection: Connection,
  { transcript, installed: early }: PrepareContext,
  signal: AbortSignal,
): Promise<WorkResult> {
  const get = (step: InstallProgress) => install(deps, connection, step, signal)
  const installed = early ?? (await withProgress(deps.sleep, transcript, get))
  const plan = await planNow(deps.definitions, connection, installed)
  const facts = installed && foreignLines(describePackage(installed, deps.now()), deps)
  return { kind: 'prepared', plan, ...(facts !== undefined && { facts }) }
}

async function planNow(
  definitions: SetupDeps['definitions'],
  connection: Connection,
  installed: InstalledPackage | undefined,
): Promise<DefinitionPlan> {
  const { servers } = await definitions.load()
  const existing = servers.find(({ definition }) => definition.id === connection.service.slug)
  return planDefinition(connection, installed, existing)
}

/** Undefined if the service needs no package. */
export async function install(
  { packages }: SetupDeps,
  { service: { slug, launch }, isOwn }: Connection,
  progress: InstallProgress,
  signal: AbortSignal,
): Promise<InstalledPackage | undefined> {
  const isPackage = launch.kind === 'npm' || launch.kind === 'http'
  return isOwn || !isPackage ? undefined : await packages.install(slug, launch, progress, signal)
}

export async function connectServer(
  deps: SetupDeps,
  connection: Connection,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { service, plan } = connection
  await haltServer(deps, connection)
  if (plan) await write(deps, connection, plan)
  signal.throwIfAborted()
  await deps.servers.refresh()
  try {
    await deps.servers.start(service.slug, signal)
  } catch (error) {
    return startFailure(deps, error)
  }
  const tools = await deps.servers.tools(service.slug)
  return { kind: 'started', tools: tools.length }
}

export async function verifyServer(
  deps: SetupDeps,
  { service }: Connection,
  signal: AbortSignal,
): Promise<WorkResult> {
  const test = safeCall(service, await deps.servers.tools(service.slug))
  if (!test) return { kind: 'verified', isCertain: false }
  const result = await deps.callTool(
    {
      callId: randomUUID(),
      principal: deps.owner,
      tool: { server: service.slug, name: test.tool },
      args: test.args,
    },
    signal,
  )
  if (result.kind === 'refused') return { kind: 'verified', isCertain: false }
  const judgement = judgeAnswer(result)
  if (judgement.kind === 'good') return { kind: 'verified', isCertain: true }
  // A guessed test, which is not the catalog's own, proves nothing by failing.
  if (judgement.kind === 'failed' && !service.verify) return { kind: 'verified', isCertain: false }
  const hint = result.kind === 'failed' && result.hint !== undefined ? `. ${result.hint}` : ''
  return { kind: judgement.kind, reason: foreignText(judgement.reason + hint, deps.redactor) }
}

/** An unknown server counts as stopped. */
export async function haltServer({ servers }: SetupDeps, connection: Connection): Promise<void> {
  try {
    await servers.stop(connection.service.slug)
  } catch (error) {
    if (!(error instanceof CordonError && error.code === 'servers.unknown')) throw error
  }
}

/** Restores the definition from before the connection. Idempotent, so a restart may repeat it. */
export async function undoDefinition(deps: SetupDeps, connection: Connection): Promise<void> {
  const { definitions, servers } = deps
  const { service, plan } = connection
  const undo = plan?.undo ?? { kind: 'none' }
  if (undo.kind === 'none') return
  if (await isDefined(deps, connection)) {
    if (undo.kind === 'remove') {
      await definitions.remove(service.slug, { keepSecrets: true })
    } else {
      await definitions.edit(service.slug, undo.changes)
    }
  }
  await servers.refresh()
}

async function write(deps: SetupDeps, connection: Connection, plan: DefinitionPlan): Promise<void> {
  if (plan.write === 'none') return
  const change = plan.write === 'add' ? deps.definitions.add : deps.definitions.edit
  await change(connection.service.slug, plan.changes)
}

async function isDefined({ definitions }: SetupDeps, connection: Connection): Promise<boolean> {
  const { servers } = await definitions.load()
  const { slug } = connection.service
  return servers.some(({ definition, scope }) => definition.id === slug && scope === 'user')
}

/** The catalog's own test, or a tool without required arguments that the catalog, never the server, calls a read. */
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

/** Tells a refused credential, for which another one is asked, from any other failure to start. */
function startFailure({ redactor }: SetupDeps, error: unknown): WorkResult {
  if (!(error instanceof CordonError)) throw error
  const { code, hint, message, why = message } = error
  // A server that exited has written the reason as text; Cordon's other errors tell it by their code.
  const isUnauthorized = code === 'servers.start' ? isRefusal(why) : isCredentialRefused(code)
  return isUnauthorized
    ? { kind: 'unauthorized', reason: foreignText(why, redactor) }
    : { kind: 'failed', reason: foreignText(`${why}. ${hint}`, redactor) }
}

function foreignLines(text: string, { redactor }: SetupDeps): string {
  return text
    .split('\n')
    .map((line) => `${foreignText(line, redactor)}.`)
    .join('\n')
}

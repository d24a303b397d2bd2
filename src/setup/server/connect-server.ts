/**
 * From a stored credential to a tested server: install, write the definition, start, test. A server that runs with an
 * older credential is stopped before the new one is tried.
 */
import { randomUUID } from 'node:crypto'
import type { InstalledPackage, InstallProgress } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { OwnResult } from '../../kernel/own-call.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { Service } from '../../ports/service-facts.ts'
import type { DefinitionPlan, Connection, WorkResult } from '../connection/connection.ts'
import { foreignText } from '../message/foreign-text.ts'
import { knownSlug } from '../resolve/account.ts'
import { isKept } from '../connection/connection-steps.ts'
import { hideCredentials } from '../../text/hide-credentials.ts'
import { holdsKnownToken } from '../../text/looks-secret.ts'
import { isCredentialRefused, isRefusal, judgeAnswer } from './judge-answer.ts'
import { blockedHosts, findRemedy } from './find-remedy.ts'
import { describePackage } from './describe-package.ts'
import { identifyBy } from './identify.ts'
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
  const facts =
    installed &&
    foreignLines(describePackage(installed, connection.service.source, deps.now()), deps)
  return { kind: 'prepared', plan, ...(facts !== undefined && { facts }) }
}

async function planNow(
  definitions: SetupDeps['definitions'],
  connection: Connection,
  installed: InstalledPackage | undefined,
): Promise<DefinitionPlan> {
  const { servers } = await definitions.load()
  const existing = servers.find(({ definition }) => definition.id === connection.service.slug)
  const plan = planDefinition(connection, installed, existing)
  const named = installed?.namedSettings
  return { ...plan, ...(named && { named }) }
}

/** Undefined if the service needs no package. */
export async function install(
  { packages }: SetupDeps,
  { service, isOwn }: Connection,
  progress: InstallProgress,
  signal: AbortSignal,
): Promise<InstalledPackage | undefined> {
  const { launch } = service
  if (isOwn || launch.kind === 'remote' || launch.kind === 'unsupported') return undefined
  return await packages.install(knownSlug(service), launch, progress, signal)
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
    return await startFailure(deps, connection, error)
  }
  const tools = await deps.servers.tools(service.slug)
  return { kind: 'started', tools: tools.length }
}

export async function verifyServer(
  deps: SetupDeps,
  connection: Connection,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { service } = connection
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
  if (judgement.kind === 'good') return await verified(deps, service, result)
  // A guessed test, which is not the catalog's own, proves nothing by failing.
  if (judgement.kind === 'failed' && !service.verify) return { kind: 'verified', isCertain: false }
  const hint = result.kind === 'failed' && result.hint !== undefined ? `. ${result.hint}` : ''
  const reason = foreignText(judgement.reason + hint, deps.redactor)
  if (judgement.kind === 'unauthorized') return { kind: 'unauthorized', reason }
  const hosts = await blockedHosts(deps, connection)
  return { kind: 'failed', reason, ...(hosts.length > 0 && { remedy: { kind: 'hosts', hosts } }) }
}

async function verified(deps: SetupDeps, service: Service, result: OwnResult): Promise<WorkResult> {
  const identity = await identifyBy(deps, service, result)
  return { kind: 'verified', isCertain: true, ...(identity && { identity }) }
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

/** Leaves a definition that did not work there, disabled, for the person to change; see `isKept`. Idempotent. */
export async function keepDefinition(deps: SetupDeps, connection: Connection): Promise<void> {
  const { service, plan, state } = connection
  if (!plan || !isKept(plan)) return await undoDefinition(deps, connection)
  if (await isDefined(deps, connection)) {
    const reason = state.kind === 'failed' ? state.reason : 'it could not be connected'
    // A file with a token in it would not load; the reason may quote a token that Cordon does not hold.
    const disabledReason = holdsKnownToken(reason) ? hideCredentials(reason) : reason
    await deps.definitions.edit(service.slug, { enabled: false, disabledReason })
  }
  await deps.servers.refresh()
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
async function startFailure(
  deps: SetupDeps,
  connection: Connection,
  error: unknown,
): Promise<WorkResult> {
  if (!(error instanceof CordonError)) throw error
  const { code, hint, message, why } = error
  // A server that exited has written the reason as text; Cordon's other errors tell it by their code.
  const isUnauthorized = code === 'servers.start' ? isRefusal(why ?? '') : isCredentialRefused(code)
  const remedy = await findRemedy(deps, connection, error)
  const isSetting = remedy?.kind === 'setting' // a token that was never given cannot be refused
  if (isUnauthorized && !isSetting) {
    return { kind: 'unauthorized', reason: foreignText(why ?? message, deps.redactor) }
  }
  const reason = foreignText(why ?? `${message}. ${hint}`, deps.redactor)
  return { kind: 'failed', reason, ...(remedy && { remedy }) }
}

function foreignLines(text: string, { redactor }: SetupDeps): string {
  return text
    .split('\n')
    .map((line) => `${foreignText(line, redactor)}.`)
    .join('\n')
}

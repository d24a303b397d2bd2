/**
 * One tool call on one server, downward: get the server, find the tool, check the arguments, call, check the answer.
 * Whether the call is allowed was decided before. A quarantined tool is refused here as well: the server may have
 * started only now, with a changed tool.
 */
import { callFailed, type FailedCall, ownFailure } from '../../kernel/call-failure.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../text/json.ts'
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'
import type { ToolCall, ToolResult } from '../../kernel/tool-call.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { SUBSCRIBE_RESOURCE } from '../../text/feature-names.ts'
import { cleanText } from '../session/clean-text.ts'
import { asToolAnswer } from '../session/feature-tools.ts'
import { explainCall } from '../session/explain-call.ts'
import { ConnectionLost, isConnectionLost, ServerFailure } from '../session/failure.ts'
import { callMsOf, type Session } from '../session/open-session.ts'
import type { SchemaChecker } from '../session/schema-checker.ts'
import type { ProgressNumbers } from '../../text/call-progress.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import { progressNumbers, progressText } from '../session/progress-text.ts'
import { readAnswer, type ToolAnswer, unreadable } from '../session/tool-answer.ts'
import { jsonIn } from '../tools/json-in.ts'
import { plausibleFields } from '../tools/learn-fields.ts'
import { overrideOf } from '../tools/override-of.ts'
import { labelAnswer } from '../tools/output-labels.ts'
import { argumentMisfit } from './argument-misfit.ts'
import type { ManifestTool } from './manifest.ts'
import { ownPortHint } from './own-port-hint.ts'
import type { ServerLife } from './server-life.ts'

const MAX_PROBLEM = 300
const MOST_HOSTS = 5

export interface CallDeps {
  readonly checker: SchemaChecker
  readonly redact: (text: string) => string
  /** Shows one line about the progress of a call. */
  readonly onProgress?:
    | ((callId: string, text: string, numbers?: ProgressNumbers) => void)
    | undefined
  readonly callMs: number
  /** The declared scopes that the server's token lacks. Absent: none is compared. */
  readonly missingScopes?: (definition: ServerDefinition) => Promise<readonly string[]>
}

export async function runCall(
  deps: CallDeps,
  server: ServerLife,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const override = overrideOf(server.definition, call.tool.name)
  if (override?.enabled === false) return refused(call, 'is switched off by its owner')
  const needsScopes = server.definition.scopes.length > 0
  const lacking = needsScopes ? await scopeFailure(deps, server.definition) : undefined
  if (lacking) return lacking
  server.usage.beginCall()
  const { blocks } = server.ring
  try {
    return withHosts(await attempt(deps, server, call, signal), server, blocks)
  } catch (error) {
    // Retried only if the tool is declared a read, so that a second call does no harm.
    const again = isConnectionLost(error) && override?.semantics === 'read' && !signal.aborted
    const second = again ? attempt(deps, server, call, signal) : Promise.reject(error)
    const result = second.catch((last: unknown) => explain(last, deps, server, signal))
    return withHosts(await result, server, blocks)
  } finally {
    server.usage.endCall()
  }
}

/** Before anything is sent, where the token of a sign-in lacks what its server's definition says it needs. */
async function scopeFailure(
  { missingScopes }: CallDeps,
  definition: ServerDefinition,
): Promise<FailedCall | undefined> {
  const missing = (await missingScopes?.(definition)) ?? []
  if (missing.length === 0) return undefined
  const { id } = definition
  return {
    kind: 'failed',
    code: 'setup.scope',
    reason: `${JSON.stringify(id)} needs the permission ${missing.join(', ')}, which was not granted`,
    hint: `Run \`cordon connect ${id}\` to sign in again`,
  }
}

/** A call that failed while its server was kept from hosts; several calls at once share what the server tried. */
function withHosts(
  result: ToolResult,
  { id, ring, definition }: ServerLife,
  blocks: number,
): ToolResult {
  const blockedHosts =
    result.kind === 'failed' ? ring.blockedAfter(blocks).slice(0, MOST_HOSTS) : []
  if (result.kind !== 'failed') return result
  if (blockedHosts.length === 0) return withOwnPorts(result, definition)
  const allow = `Let ${id} reach ${blockedHosts.join(', ')} with \`cordon notices allow ${id}:blocked\`, if you trust it with whatever it is given`
  return { hint: allow, ...result, blockedHosts }
}

function withOwnPorts(result: FailedCall, definition: ServerDefinition): FailedCall {
  const hint = ownPortHint(definition, result.reason)
  return hint === undefined ? result : { hint, ...result }
}

async function attempt(
  deps: CallDeps,
  server: ServerLife,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found = sessionFor(server, signal)
  const session = found instanceof Promise ? await found : found
  server.usage.beginWork()
  try {
    const tool = server.tools.find(call.tool.name)
    if (!tool) return unknown(call)
    if (tool.isHeld) return refused(call, 'is quarantined by its owner')
    if (tool.quarantined)
      return refused(call, 'is not as its owner last saw it; it waits for approval')
    const misfit = argumentMisfit(deps, tool, call)
    const reason = misfit instanceof Promise ? await misfit : misfit
    if (reason !== undefined) return { kind: 'refused', rule: 'tool.arguments', reason }
    return await callAndCheck(deps, { session, tool, server }, call, signal)
  } finally {
    server.usage.endWork()
  }
}

function sessionFor(server: ServerLife, signal: AbortSignal): Session | Promise<Session> {
  const { session } = server
  if (!session) return server.ready(signal)
  const hasLost = session.hasLostPlaces()
  return hasLost === false ? session : renewedIf(hasLost, session, server, signal)
}

/** A server that was shown a folder which is gone or another one by now is started anew, with what is there. */
async function renewedIf(
  hasLost: true | Promise<boolean>,
  session: Session,
  server: ServerLife,
  signal: AbortSignal,
): Promise<Session> {
  if (!(await hasLost)) return session
  if (server.session === session) await server.renew()
  return await server.ready(signal)
}

function unknown({ tool }: ToolCall): FailedCall {
  const reason = `There is no tool ${JSON.stringify(showTool(tool))}`
  return ownFailure(callFailed('call.unknown', reason))
}

type Answer = Extract<ToolAnswer, { readonly kind: 'ok' }>

interface Target {
  readonly session: Session
  readonly tool: ManifestTool
  readonly server: ServerLife
}

async function callAndCheck(
  deps: CallDeps,
  { session, tool, server }: Target,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const raw = await rawAnswer({ session, tool, server }, call, signal, progressOf(deps, call))
  const answer = readAnswer(raw, deps.redact)
  if (answer.kind === 'failed') return answer
  const odd = oddity(deps.checker, tool, answer)
  const problem = odd instanceof Promise ? await odd : odd
  if (problem) return misfits(deps, 'The answer of the server does not fit its own schema', problem)
  return labelled(deps, { tool, server }, call, { raw, answer })
}

function labelled(
  deps: CallDeps,
  { tool, server }: Pick<Target, 'tool' | 'server'>,
  { callId }: ToolCall,
  { raw, answer: { value, structured, ...more } }: { readonly raw: Json; readonly answer: Answer },
): ToolResult {
  const own = overrideOf(server.definition, tool.name)
  const read = structured ? value : readText(deps, own, value)
  const { fields = [], directory = [] } = (read !== undefined && own) || {}
  const labels = labelAnswer({
    label: server.label,
    raw,
    fields: read === undefined ? fields : [...fields, ...learnedIn(read, tool)],
    directory,
    from: { kind: 'tool', server: server.id, tool: tool.name, callId },
  })
  return { ...more, value: read ?? value, label: labels.label, labels }
}

/** A server may report thousands a second: the first few steps are told as they come, later ones as fast as a person reads. */
const PROGRESS = { atOnce: 20, perSecond: 10 }

function progressOf(
  { onProgress, redact }: CallDeps,
  { callId }: ToolCall,
): ((params: unknown) => void) | undefined {
  const mayTell = createRateLimit(PROGRESS)
  return (
    onProgress &&
    ((params) => {
      if (!mayTell()) return
      const text = progressText(params, redact) ?? ''
      const numbers = progressNumbers(params)
      if (text !== '' || numbers) onProgress(callId, text, numbers)
    })
  )
}

async function rawAnswer(
  { session, tool, server }: Target,
  { args, trace, callId }: ToolCall,
  signal: AbortSignal,
  onProgress: ((params: unknown) => void) | undefined,
): Promise<Json> {
  try {
    if (tool.name === SUBSCRIBE_RESOURCE) {
      const answer = await server.features.subscribe(session, args['uri'] as string, signal)
      return asToolAnswer(tool.name, answer)
    }
    return asToolAnswer(
      tool.name,
      await session.call(tool.raw, args, signal, { callId, onProgress, trace }),
    )
  } catch (error) {
    throw isConnectionLost(error) ? new ConnectionLost(await session.ended) : error
  }
}

/** Only of an answer that the tool's own schema describes, and only while each value looks like an id. */
function learnedIn(value: Json, { learned }: ManifestTool): readonly string[] {
  return learned.length === 0 ? learned : plausibleFields(value, learned)
}

/** Parses a text answer as JSON, if the catalog or the owner declared that the tool answers so. */
function readText(
  { redact }: CallDeps,
  own: ToolOverride | undefined,
  content: Json,
): Json | undefined {
  return own?.answers === 'json' ? jsonIn(content, redact) : undefined
}

function oddity(
  checker: SchemaChecker,
  { outputSchema }: ManifestTool,
  { value, structured }: Answer,
): string | undefined | Promise<string | undefined> {
  if (!outputSchema) return undefined
  return structured ? checker.check(outputSchema, value) : 'structured content is missing'
}

function misfits({ redact }: CallDeps, what: string, problem: string): ToolResult {
  return unreadable(`${what}: ${cleanText(problem, redact, MAX_PROBLEM)}`)
}

function refused({ tool }: ToolCall, why: string): ToolResult {
  return { kind: 'refused', reason: `Tool ${JSON.stringify(showTool(tool))} ${why}` }
}

function explain(
  error: unknown,
  deps: CallDeps,
  server: ServerLife,
  signal: AbortSignal,
): FailedCall {
  if (error instanceof CordonError) {
    const { code, message: reason, hint } = error
    return { kind: 'failed', code, reason, hint }
  }
  if (!(error instanceof ServerFailure)) {
    const { redact } = deps
    const callMs = callMsOf(server.definition, deps)
    return explainCall(error, { redact, callMs, id: server.id }, signal)
  }
  const reason = `Server ${JSON.stringify(server.id)} is not available: it ${error.message}`
  return callFailed('call.unavailable', reason)
}

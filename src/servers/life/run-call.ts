/**
 * One tool call on one server, downward: get the server, find the tool, check the arguments, call, check the answer.
 * Whether the call is allowed was decided before. A quarantined tool is refused here as well: the server may have
 * started only now, with a changed tool.
 */
import { callFailed, type FailedCall } from '../../kernel/call-failure.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../text/json.ts'
import type { ToolOverride } from '../../kernel/server-definition.ts'
import type { ToolCall, ToolResult } from '../../kernel/tool-call.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { cleanText } from '../session/clean-text.ts'
import { ConnectionLost, explainCall, isConnectionLost, ServerFailure } from '../session/failure.ts'
import type { Session } from '../session/open-session.ts'
import type { SchemaChecker } from '../session/schema-checker.ts'
import { readAnswer, unreadable } from '../session/tool-answer.ts'
import { jsonIn } from '../tools/json-in.ts'
import { plausibleFields } from '../tools/learn-fields.ts'
import { overrideOf } from '../tools/override-of.ts'
import { labelAnswer } from '../tools/output-labels.ts'
import { argumentMisfit } from './argument-misfit.ts'
import type { ManifestTool } from './manifest.ts'
import type { ServerLife } from './server-life.ts'

const MAX_PROBLEM = 300

export interface CallDeps {
  readonly checker: SchemaChecker
  readonly redact: (text: string) => string
  readonly callMs: number
}

export async function runCall(
  deps: CallDeps,
  server: ServerLife,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const override = overrideOf(server.definition, call.tool.name)
  if (override?.enabled === false) return refused(call, 'is switched off by its owner')
  server.usage.beginCall()
  try {
    return await attempt(deps, server, call, signal)
  } catch (error) {
    // Retried only if the tool is declared a read, so that a second call does no harm.
    const again = isConnectionLost(error) && override?.semantics === 'read' && !signal.aborted
    if (!again) return explain(error, deps, server, signal)
    return await attempt(deps, server, call, signal).catch((second: unknown) =>
      explain(second, deps, server, signal),
    )
  } finally {
    server.usage.endCall()
  }
}

async function attempt(
  deps: CallDeps,
  server: ServerLife,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const session = server.session ?? (await server.ready(signal))
  server.usage.beginWork()
  try {
    const tool = server.tools.find(call.tool.name)
    if (!tool) {
      return callFailed('call.unknown', `There is no tool ${JSON.stringify(showTool(call.tool))}`)
    }
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
  const raw = await rawAnswer(session, tool, call, signal)
  const answer = readAnswer(raw, deps.redact)
  if (answer.kind === 'failed') return answer
  const { value, structured } = answer
  const problem = await oddity(deps.checker, tool, value, structured)
  if (problem) return misfits(deps, 'The answer of the server does not fit its own schema', problem)
  const own = overrideOf(server.definition, tool.name)
  const read = structured ? value : readText(deps, own, value)
  const { fields = [], directory = [] } = (read !== undefined && own) || {}
  const labels = labelAnswer({
    label: server.label,
    raw,
    fields: read === undefined ? fields : [...fields, ...learnedIn(read, tool)],
    directory,
    from: { kind: 'tool', server: server.id, tool: tool.name, callId: call.callId },
  })
  return { kind: 'ok', value: read ?? value, label: labels.label, labels }
}

async function rawAnswer(
  session: Session,
  tool: ManifestTool,
  call: ToolCall,
  signal: AbortSignal,
): Promise<Json> {
  try {
    return await session.call(tool.raw, call.args, signal)
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
  value: Json,
  structured: boolean,
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
  if (!(error instanceof ServerFailure)) return explainCall(error, deps, signal)
  const reason = `Server ${JSON.stringify(server.id)} is not available: it ${error.message}`
  return callFailed('call.unavailable', reason)
}

/**
 * The one door: every tool call of every caller passes here, and nothing calls a server any other way.
 * The order of the lines is the security argument: decide, write it down, ask, call, close the record.
 */
import type { Approvals, Audit, Policy, Servers } from './ports.ts'
import type { ToolCall, ToolResult } from './tool-call.ts'

interface Rooms {
  readonly policy: Policy
  readonly audit: Audit
  readonly approvals: Approvals
  readonly servers: Servers
}

export async function callTool(
  rooms: Rooms,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const verdict = rooms.policy.decide(call)
  await using entry = await rooms.audit.begin(call, verdict, rooms.servers.effectOf(call.tool))
  if (verdict.kind === 'deny') return await entry.end({ kind: 'refused', reason: verdict.reason })
  if (verdict.kind === 'ask' && !(await rooms.approvals.ask(call, verdict.reason, signal))) {
    return await entry.end({ kind: 'refused', reason: 'The owner did not approve it' })
  }
  return await entry.end(await rooms.servers.call(call, signal))
}

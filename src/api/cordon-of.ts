/** The word for what stands between a server and this machine. Pure. */
import type { ServerDefinition } from '../kernel/server-definition.ts'

export function cordonOf({ transport, command, sandbox }: ServerDefinition): string {
  if (command !== undefined) return sandbox.mode
  return transport === 'uds' || transport === 'pipe' ? 'socket' : 'remote'
}

/**
 * What the calls of a server's tool may do. Proof comes from the sandbox: without a network and without a writable path
 * nothing outside can change. Beyond that only the owner's word counts; what the server says of itself does not.
 */
import type { Effect } from '../../kernel/effect.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'

export function effectOf(definition: ServerDefinition, tool: string): Effect {
  const { tools } = definition
  const said = Object.hasOwn(tools, tool) ? tools[tool]?.semantics : undefined
  if (said === 'write') return 'write'
  if (isShutIn(definition)) return 'local-read'
  return said === 'read' ? 'remote-read' : 'write'
}

function isShutIn({ transport, sandbox, allowedDomains }: ServerDefinition): boolean {
  return (
    transport === 'stdio' &&
    sandbox.mode === 'bwrap' &&
    allowedDomains.length === 0 &&
    sandbox.writePaths.length === 0
  )
}

/** For tests: what the host knows of a tool that writes and that somebody vouches for, with what a test wishes otherwise. */
import { parseServerId } from './server-id.ts'
import type { ToolFacts } from './tool-facts.ts'

export function factsOf(wishes: Partial<ToolFacts> = {}): ToolFacts {
  return {
    id: { server: parseServerId('mail'), name: 'send' },
    serverName: 'Mail',
    effect: 'write',
    roles: new Map(),
    clearance: { own: 'sensitive', others: 'internal' },
    hash: 'h',
    serverPin: 'p',
    isVouchedFor: true,
    ...wishes,
  }
}

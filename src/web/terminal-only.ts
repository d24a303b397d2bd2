/** What a browser must not do, also one that is signed in: let others in, bring programs in, or say yes beforehand. */
import type { Route } from '../kernel/api.ts'

const ROUTES: ReadonlySet<string> = new Set<Route>([
  'page.link',
  // What brings programs in from outside, or lets one run without a sandbox.
  'mcp.migrate',
  'mcp.trust',
  'mcp.unsandbox',
  // What goes on in nobody's presence.
  'flows.schedule',
])

export function isTerminalRoute(route: string): boolean {
  return ROUTES.has(route)
}

/**
 * A yes that comes with the call was typed with the command, and the folder whose files a flow may use is the one a
 * person stands in. A page has neither.
 */
export function isTerminalInput(route: string, input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  if ('approval' in input && input.approval === 'given') return true
  return route === 'flows.start' && 'folder' in input
}

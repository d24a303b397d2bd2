/**
 * Remembers which tools of a service were refused for want of a scope (403 `insufficient_scope`), so that the next call
 * of such a tool fails before it is sent. Kept in memory, and only for the token that was refused: a new sign-in or a
 * renewed token is tried again.
 */

export interface ScopeRefusals {
  remember(token: RefusedToken, tool: string, scope: string): void
  /** The scope that this token lacks for the tool, as far as it is known. */
  find(token: RefusedToken, tool: string): string | undefined
}

interface RefusedToken {
  readonly name: string
  readonly hash: string
}

const MOST_TOOLS = 1000

export function createScopeRefusals(): ScopeRefusals {
  const known = new Map<string, { readonly hash: string; readonly tools: Map<string, string> }>()
  return {
    remember({ name, hash }, tool, scope) {
      const before = known.get(name)
      const tools = before?.hash === hash ? before.tools : new Map<string, string>()
      if (tools.size < MOST_TOOLS) tools.set(tool, scope)
      known.set(name, { hash, tools })
    },
    find({ name, hash }, tool) {
      const found = known.get(name)
      return found?.hash === hash ? found.tools.get(tool) : undefined
    },
  }
}

/** The tool that a request calls; undefined for every other request. */
export function calledTool(body: unknown): string | undefined {
  if (typeof body !== 'string' || !body.includes('tools/call')) return undefined
  try {
    const message = JSON.parse(body) as { method?: unknown; params?: { name?: unknown } }
    const name = message.method === 'tools/call' ? message.params?.name : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

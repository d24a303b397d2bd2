/** Definition, state and tools of a server, with defaults for the fields that a test does not care about. */
import type { DefinitionChanges } from '../../src/kernel/definition-change.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseSecretRef } from '../../src/kernel/secret-ref.ts'
import type { LoadedDefinition, SandboxSettings } from '../../src/kernel/server-definition.ts'
import type { ServerId } from '../../src/kernel/server-id.ts'
import type { ServerState, ToolDescription } from '../../src/kernel/server-state.ts'

const SANDBOX: SandboxSettings = {
  mode: 'bwrap',
  memoryLimitBytes: 2 ** 28,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
}

export function loadedOf(id: ServerId, changes: DefinitionChanges): LoadedDefinition {
  const { name = id, transport = 'stdio', args = [], allowedDomains = [] } = changes
  const { enabled = true, env = {} } = changes
  const given = Object.entries(changes).filter(([key]) =>
    ['command', 'url', 'version', 'package', 'disabledReason', 'source'].includes(key),
  )
  type Launch = Pick<
    DefinitionChanges,
    'command' | 'url' | 'version' | 'package' | 'disabledReason' | 'source'
  >
  const launch = Object.fromEntries(given) as Launch
  const auth = Object.entries(changes.auth ?? {}).map(([key, ref]) => [key, parseSecretRef(ref)])
  return {
    definition: {
      id,
      name,
      description: '',
      label: 'internal',
      transport,
      ...launch,
      args,
      allowedDomains,
      enabled,
      scopes: [],
      env,
      auth: Object.fromEntries(auth),
      sandbox: SANDBOX,
      tools: {},
      config: {},
    },
    scope: 'user',
    path: `/mcp/${id}.toml`,
    warnings: [],
  }
}

export function stateOf(server: ServerId, blockedHosts: readonly string[] = []): ServerState {
  return { server, badge: 'connected', tools: 2, quarantined: 0, restarts: 0, blockedHosts }
}

export function toolOf(name: string): ToolDescription {
  return { name, inputSchema: { type: 'object' }, hash: '', quarantined: false }
}

export function refusal(code: string): CordonError {
  return new CordonError(code, { exit: 2, hint: 'Try another' }, `Cannot do that: ${code}`)
}

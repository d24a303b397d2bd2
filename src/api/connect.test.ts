import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { OWNER } from '../kernel/principal.ts'
import type { DefinitionScope } from '../kernel/server-definition.ts'
import { type ConnectDeps, connectRoutes } from './connect.ts'
import { definitionRoutes } from './definitions.ts'

interface Named {
  readonly id: string
  readonly scope?: DefinitionScope
  readonly tokens: readonly string[]
}

/** Removes one server, by `disconnect` and by `mcp remove`, and returns the tokens that were revoked each time. */
async function disconnect(servers: readonly Named[], server: string): Promise<readonly string[]> {
  const revoked: string[] = []
  const loaded = servers.map(({ id, scope = 'user', tokens }) => ({
    definition: {
      id,
      auth: Object.fromEntries(tokens.map((name) => [name, { scheme: 'oauth', name }])),
    },
    scope,
  }))
  const deps = {
    definitions: {
      load: async () => ({ servers: loaded, problems: [] }),
      remove: async () => {
        const own = loaded.find(({ definition }) => definition.id === server)
        if (own?.scope === 'user') return { removedSecrets: [] }
        throw new CordonError('servers.not-yours', { exit: 2, hint: '' }, 'Cannot remove it')
      },
    },
    servers: { refresh: async () => undefined },
    told: { forget: async () => false },
    data: { remove: async () => false },
    accounts: { find: async () => undefined, forget: async () => undefined },
    principal: OWNER,
    tokens: { revoke: async (name: string) => void revoked.push(name) },
  } as unknown as ConnectDeps & Parameters<typeof definitionRoutes>[0]
  const never = new AbortController().signal
  const routes = [connectRoutes(deps)['connect.remove'], definitionRoutes(deps)['mcp.remove']]
  const all: string[][] = []
  for (const route of routes) {
    await route.handle({ server, keepSecrets: false }, never).catch((error: unknown) => {
      if (!(error instanceof CordonError)) throw error
    })
    all.push(revoked.splice(0))
  }
  assert.deepEqual(all[0], all[1])
  return all[0] ?? []
}

test('a server that goes gives back the tokens that are its alone', async () => {
  const servers = [
    { id: 'a', tokens: ['mine', 'shared'] },
    { id: 'b', tokens: ['shared'] },
  ]
  assert.deepEqual(await disconnect(servers, 'a'), ['mine'])
})

test('no token is given back for a server that cannot be removed', async () => {
  assert.deepEqual(await disconnect([{ id: 'a', scope: 'system', tokens: ['mine'] }], 'a'), [])
  assert.deepEqual(await disconnect([{ id: 'a', tokens: ['mine'] }], 'b'), [])
})

test('WEB-6: a page that connects a service cannot name its arguments or variables', () => {
  const route = connectRoutes({} as ConnectDeps)['connect.start']
  const name = 'notion'
  assert.equal(route.isForTerminal?.({ name }), false)
  assert.equal(route.isForTerminal?.({ name, again: true, account: 'work', read: ['/srv'] }), false)
  assert.equal(route.isForTerminal?.({ name, changes: { allowedDomains: ['a.example'] } }), false)
  assert.equal(route.isForTerminal?.({ name, changes: { args: ['--eval'] } }), true)
  assert.equal(route.isForTerminal?.({ name, changes: { env: { NODE_OPTIONS: '' } } }), true)
  assert.equal(route.isForTerminal?.({ name, secrets: ['LD_PRELOAD'] }), true)
})

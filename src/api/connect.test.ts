import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { OWNER } from '../kernel/principal.ts'
import type { DefinitionScope } from '../kernel/server-definition.ts'
import { type ConnectDeps, connectRoutes } from './connect.ts'

interface Named {
  readonly id: string
  readonly scope?: DefinitionScope
  readonly tokens: readonly string[]
}

/** Disconnects one server, and returns the tokens that were revoked. */
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
    principal: OWNER,
    tokens: { revoke: async (name: string) => void revoked.push(name) },
  } as unknown as ConnectDeps
  const { 'connect.remove': remove } = connectRoutes(deps)
  const never = new AbortController().signal
  await remove.handle({ server, keepSecrets: false }, never).catch((error: unknown) => {
    if (!(error instanceof CordonError)) throw error
  })
  return revoked
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

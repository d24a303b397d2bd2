import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { never } from '../kernel/test-never.ts'
import { follow, type FeatureRequestDeps } from './answer-feature.ts'
import { ClientLink } from './client-link.ts'
import { createSession } from './client-session.ts'
import type { Exchange } from './handle-request.ts'

test('a client that leaves may have followed a resource of a server that is no longer there', async () => {
  const unsubscribed: string[] = []
  const features = {
    async unsubscribe(_server: string, uri: string) {
      unsubscribed.push(uri)
      throw new Error('there is no such server')
    },
  }
  const call = async () => ({ kind: 'value', value: {}, meta: {} })
  const link = new ClientLink()
  const session = createSession({ name: 'one', taint: 'ask', createdAt: '' })
  const request = { kind: 'request', id: 1, method: 'resources/subscribe', params: {} } as const
  const exchange: Exchange = { session, request, link, era: 'legacy', signal: never }
  const located = { server: parseServerId('notes'), uri: 'note://1' }
  const deps = { features, call } as unknown as FeatureRequestDeps
  await follow(deps, { located, uri: 'note://1' }, exchange)
  link.close()
  await nextTurn() // an unhandled rejection is reported by then
  assert.deepEqual(unsubscribed, ['note://1'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../kernel/server-id.ts'
import { never } from '../../kernel/test-never.ts'
import type { JsonObject } from '../../text/json.ts'
import type { Session } from '../session/open-session.ts'
import { createFeatures, FeatureWatch } from './create-features.ts'
import { ServerFeatures } from './server-features.ts'
import type { ServerLife } from './server-life.ts'

/** A server whose session answers lists by `read`. */
function lifeWith(read: () => Promise<readonly JsonObject[]>, clock: { now: number }): ServerLife {
  const id = parseServerId('notes')
  const label = { integrity: 'external', level: 'internal', origins: new Set([id]) } as const
  const features = new ServerFeatures(
    { onFeature: () => undefined, redact: String, timings: { relistMs: 0 }, now: () => clock.now },
    { id, label, ring: undefined as never, usage: { calls: 0 } },
  )
  const session = { features: { list: read } } as unknown as Session
  const tools = {
    declared: async () => ({ resources: true, prompts: true }),
    areAllQuarantined: async () => false,
  }
  const life = { id, label, definition: { enabled: true }, tools, features, session }
  return { ...life, ready: async () => session } as unknown as ServerLife
}

test('GATE-6: a server that fails or does not answer is listed as last read, so that its names stay its own', async () => {
  const clock = { now: 0 }
  const answers: (() => Promise<readonly JsonObject[]>)[] = [
    async () => [{ uri: 'notes://1', name: 'one' }],
    () => Promise.reject(new Error('broken')),
    () => new Promise(() => undefined),
  ]
  const life = lifeWith(() => (answers.shift() as () => Promise<readonly JsonObject[]>)(), clock)
  const features = createFeatures({ own: () => [life] }, () => life, new FeatureWatch())
  for (const signal of [never, never, AbortSignal.timeout(20)]) {
    const [listing] = await features.listings('resources', signal)
    assert.deepEqual(listing?.items, [{ uri: 'notes://1', name: 'one' }])
    clock.now += 60_000
  }
})

test('a list that is asked for by a client that is gone waits for no server', async () => {
  const life = lifeWith(() => new Promise(() => undefined), { now: 0 })
  const features = createFeatures({ own: () => [life] }, () => life, new FeatureWatch())
  assert.deepEqual(await features.listings('resources', AbortSignal.abort()), [])
})

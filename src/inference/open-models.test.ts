import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { never } from '../kernel/test-never.ts'
import { parseProfiles } from './model-profiles.ts'
import { openModels } from './open-models.ts'

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('a key that a model repeats goes no further', async () => {
  const models = openModels({
    profiles: parseProfiles({
      default: { url: 'https://api.example.com/v1', model: 'm', key: 'vault:model_key' },
    }),
    createFetch: () => async (_url, init) => {
      const sent = new Headers(init?.headers).get('authorization') ?? ''
      const content = `You sent ${sent}; ${sent}`
      return Response.json({ choices: [{ message: { content } }] })
    },
    vault: {
      lease: async () => ({
        value: () => Buffer.from('sk-0123456789'),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
    owner: OWNER.id,
    log,
  })
  const answer = await models.ask({ system: '', text: 'hi' }, never)
  assert.ok(answer.kind === 'said')
  assert.equal(answer.text, 'You sent Bearer [redacted]; Bearer [redacted]')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchFetch } from './watch-fetch.ts'

test('MODEL-1: no redirect is followed, since the key is for one host', async () => {
  const modes: unknown[] = []
  const wire = watchFetch(async (_url, init) => {
    modes.push(init?.redirect)
    return new Response('')
  })
  await wire.fetch('https://api.example.com/', { redirect: 'follow' })
  assert.deepEqual(modes, ['error'])
})

test('the body of a failure is never read, and its wait is noted', async () => {
  let isRead = false
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'retry-after': '3' }
  const wire = watchFetch(async () => new Response(body, { status: 429, headers }))
  await assert.rejects(wire.fetch('https://api.example.com/'))
  assert.deepEqual(wire.fault, {
    kind: 'failed',
    code: 'call.rate-limited',
    reason: 'The server answered with HTTP status 429',
    retryAfterSeconds: 3,
  })
  assert.equal(isRead, false)
})

/** Supervisors see whether the kernel is alive and ready, without a credential and without learning anything else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGatewayCordon, post } from '../fixtures/gateway-cordon.ts'

test('/healthz and /readyz say one word to this machine, and nothing under a foreign name', async () => {
  await using gateway = await openGatewayCordon({}, [])
  const { origin, port } = new URL(gateway.url)
  for (const path of ['/healthz', '/readyz']) {
    const own = await post(`${origin}${path}`, '', { method: 'GET' })
    assert.equal(own.status, 200, path)
    const headers = { Host: `evil.example:${port}` }
    const foreign = await post(`${origin}${path}`, '', { method: 'GET', headers })
    assert.equal(foreign.status, 403, path)
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { HttpAnswer } from './http-answer.ts'

test('a message that comes after the answer is left out, and ends nothing', async () => {
  const server = createServer((request, response) => {
    const answer = new HttpAnswer(request, response)
    const { notify } = answer
    notify?.({ at: 'first' })
    answer.end({ at: 'last' })
    notify?.({ at: 'late' }) // an error of the response would be unhandled
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { accept: 'text/event-stream' }
  const response = await fetch(`http://127.0.0.1:${port}`, { headers })
  const told = [...(await response.text()).matchAll(/"at":"(\w+)"/g)].map(([, at]) => at)
  await once(server.close(), 'close')
  assert.deepEqual(told, ['first', 'last'])
})

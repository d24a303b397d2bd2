import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessageLog } from './message-log.ts'

test('createMessageLog() keeps a part of the messages of a busy server, and the gaps show in the numbers', () => {
  let masked = 0
  const redact = (text: string): string => {
    masked += 1
    return text
  }
  const log = createMessageLog({ redact } as Parameters<typeof createMessageLog>[0], () => 0)
  for (let id = 0; id < 1000; id += 1) {
    log.add('received', { jsonrpc: '2.0', id, result: {} })
  }
  const kept = log.messages()
  // A burst of a hundred, and what the clock refills meanwhile: the loop takes far less than ten seconds.
  assert.ok(kept.length >= 100 && kept.length < 300, `${kept.length} were kept`)
  assert.deepEqual(
    kept.slice(0, 100).map(({ seq }) => seq),
    Array.from({ length: 100 }, (_, at) => at + 1),
  )
  assert.ok(masked < 1000 * 2, 'a message that is not kept is not masked either')
  assert.equal(log.messages().at(-1)?.direction, 'received')
})

/** Arguments that a tool does not declare, which JSON Schema would accept by default. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, openHouse } from '../../servers/runtime/direct-sandbox.ts'
import { openDoor } from './door.ts'

test('P2: an argument that the tool does not declare never reaches its server', async () => {
  const read = { semantics: 'read' } as const
  await using house = await openHouse([
    define('mail', 'attack-mailbox', {
      allowedDomains: ['api.example.test'],
      tools: { search: read },
    }),
  ])
  const door = openDoor(house)
  for (const extra of ['note', 'metadata', '__proto__x']) {
    const result = await door.call('mail.search', { query: 'a', [extra]: 'carried along' })
    assert.notEqual(result.kind, 'ok', extra)
  }
  assert.deepEqual(await door.reached('mail'), [])
})

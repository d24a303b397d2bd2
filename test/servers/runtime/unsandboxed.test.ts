/** A server without a sandbox: only with the owner's consent, only for that definition, and never without a record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { define, never, openHouse } from './direct-sandbox.ts'

const bare = (): ServerDefinition => {
  const definition = define('echo', 'echo')
  return { ...definition, sandbox: { ...definition.sandbox, mode: 'none' } }
}

test('SANDBOX-8: no server runs without a sandbox before its owner agreed to it', async () => {
  const definitions = [bare()]
  await using house = await openHouse(definitions)
  const { servers, launches, events } = house
  const { id } = definitions[0] ?? bare()
  await servers.start(id, never)
  assert.equal(launches.at(-1)?.spec.dangerouslyUnsandboxed, false)
  await servers.dangerouslyUnsandbox(id)
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'servers.unsandbox').map(({ subject }) => subject),
    [id],
  )
  await servers.stop(id)
  await servers.start(id, never)
  assert.equal(launches.at(-1)?.spec.dangerouslyUnsandboxed, true)

  // A change of the launch needs a new consent.
  definitions[0] = { ...bare(), env: { MORE: '1' } }
  await servers.refresh()
  await servers.start(id, never)
  assert.equal(launches.at(-1)?.spec.dangerouslyUnsandboxed, false)
})

test('consent is taken back with the server, and not given where a sandbox is asked for', async () => {
  const definitions = [bare()]
  await using house = await openHouse(definitions)
  const { servers, launches } = house
  const { id } = bare()
  await servers.dangerouslyUnsandbox(id)
  await servers.start(id, never)
  await servers.withdrawUnsandbox(id)
  assert.equal(house.running(), 0)
  await servers.start(id, never)
  assert.equal(launches.at(-1)?.spec.dangerouslyUnsandboxed, false)
  definitions[0] = define('echo', 'echo')
  await servers.refresh()
  await assert.rejects(servers.dangerouslyUnsandbox(id), { code: 'servers.sandboxed' })
})

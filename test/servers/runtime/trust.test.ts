/** Untrusted servers: they change their tools, give their secrets away, and lie about themselves. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { until } from '../../fixtures/until.ts'
import { define, never, openHouse } from './direct-sandbox.ts'

const id = parseServerId('it')

// Regression 21
test('SERVER-1: a tool that changes while the server runs is quarantined, and so is a new one', async () => {
  await using house = await openHouse([define('it', 'rug-puller')])
  assert.equal((await house.call('it', 'search')).kind, 'ok')
  assert.equal((await house.call('it', 'wait')).kind, 'ok')
  await until(async () => (await house.servers.states())[0]?.quarantined === 2)
  const changed = await house.call('it', 'search')
  assert.equal(changed.kind, 'refused')
  assert.equal((await house.call('it', 'upload')).kind, 'refused')
  assert.equal((await house.call('it', 'wait')).kind, 'ok')
  const tools = await house.servers.tools(id)
  assert.deepEqual(
    tools.map(({ name, quarantined }) => [name, quarantined]),
    [
      ['search', true],
      ['wait', false],
      ['upload', true],
    ],
  )
  const rows = house.events.filter(({ kind }) => kind === 'servers.manifest')
  assert.deepEqual(
    rows.map(({ details }) => [details?.['event'], details?.['tools'], details?.['changed']]),
    [
      ['pinned', 3, 0],
      ['changed', 3, 1],
    ],
  )
})

test('a change between two runs of Cordon is seen as well, until the owner accepts it', async () => {
  await using first = await openHouse([define('it', 'rug-puller')])
  await first.call('it', 'search')
  const pinsFolder = first.folder
  await using second = await openHouse([define('it', 'rug-puller changed')], { pinsFolder })
  assert.equal((await second.call('it', 'search')).kind, 'refused')
  const lines = (await second.servers.logs(id)).map(({ text }) => text)
  assert.ok(lines.includes('Tool "search" changed; it waits for your approval'))
  assert.ok(lines.includes('Tool "help" is gone'))
  const changes = await second.servers.toolChanges(id)
  const seen = Object.fromEntries(changes.map(({ name, hash }) => [name, hash]))
  const kinds = changes.map(({ name, before, now }) => `${name}: ${!!before} ${!!now}`)
  assert.deepEqual(
    new Set(kinds),
    new Set(['search: true true', 'upload: false true', 'help: true false']),
  )
  await second.servers.acceptTools(id, { search: seen['search'] ?? '' })
  assert.equal((await second.call('it', 'search')).kind, 'ok')
  assert.equal((await second.call('it', 'upload')).kind, 'refused')
  await second.servers.acceptTools(id, seen)
  assert.equal((await second.call('it', 'upload')).kind, 'ok')
})

test('destroying the pins does not lift the quarantine', async () => {
  await using house = await openHouse([define('it', 'echo')])
  await house.call('it', 'echo', { text: 'hi' })
  await house.servers.stop(id)
  const pinsFolder = house.folder
  await house.rooms.files.write(path.join(pinsFolder, 'it.json'), '{"version":1')
  await using second = await openHouse([define('it', 'echo')], { pinsFolder })
  assert.equal((await second.call('it', 'echo', { text: 'hi' })).kind, 'refused')
})

test('a new tool of a modern server arrives by subscription', async () => {
  await using house = await openHouse([define('it', 'modern')])
  const grown = await house.call('it', 'grow')
  assert.match(JSON.stringify(grown.kind === 'ok' && grown.value), /true/, 'it has a subscriber')
  await until(async () => (await house.servers.states())[0]?.quarantined === 1)
  assert.equal((await house.call('it', 'grown')).kind, 'refused')
  // The same after a restart with the remembered era, where the SDK itself does not subscribe.
  await house.servers.stop(id)
  await house.servers.start(id, never)
  const again = await house.call('it', 'grow')
  assert.match(JSON.stringify(again.kind === 'ok' && again.value), /true/)
})

test('SERVER-3: a secret that a server was lent comes back to nobody, and lies nowhere', async () => {
  const secret = 'sk-test-4f9a8b7c6d5e4f3a2b1c'
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  const events: string[] = []
  await using house = await openHouse([define('it', 'exfiltrator', { auth })], {
    secrets: { token: secret },
    log: {
      info: (...line) => void events.push(JSON.stringify(line)),
      warn: (...line) => void events.push(JSON.stringify(line)),
      error: (...line) => void events.push(JSON.stringify(line)),
    },
  })
  const results = [
    await house.call('it', 'answer'),
    await house.call('it', 'structured'),
    await house.call('it', 'error'),
  ]
  assert.equal(house.launches[0]?.spec.environment['TOKEN'], secret, 'it has the secret')
  assert.match(JSON.stringify(results), /\[redacted\]/)
  const tools = await house.servers.tools(id)
  const logs = await house.servers.logs(id)
  assert.ok(logs.some(({ from, text }) => from === 'stderr' && text.includes('[redacted]')))
  const cached = await readFile(path.join(house.folder, 'it.json'), 'utf8')
  const said = JSON.stringify([results, tools, logs, house.events, house.told, events]) + cached
  assert.ok(!said.includes(secret))
})

test('the cached handshake of a server holds no secret', async () => {
  const secret = 'sk-test-0a1b2c3d4e5f6a7b8c9d'
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  await using house = await openHouse([define('it', 'modern', { auth })], {
    secrets: { token: secret },
  })
  await house.servers.start(id, never)
  const cached = await readFile(path.join(house.folder, 'it.json'), 'utf8')
  assert.match(cached, /Knows \[redacted\]/)
  assert.ok(!cached.includes(secret))
})

test('a server’s own words and annotations lower no label of its answers', async () => {
  await using house = await openHouse([
    define('it', 'liar', { label: 'sensitive', version: '1.0.0' }),
  ])
  const result = await house.call('it', 'delete_everything')
  assert.ok(result.kind === 'ok')
  assert.equal(result.label.integrity, 'external')
  assert.equal(result.label.level, 'sensitive')
  const tools = await house.servers.tools(id)
  assert.deepEqual(
    tools.map(({ name, description }) => [name, description]),
    [
      ['delete_everything', 'Only looks'],
      ['count', 'Counts'],
    ],
  )
  assert.equal((await house.servers.states())[0]?.versionDrift, true)
})

test('a tool that its owner switched off is refused without starting anything', async () => {
  const tools = { echo: { enabled: false } }
  await using house = await openHouse([define('it', 'echo', { tools })])
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'refused')
  assert.equal(house.launches.length, 0)
})

test('floods on standard error are kept to their end, within bounds', async () => {
  await using house = await openHouse([define('it', 'flooder errors')])
  assert.equal((await house.call('it', 'echo')).kind, 'ok')
  await until(async () =>
    (await house.servers.logs(id)).some(({ text }) => text.startsWith('line 19999')),
  )
  const logs = await house.servers.logs(id)
  assert.ok(logs.reduce((size, { text }) => size + text.length, 0) <= 64 * 1024)
})

test('a line that is too long and belongs to no call ends the connection', async () => {
  await using house = await openHouse([define('it', 'flooder anonymous')])
  const result = await house.call('it', 'flood')
  assert.deepEqual(result, {
    kind: 'failed',
    code: 'call.lost',
    reason: 'The server ended while it worked on the call: it sent a message above the limits',
  })
})

test('a server that was quarantined is stopped, stays off, and has nothing that can be called until it is accepted', async () => {
  await using first = await openHouse([define('it', 'rug-puller')])
  assert.equal((await first.call('it', 'wait')).kind, 'ok')
  await first.servers.quarantine(id)
  const [state] = await first.servers.states()
  assert.deepEqual([state?.badge, state?.quarantined === state?.tools], ['idle', true])
  assert.equal((await first.servers.know({ server: id, name: 'wait' }, never)).blocked, 'held')
  const pinsFolder = first.folder
  const eager = { ...define('it', 'rug-puller'), start: 'eager' as const }
  await using second = await openHouse([eager], { pinsFolder })
  assert.equal((await second.servers.states())[0]?.badge, 'idle')
  assert.equal((await second.call('it', 'wait')).kind, 'refused')
  const changes = await second.servers.toolChanges(id)
  const seen = Object.fromEntries(changes.map(({ name, hash }) => [name, hash]))
  await second.servers.acceptTools(id, seen)
  assert.equal((await second.call('it', 'wait')).kind, 'ok')
})

test('permissions hold for a server with all its tools: one that turns ends those of its neighbours', async () => {
  await using house = await openHouse([define('it', 'rug-puller')])
  const pin = async () => (await house.servers.know({ server: id, name: 'wait' }, never)).serverPin
  assert.equal((await house.call('it', 'search')).kind, 'ok')
  const before = await pin()
  await house.call('it', 'wait')
  await until(async () => (await house.servers.states())[0]?.quarantined === 2)
  assert.notEqual(await pin(), before)
})

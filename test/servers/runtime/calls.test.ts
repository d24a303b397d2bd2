/** Calls to real processes that speak MCP well: the answers, the checks on the way, in both eras. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOR_EVER_MS, until } from '../../fixtures/until.ts'
import { callFailed } from '../../../src/kernel/call-failure.ts'
import { missingScopes } from '../../../src/servers/missing-scopes.ts'
import { define, never, openHouse, toolCall } from './direct-sandbox.ts'

test('a call starts a lazy server and returns a labelled value', async () => {
  await using house = await openHouse([define('echo', 'echo')])
  assert.equal(house.running(), 0)
  const result = await house.call('echo', 'echo', { text: 'hi' })
  const label = { integrity: 'external', level: 'internal', origins: new Set(['echo']) }
  assert.deepEqual(result, {
    kind: 'ok',
    value: [{ type: 'text', text: 'hi' }],
    label,
    labels: { label, from: { kind: 'tool', server: 'echo', tool: 'echo', callId: 'c1' } },
  })
  assert.equal(house.running(), 1)
  const [state] = await house.servers.states()
  assert.equal(state?.badge, 'connected')
  assert.equal(state?.era, 'legacy')
  assert.equal(state?.reportedVersion, '1.2.3')
  assert.equal(state?.tools, 6, 'both pages of the list are read')
  assert.deepEqual(
    house.events.map(({ kind }) => kind),
    ['servers.start', 'servers.manifest'],
  )
})

test('a server of the 2026 revision works in the same process that was probed', async () => {
  await using house = await openHouse([define('modern', 'modern')])
  const result = await house.call('modern', 'echo', { text: 'hi' })
  assert.equal(result.kind, 'ok')
  const [state] = await house.servers.states()
  assert.equal(state?.era, 'modern')
  assert.equal(state?.protocolVersion, '2026-07-28')
  assert.equal(house.launches.length, 1)
})

test('the era of a server is remembered, and found anew when it no longer holds', async () => {
  const definitions = [define('changing', 'modern')]
  await using house = await openHouse(definitions)
  await house.call('changing', 'echo', { text: 'hi' })
  await house.servers.stop(definitions[0]!.id)
  await house.servers.start(definitions[0]!.id, never)
  assert.equal((await house.servers.states())[0]?.era, 'modern')
  await house.servers.stop(definitions[0]!.id)
  // The same definition starts another program now.
  const { files, pinsFolder } = house.rooms
  const cached = JSON.parse(String(await files.read(`${pinsFolder}/changing.json`)))
  assert.equal(cached.prior.kind, 'modern')
  await using second = await openHouse([{ ...define('changing', 'echo'), version: '1' }], {
    pinsFolder,
  })
  await second.servers.start(definitions[0]!.id, never)
  assert.equal((await second.servers.states())[0]?.era, 'legacy')
})

test('a server that dies when probed is started once more, in the old era', async () => {
  await using house = await openHouse([define('shy', 'crasher on-probe')])
  assert.deepEqual((await house.call('shy', 'work')).kind, 'ok')
  assert.equal(house.launches.length, 2)
  assert.equal(house.running(), 1)
})

test('an error of a tool is its first text, without control characters', async () => {
  await using house = await openHouse([define('echo', 'echo')])
  assert.deepEqual(await house.call('echo', 'fail', { text: 'no \u001b[2Jway\u202e' }), {
    kind: 'failed',
    reason: 'no [2Jway',
  })
  const long = await house.call('echo', 'fail', { text: 'x'.repeat(5000) })
  assert.ok(long.kind === 'failed' && long.reason.length <= 2001)
})

test('arguments that do not fit never reach the server', async () => {
  await using house = await openHouse([define('echo', 'echo')])
  const plain = await house.call('echo', 'echo', { text: 1 })
  assert.deepEqual(plain, {
    kind: 'refused',
    rule: 'tool.arguments',
    reason: 'The arguments do not fit the tool: #/text (type)',
  })
  const full = await house.call('echo', 'sum', { a: -1, b: 2 })
  assert.deepEqual(full, {
    kind: 'refused',
    rule: 'tool.arguments',
    reason: 'The arguments do not fit the tool: #/a (minimum)',
  })
  const missing = await house.call('echo', 'nothing')
  assert.equal(missing.kind, 'failed')
})

test('a pattern that would block another engine for a minute is answered at once', async () => {
  await using house = await openHouse([define('echo', 'echo')])
  await house.call('echo', 'slug', { text: 'a' })
  const result = await house.call('echo', 'slug', { text: `${'a'.repeat(40)}!` })
  assert.deepEqual(result, {
    kind: 'refused',
    rule: 'tool.arguments',
    reason: 'The arguments do not fit the tool: #/text (pattern)',
  })
})

test('an answer that does not fit its schema is a failure', async () => {
  await using house = await openHouse([define('echo', 'echo'), define('liar', 'liar')])
  assert.equal((await house.call('echo', 'sum', { a: 1, b: 2 })).kind, 'ok')
  const large = await house.call('echo', 'sum', { a: 100, b: 2 })
  assert.match(large.kind === 'failed' ? large.reason : '', /its own schema: #\/total \(maximum\)/)
  const lie = await house.call('liar', 'count')
  assert.match(lie.kind === 'failed' ? lie.reason : '', /its own schema: #\/count \(type\)/)
})

test('an answer above a bound fails that call alone', async () => {
  await using house = await openHouse([define('echo', 'echo'), define('flooder', 'flooder line')])
  const large = await house.call('echo', 'big', { bytes: 11 * 2 ** 20 })
  assert.match(large.kind === 'failed' ? large.reason : '', /larger than 10 MiB/)
  const deep = await house.call('echo', 'deep', { levels: 1000 })
  assert.match(deep.kind === 'failed' ? deep.reason : '', /nested too deeply/)
  assert.equal((await house.call('echo', 'big', { bytes: 9 * 2 ** 20 })).kind, 'ok')
  const flood = await house.call('flooder', 'flood')
  assert.match(flood.kind === 'failed' ? flood.reason : '', /larger than 16 MiB/)
  assert.equal((await house.call('flooder', 'echo')).kind, 'ok')
  assert.equal(house.launches.length, 2, 'nothing had to be started again')
})

test('a call that takes too long, or is given up, is cancelled at the server', async () => {
  await using house = await openHouse([define('slow', 'slow')], { timings: { callMs: 200 } })
  const late = await house.call('slow', 'sleep', { ms: 3000 })
  assert.deepEqual(late, callFailed('call.timeout', 'Tool call timed out after 200ms'))
  const times = async ({ servers, launches }: typeof house, line: string): Promise<number> => {
    const lines = launches[0] ? await servers.logs(launches[0].spec.server) : []
    return lines.filter(({ text }) => text === line).length
  }
  await until(async () => (await times(house, 'told to cancel')) === 1)
  await using patient = await openHouse([define('slow', 'slow')], {
    timings: { callMs: FOR_EVER_MS },
  })
  const caller = new AbortController()
  const given = patient.servers.call(toolCall('slow', 'sleep', { ms: FOR_EVER_MS }), caller.signal)
  await until(async () => (await times(patient, 'told to sleep')) === 1)
  caller.abort()
  assert.deepEqual(await given, callFailed('call.cancelled', 'The call was cancelled'))
  await until(async () => (await times(patient, 'told to cancel')) === 1)
})

test('a server that tells of its progress gets more time, but not for ever', async () => {
  await using house = await openHouse([define('slow', 'slow')], { timings: { callMs: 2000 } })
  const patient = await house.call('slow', 'sleep', { ms: 5000, tells: true })
  assert.equal(patient.kind, 'ok')
  await using strict = await openHouse([define('slow', 'slow')], { timings: { callMs: 300 } })
  const endless = await strict.call('slow', 'sleep', { ms: FOR_EVER_MS, tells: true })
  assert.equal(endless.kind, 'failed')
})

test('a question of a server reaches the owner only where somebody can put it', async () => {
  await using silent = await openHouse([define('modern', 'modern')])
  const unasked = await silent.call('modern', 'ask')
  assert.match(unasked.kind === 'failed' ? unasked.reason : '', /asks the owner a question/)
  await using asking = await openHouse([define('modern', 'modern')], {
    elicit: async (server, { message }) => ({
      action: 'accept',
      content: { name: `${server}: ${JSON.stringify(message)}` },
    }),
  })
  const asked = await asking.call('modern', 'ask')
  assert.match(JSON.stringify(asked.kind === 'ok' && asked.value), /modern: .*Who are you\?/)
})

test('R154: a call whose token lacks a declared scope is not sent, and says how to get it', async () => {
  const scoped = { ...define('echo', 'echo'), scopes: ['repo', 'gist'] }
  let granted = 'repo'
  const auth = { bearer: { scheme: 'oauth', name: 'echo' } } as const
  const status = async () => [{ name: 'echo', state: 'fresh', scope: granted }] as const
  await using house = await openHouse([scoped], {
    missingScopes: ({ scopes }) => missingScopes({ status }, { auth, scopes }),
  })
  assert.deepEqual(await house.call('echo', 'echo', { text: 'hi' }), {
    kind: 'failed',
    code: 'setup.scope',
    reason: '"echo" needs the permission gist, which was not granted',
    hint: 'Run `cordon connect echo` to sign in again',
  })
  assert.equal(house.launches.length, 0)
  granted = 'gist repo'
  assert.equal((await house.call('echo', 'echo', { text: 'hi' })).kind, 'ok')
})

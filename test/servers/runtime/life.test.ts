/** The life of real processes that fail to start, die, hang, or are no longer needed; and that none is left running. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CordonError } from '../../../src/kernel/error.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { becomes, FOR_EVER_MS, until } from '../../fixtures/until.ts'
import { define, isAlive, never, openHouse, toolCall } from './direct-sandbox.ts'

const id = parseServerId('it')

test('eager servers start side by side while Cordon opens; lazy and disabled ones do not', async () => {
  const undecided = { auth: { TOKEN: { scheme: 'vault', name: 'here' } as const } }
  const { start: _here, ...whole } = define('with-token', 'echo', undecided)
  const missing = { auth: { TOKEN: { scheme: 'vault', name: 'gone' } as const } }
  const { start: _gone, ...without } = define('without-token', 'echo', missing)
  const definitions = [
    define('eager', 'echo', { start: 'eager' }),
    define('lazy', 'echo'),
    define('disabled', 'echo', { start: 'eager', enabled: false }),
    whole,
    without,
  ]
  await using house = await openHouse(definitions, { secrets: { here: 'value-of-token' } })
  await until(async () => {
    const states = await house.servers.states()
    return states.filter(({ badge }) => badge === 'connected').length === 2
  })
  assert.deepEqual(house.launches.map(({ spec }) => spec.server).sort(), ['eager', 'with-token'])
  const refused = await house.call('disabled', 'echo', { text: 'hi' })
  assert.match(refused.kind === 'failed' ? refused.reason : '', /is disabled/)
  assert.equal(house.launches.length, 2)
})

test('a server that is stopped during a read is stopped, although the read has it started again', async () => {
  const reads = { tools: { sleep: { semantics: 'read' } } } as const
  await using house = await openHouse([define('it', 'slow', reads)])
  await house.servers.start(id, never)
  const calling = house.call('it', 'sleep', { ms: 4000 })
  await until(async () =>
    (await house.servers.logs(id)).some(({ text }) => text === 'told to sleep'),
  )
  await house.servers.stop(id)
  assert.equal((await calling).kind, 'ok')
  assert.equal(house.launches.length, 2)
})

const failures: readonly (readonly [string, string, RegExp])[] = [
  ['exits at once', 'crasher at-once', /exited with code 3; it last said: fatal: no configuration/],
  ['never answers', 'crasher never-answers', /did not answer within/],
  ['speaks nonsense', 'nonsense', /writes text that is not MCP/],
  ['is no file at all', 'missing', /exited with code 1; it last said: .*Cannot find module/],
]
for (const [what, fixture, sentence] of failures) {
  test(`a server that ${what} gives a sentence, and leaves nothing running`, async () => {
    const definitions = [define('it', fixture), define('other', 'echo')]
    const startMs = what === 'never answers' ? 10_000 : FOR_EVER_MS // of the other one, too
    await using house = await openHouse(definitions, { timings: { startMs } })
    await assert.rejects(house.servers.start(id, never), (error) => {
      assert.ok(error instanceof CordonError)
      assert.equal(error.code, 'servers.start')
      assert.match(error.message, sentence)
      return true
    })
    assert.equal((await house.call('other', 'echo', { text: 'hi' })).kind, 'ok')
    await house.servers.stop(id)
    assert.equal(house.running(), 1, 'only the other one')
  })
}

test('a command that does not exist is refused, not restarted, and tried again by the next call', async () => {
  await using house = await openHouse([define('it', 'echo', { command: 'no-such-program' })])
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.match(
    result.kind === 'failed' ? result.reason : '',
    /Cannot find command "no-such-program"/,
  )
  const [state] = await house.servers.states()
  assert.equal(state?.badge, 'error')
  assert.match(state?.reason ?? '', /Cannot find command/)
  await assert.rejects(house.servers.start(id, never), { code: 'sandbox.command' })
})

test('a server that dies is started three times more, then given up, and the owner is told once', async () => {
  await using house = await openHouse([define('it', 'crasher after-start', { start: 'eager' })])
  await until(() => house.told.length > 0)
  assert.equal(house.launches.length, 4)
  assert.deepEqual(house.told, ['given-up it exited with code 9; it last said: fatal: too good'])
  assert.equal(house.events.at(-1)?.kind, 'servers.disabled')
  assert.equal(house.events.filter(({ kind }) => kind === 'servers.crash').length, 4)
  assert.equal(house.running(), 0)
  const given = await house.call('it', 'work')
  assert.match(given.kind === 'failed' ? given.reason : '', /exited with code 9/)
  assert.equal(house.launches.length, 4, 'a call does not start it again')
  await house.servers.start(id, never).catch(() => undefined) // the server may die before the handshake
  assert.ok(house.launches.length > 4, 'its owner does')
})

test('a server that holds out long enough has its earlier deaths forgotten', async () => {
  const timings = { stableMs: 50 }
  await using house = await openHouse([define('it', 'crasher mid-call', { start: 'eager' })], {
    timings,
  })
  for (let death = 1; death <= 6; death += 1) {
    await until(async () => (await house.servers.states())[0]?.badge === 'connected')
    await until(async () => (await house.servers.states())[0]?.restarts === 0)
    assert.equal((await house.call('it', 'work')).kind, 'failed')
  }
  assert.deepEqual(house.told, [])
})

test('a server that dies in a call fails it with the reason, and is not called twice', async () => {
  await using house = await openHouse([define('it', 'crasher mid-call')])
  const result = await house.call('it', 'work')
  assert.deepEqual(result, {
    kind: 'failed',
    code: 'call.lost',
    reason: 'The server ended while it worked on the call: it exited with code 7',
  })
  assert.equal(house.launches.length, 1)
})

test('a call that is known only to read is repeated once, on the restarted server', async () => {
  await using house = await openHouse([])
  const once = `crasher once ${path.join(house.folder, 'been-here')}`
  const reads = { tools: { work: { semantics: 'read' } as const } }
  await using reading = await openHouse([define('it', once, reads)])
  assert.equal((await reading.call('it', 'work')).kind, 'ok')
  assert.equal(reading.launches.length, 2)
  await using dying = await openHouse([define('it', 'crasher mid-call', reads)])
  assert.equal((await dying.call('it', 'work')).kind, 'failed')
  assert.equal(dying.launches.length, 2, 'once, not for ever')
})

test('a lazy server that nobody uses is stopped, and its tools stay known', async () => {
  const timings = { healthMs: 20, idleMs: 60 }
  await using house = await openHouse([define('it', 'echo')], { timings })
  await house.call('it', 'echo', { text: 'hi' })
  await until(() => house.running() === 0)
  await becomes(async () => (await house.servers.states())[0]?.badge, 'idle')
  assert.equal((await house.servers.tools(id)).length, 6)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
})

test('a server with a call under way is neither idle nor evicted', async () => {
  const timings = { healthMs: 20, idleMs: 40, slotMs: 50 }
  const definitions = [define('it', 'slow'), define('other', 'echo')]
  await using house = await openHouse(definitions, { timings, maxRunning: 1 })
  const slow = house.call('it', 'sleep', { ms: 2000 })
  await until(() => house.running() === 1)
  const other = await house.call('other', 'echo', { text: 'hi' })
  assert.match(other.kind === 'failed' ? other.reason : '', /Cannot run more than 1 servers/)
  assert.equal((await slow).kind, 'ok')
  assert.equal((await house.call('other', 'echo', { text: 'hi' })).kind, 'ok')
})

test('a start that finds every place taken says so, and goes on when one is free', async () => {
  const definitions = [define('it', 'slow'), define('other', 'echo')]
  await using house = await openHouse(definitions, { maxRunning: 1 })
  const slow = house.call('it', 'sleep', { ms: 4000 })
  await until(() => house.running() === 1)
  const other = house.call('other', 'echo', { text: 'hi' })
  const waits = async (): Promise<boolean> =>
    (await house.servers.states()).some(({ reason }) => reason?.startsWith('It waits for a place'))
  await until(waits)
  assert.equal((await other).kind, 'ok')
  assert.equal((await slow).kind, 'ok')
})

test('an error in answer to ping is a sign of life', async () => {
  const timings = { healthMs: 20, restartDelaysMs: [5, 5, 5] }
  await using house = await openHouse([define('it', 'echo no-ping')], { timings })
  await house.servers.start(id, never)
  await new Promise((resolve) => setTimeout(resolve, 150))
  assert.equal((await house.servers.states())[0]?.badge, 'connected')
  assert.equal(house.launches.length, 1)
})

test('for one server too many, the one that was not used for longest is stopped', async () => {
  const definitions = ['a', 'b', 'c'].map((name) => define(name, 'echo'))
  let clock = 1
  await using house = await openHouse(definitions, { maxRunning: 2, now: () => (clock += 1) })
  for (const server of ['a', 'b', 'a', 'c']) await house.call(server, 'echo', { text: 'hi' })
  const states = await house.servers.states()
  const connected = states.filter(({ badge }) => badge === 'connected').map(({ server }) => server)
  assert.deepEqual(connected, ['a', 'c'])
  assert.equal(house.running(), 2)
})

test('a server that stops answering is ended and started again', async () => {
  await using house = await openHouse([define('it', 'echo', { start: 'eager' })], {
    timings: { healthMs: 100 },
  })
  await until(async () => (await house.servers.states())[0]?.badge === 'connected')
  const first = house.launches[0]?.process
  first?.stdin.destroy()
  await until(() => house.launches.length === 2)
  await until(() => !isAlive(first?.pid ?? 0))
})

test('refresh starts what is new, stops what is gone or disabled, and restarts what is launched otherwise', async () => {
  const definitions = ['kept', 'gone', 'off', 'changed'].map((name) =>
    define(name, 'echo', { start: 'eager' }),
  )
  await using house = await openHouse(definitions)
  const connected = async () =>
    (await house.servers.states()).filter(({ badge }) => badge === 'connected').length
  await until(async () => (await connected()) === 4)
  const keptPid = (await house.servers.states())[0]?.pid
  definitions.splice(
    0,
    4,
    define('kept', 'echo', { start: 'eager', description: 'Other words' }),
    define('off', 'echo', { enabled: false }),
    define('changed', 'echo', { start: 'eager', env: { A: 'b' } }),
    define('new', 'echo', { start: 'eager' }),
  )
  await house.servers.refresh()
  await until(async () => (await connected()) === 3)
  await until(() => house.running() === 3)
  const states = await house.servers.states()
  assert.deepEqual(states.map(({ server }) => server).sort(), ['changed', 'kept', 'new', 'off'])
  assert.equal(states[0]?.pid, keptPid)
  assert.equal(house.launches.at(-1)?.spec.server === 'new' || house.launches.length === 6, true)
  assert.equal(house.running(), 3)
})

test('a server that the owner stopped stays stopped until a call needs it', async () => {
  await using house = await openHouse([define('it', 'echo', { start: 'eager' })])
  await until(async () => (await house.servers.states())[0]?.badge === 'connected')
  assert.equal((await house.servers.stop(id)).badge, 'idle')
  await house.servers.refresh()
  assert.equal(house.launches.length, 1)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
})

test('closing Cordon ends everything, also what is just starting or does not want to', async () => {
  const definitions = [
    define('stubborn', 'crasher ignores-stop', { start: 'eager' }),
    define('silent', 'crasher never-answers', { start: 'eager' }),
    define('busy', 'slow', { start: 'eager' }),
  ]
  const timings = { startMs: FOR_EVER_MS, callMs: FOR_EVER_MS }
  const house = await openHouse(definitions, { timings })
  await until(() => house.launches.length === 3)
  const call = house.servers.call(toolCall('busy', 'sleep', { ms: FOR_EVER_MS }), never)
  await until(async () => (await house.servers.states())[2]?.badge === 'connected')
  await house[Symbol.asyncDispose]() // closing does not wait for the answer of a call
  assert.equal(house.running(), 0)
  assert.equal((await call).kind, 'failed')
})

test('SERVER-2: a server whose pins cannot be read, or not soon, fails alone', async () => {
  let reading = (): Promise<undefined> => Promise.reject(new Error('EIO'))
  const lazily = async () => {
    await pause(1) // the read of the pins fails before anything awaits it
    return { value: () => Buffer.alloc(0), [Symbol.asyncDispose]: async () => undefined }
  }
  const definitions = [
    define('it', 'echo', { start: 'eager' }),
    define('other', 'echo', { start: 'eager' }),
  ]
  await using house = await openHouse(definitions, {
    files: {
      read: (file) => (file.endsWith('/it.json') ? reading() : Promise.resolve(undefined)),
      write: async () => undefined,
    },
    vault: { resolves: async () => true, lease: lazily },
  })
  const badges = async () => (await house.servers.states()).map(({ badge }) => badge)
  await until(async () => (await badges()).join() === 'error,connected')
  await house.servers.stop(id)
  const hanging = Promise.withResolvers<undefined>()
  reading = () => hanging.promise
  const { length } = house.launches
  const starting = house.servers.start(id, never)
  await until(() => house.launches.length > length)
  const stopping = house.servers.stop(id)
  await pause(1)
  hanging.resolve(undefined)
  await Promise.all([stopping, assert.rejects(starting)])
})

test('the limits of a definition hold for its server alone: idle time, restarts, time of a call', async () => {
  const timings = { healthMs: 20, restartDelaysMs: [1, 1, 1] }
  const own = (value: number) => ({ value, from: 'server' }) as const
  const eager = define('it', 'echo', { start: 'eager', limits: { idleMs: own(60) } })
  const dying = define('dying', 'crasher mid-call', { limits: { restarts: own(0) } })
  const slow = define('slow', 'slow', { limits: { callMs: own(50) } })
  await using house = await openHouse([eager, dying, slow], { timings })
  await until(async () => (await house.servers.states())[0]?.badge === 'connected')
  await until(async () => (await house.servers.states())[0]?.badge === 'idle')
  await house.call('dying', 'work')
  const isGivenUp = async (): Promise<boolean> =>
    (await house.servers.states()).some(({ reason }) => reason?.includes('is given up') ?? false)
  await until(isGivenUp)
  const late = await house.call('slow', 'sleep', { ms: 5000 })
  assert.match(late.kind === 'failed' ? late.reason : '', /timed out after/)
})

import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate as delivered } from 'node:timers/promises'
import { never } from '../../kernel/test-never.ts'
import type { Json } from '../../text/json.ts'
import { CallClocks, type CallTiming } from './call-clocks.ts'
import { DirectCalls } from './direct-calls.ts'
import { LineTransport } from './line-transport.ts'

const timing = (caller = never, callMs = 60_000): CallTiming => {
  const clock = new CallClocks(callMs).start('call', caller)
  after(() => clock[Symbol.dispose]())
  return clock
}

async function open() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const transport = new LineTransport({ stdin, stdout }, () => undefined)
  const forSdk: unknown[] = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
  transport.onmessage = (message) => void forSdk.push(message)
  await transport.start()
  const calls = new DirectCalls(transport)
  const sent = async () => {
    await delivered()
    const text = (stdin.read() as Buffer | null)?.toString() ?? ''
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: number; method: string; params: object })
  }
  const say = async (message: object) => {
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    await delivered()
  }
  return { calls, sent, say, forSdk, stdout }
}

const toolCall = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } })

test('an answer finds its call, and what is not ours goes on to the SDK', async () => {
  const { calls, sent, say, forSdk } = await open()
  const first = calls.call(toolCall('a'), timing())
  const second = calls.call(toolCall('b'), timing())
  const refused = assert.rejects(first, { code: -32_042, message: 'no' })
  const [one, two] = await sent()
  assert.equal(one?.method, 'tools/call')
  await say({ id: two?.id, result: { content: ['b'] } })
  await say({ id: 3, result: {} })
  await say({ method: 'notifications/message', params: {} })
  await say({ id: 4, method: 'elicitation/create', params: {} })
  await say({ id: one?.id, error: { code: -32_042, message: 'no' } })
  assert.deepEqual(await second, { content: ['b'] })
  await refused
  assert.equal(forSdk.length, 3)
})

test('an answer that is none fails its call', async () => {
  const { calls, sent, say } = await open()
  const calling = calls.call(toolCall('a'), timing())
  const [one] = await sent()
  void say({ id: one?.id, result: 'text' })
  await assert.rejects(calling, /is none/)
})

test('a call that takes too long is given up, the server is told, and its answer comes too late for anybody', async () => {
  const { calls, sent, say, forSdk } = await open()
  await assert.rejects(calls.call(toolCall('a'), timing(never, 30)), {
    code: 'REQUEST_TIMEOUT',
  })
  const [call, cancel] = await sent()
  assert.equal(cancel?.method, 'notifications/cancelled')
  assert.partialDeepStrictEqual(cancel?.params, { requestId: call?.id })
  await say({ id: call?.id, result: {} })
  assert.deepEqual(forSdk, [])
})

test('a sign of life starts the time anew, up to the bound on the whole', async (t) => {
  const { calls, sent, say, forSdk } = await open()
  let [now, restarts, isLate] = [0, 0, (): void => undefined]
  t.mock.method(performance, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (callback: () => void) => {
    isLate = callback
    return { refresh: () => (restarts += 1) }
  })
  const ended = assert.rejects(calls.call(toolCall('a'), timing(never, 15)), {
    code: 'REQUEST_TIMEOUT',
  })
  const [call] = await sent()
  const params = { progressToken: call?.id, progress: 1 }
  for (now of [50, 149, 150, 1000]) await say({ method: 'notifications/progress', params })
  assert.equal(restarts, 2)
  isLate()
  await ended
  assert.deepEqual(forSdk, [])
})

test('an aborted call rejects at once, and a lost connection ends every call', async () => {
  const { calls, stdout } = await open()
  const stop = new AbortController()
  const given = calls.call(toolCall('a'), timing(stop.signal))
  stop.abort(new Error('enough'))
  await assert.rejects(given, /enough/)
  const lost = calls.call(toolCall('a'), timing())
  stdout.destroy()
  await assert.rejects(lost, { name: 'ConnectionLost' })
  await assert.rejects(calls.call(toolCall('a'), timing()), { name: 'ConnectionLost' })
})

test('arguments too deep for JSON fail their own call, and the next one is sent', async () => {
  const { calls, sent } = await open()
  let deep: Json = []
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  await assert.rejects(
    calls.call({ method: 'tools/call', params: { name: 'a', arguments: deep } }, timing()),
    RangeError,
  )
  void calls.call(toolCall('b'), timing()).catch(() => undefined)
  const [only, ...more] = await sent()
  assert.partialDeepStrictEqual(only?.params, { name: 'b' })
  assert.equal(more.length, 0)
})

test('a call with an aborted signal is not sent', async () => {
  const { calls, sent } = await open()
  const gone = AbortSignal.abort(new Error('gone'))
  await assert.rejects(calls.call(toolCall('a'), timing(gone)), /gone/)
  const methods = (await sent()).map(({ method }) => method)
  assert.ok(!methods.includes('tools/call'), methods.join())
})

import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import type { Allowance } from './allowance.ts'
import { ConnectionLost, notWhole } from './failure.ts'
import { LineTransport } from './line-transport.ts'

async function open(stdin: Writable = new PassThrough(), read?: Allowance) {
  const stdout = new PassThrough()
  const noise: string[] = []
  const messages: unknown[] = []
  const closed = Promise.withResolvers<void>()
  const transport = new LineTransport({ stdin, stdout }, (line) => void noise.push(line), read)
  const onmessage = (message: unknown): void => void messages.push(message)
  Object.assign(transport, { onmessage, onclose: closed.resolve })
  await transport.start()
  return { stdout, noise, messages, transport, closed: closed.promise }
}
const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

test('a line that is no message is ignored, and the messages around it arrive', async () => {
  const { stdout, noise, messages } = await open()
  stdout.write('Hello\n\n{"jsonrpc":"2.0","id":1,"result":{}}\n[1]\n{"a":1}\n{"jsonrpc":"2.0"\n')
  await settled()
  assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: {} }])
  assert.deepEqual(noise, ['Hello', '[1]', '{"a":1}', '{"jsonrpc":"2.0"'])
})

test('an answer that is nested without end fails its own call and no other', async () => {
  const { stdout, messages } = await open()
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  stdout.write(
    `{"jsonrpc":"2.0","id":7,"result":{"a":${deep}}}\n{"jsonrpc":"2.0","id":8,"result":{}}\n`,
  )
  await settled()
  const message = 'The answer of the server is nested too deeply'
  assert.deepEqual(messages, [
    { jsonrpc: '2.0', id: 7, error: notWhole(message) },
    { jsonrpc: '2.0', id: 8, result: {} },
  ])
})

test('SERVER-2: an answer of very many values fails its call before it is parsed', async (t) => {
  const { stdout, messages } = await open()
  const parse = t.mock.method(JSON, 'parse')
  stdout.write(`{"jsonrpc":"2.0","id":7,"result":{"content":[${'{},'.repeat(300_000)}{}]}}\n`)
  await settled()
  const message = 'The answer of the server has more than 200,000 values'
  assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 7, error: notWhole(message) }])
  assert.equal(parse.mock.callCount(), 0)
})

test('a large answer of few values arrives', async () => {
  const { stdout, messages } = await open()
  const text = ',{['.repeat(2 ** 20)
  stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text } })}\n`)
  await settled()
  assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 7, result: { text } }])
})

test('a server that sends answers above the limits to nobody is given up', async () => {
  const { stdout, transport, closed } = await open()
  const line = `{"jsonrpc":"2.0","id":7,"result":[${'{},'.repeat(200_000)}{}]}\n`
  for (let sent = 0; sent < 6; sent += 1) stdout.write(line)
  await closed
  assert.equal(transport.failure, 'sends more than anybody asked for')
})

for (const [where, line] of [
  ['first', (text: string) => `{"jsonrpc":"2.0","id":7,"result":{"text":"${text}"}}\n`],
  ['last', (text: string) => `{"result":{"text":"${text}"},"jsonrpc":"2.0","id":7}\n`],
] as const) {
  test(`an answer above the limit fails the call whose id comes ${where}`, async () => {
    const { stdout, messages, transport } = await open()
    stdout.write(line('x'.repeat(17 * 2 ** 20)))
    await settled()
    assert.partialDeepStrictEqual(messages, [{ id: 7, error: { code: -32_099 } }])
    assert.equal(transport.failure, undefined)
  })
}

test('after it hung up, nothing more is sent or received', async () => {
  const { stdout, messages, transport, closed } = await open()
  await transport.close()
  await closed
  stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n')
  await settled()
  assert.deepEqual(messages, [])
  await assert.rejects(transport.send({ jsonrpc: '2.0', method: 'x' }), ConnectionLost)
})

test('messages of one tick leave in order and in one write, those before a close too', async () => {
  const writes: string[] = []
  const stdin = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk)
      done()
    },
  })
  const { transport } = await open(stdin)
  const lines = (...methods: readonly string[]): string =>
    methods.map((method) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`).join('')
  transport.post({ jsonrpc: '2.0', method: 'a' })
  await Promise.resolve()
  await transport.send({ jsonrpc: '2.0', method: 'b' })
  assert.deepEqual(writes, [lines('a', 'b')])
  transport.post({ jsonrpc: '2.0', method: 'c' })
  await transport.close()
  await settled()
  assert.deepEqual(writes, [lines('a', 'b'), lines('c')])
  assert.equal(transport.post({ jsonrpc: '2.0', method: 'd' }), false)
})

test('a server that asks and asks, and never reads the answers, is given up', async () => {
  const stdin = new Writable({ write: () => undefined })
  const { transport, closed } = await open(stdin)
  const answer = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(2 ** 20) } } as const
  for (let count = 0; count < 70 && transport.failure === undefined; count += 1) {
    void transport.send(answer).catch(() => undefined)
  }
  await closed
  assert.equal(transport.failure, 'does not read what it is sent')
})

const MIB = 2 ** 20

test('SERVER-2: unsolicited messages are limited; answers to requests are not', async () => {
  const { stdout, messages, transport } = await open()
  const answer = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"result":{"text":"${'x'.repeat(10 * MIB)}"}}\n`
  for (let id = 1; id <= 6; id += 1) {
    await transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: {} })
    stdout.write(answer(id))
    await settled()
  }
  assert.deepEqual([messages.length, transport.failure], [6, undefined])
  stdout.write('{"jsonrpc":"2.0","id":6,"result":{}}\n'.repeat(100_000))
  await settled()
  assert.equal(transport.failure, 'sends more than anybody asked for')
  assert.ok(messages.length < 70_000, String(messages.length))
})

test('SERVER-2: a flood of short messages is a flood', async () => {
  const { stdout, messages, transport } = await open()
  stdout.write('{"jsonrpc":"2.0","method":"x"}\n'.repeat(500_000))
  await settled()
  assert.equal(transport.failure, 'sends more than anybody asked for')
  assert.ok(messages.length < 200_000, String(messages.length))
})

test('a server that does not read makes the sender wait, not remember', async () => {
  const reads: (() => void)[] = []
  const stdin = new Writable({
    highWaterMark: 8,
    write: (_chunk, _encoding, done) => void reads.push(done),
  })
  const { transport } = await open(stdin)
  let sent = false
  const sending = transport.send({ jsonrpc: '2.0', method: 'x' }).then(() => (sent = true))
  await settled()
  assert.equal(sent, false)
  reads[0]?.()
  await sending
})

test('SERVER-2: answers that were asked for are read at a bounded rate, and all arrive', async () => {
  const { stdout, messages, transport } = await open(undefined, { atOnce: 50, perSecond: 100 })
  const count = 3
  const began = performance.now()
  for (let id = 1; id <= count; id += 1) {
    await transport.send({ jsonrpc: '2.0', id, method: 'tools/call' })
    stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"${'x'.repeat(14 * 2 ** 20)}"}}\n`)
  }
  while (messages.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
  // Two cost 112 ms at least, of which 50 are free; before the third is read, the rest takes six tenths of a second.
  assert.ok(performance.now() - began > 600)
})

test('answers to many small calls are read at full speed', async () => {
  const { stdout, messages, transport } = await open(undefined, { atOnce: 0, perSecond: 1e-3 })
  for (let id = 1; id <= 1000; id += 1) {
    transport.post({ jsonrpc: '2.0', id, method: 'tools/call' })
    stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"hello"}}\n`)
    if (id % 100 === 0) await settled()
  }
  await settled()
  assert.equal(messages.length, 1000)
  transport.post({ jsonrpc: '2.0', id: 1001, method: 'tools/call' })
  stdout.write(`{"jsonrpc":"2.0","id":1001,"result":{"text":"${'x'.repeat(20_000)}"}}\n`)
  await settled()
  assert.equal(stdout.isPaused(), true)
  await transport.close() // ends the rest, which would take hours
})

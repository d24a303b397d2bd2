import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitBody } from './limit-body.ts'

const MIB = Buffer.alloc(2 ** 20, 'x')

/** Reads a limited body to its end; returns its size or error, and the reasons given to `onEnd`. */
async function read(
  type: string,
  chunks: readonly (string | Buffer)[],
  { status = 200, mayStream = true } = {},
) {
  const ends: string[] = []
  const body = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)))
  const given = new Response(body, { status, headers: { 'content-type': type } })
  const limited = limitBody(given, { mayStream, onEnd: (why) => void ends.push(why) })
  assert.equal(limited.status, status)
  const size = await limited.arrayBuffer().then(
    (bytes) => bytes.byteLength,
    (error: Error) => error.message,
  )
  return [size, ends]
}

test('a document is passed on up to the limit, and cut off above it', async () => {
  const most = Array.from({ length: 16 }, () => MIB)
  assert.deepEqual(await read('application/json', most), [2 ** 24, ['closed the connection']])
  const [size, ends] = await read('application/json', [...most, 'x'])
  assert.match(String(size), /larger than 16 MiB/)
  assert.deepEqual(ends, ['sent a message above the limits'])
})

for (const [name, pieces] of [
  ['line feeds', ['\n\n']],
  ['both', ['\r\n\r\n']],
  ['carriage returns', ['\r\r']],
  ['line feeds that come apart', ['\n', '\n']],
  ['both, in single bytes', ['\r', '\n', '\r', '\n']],
] as const) {
  test(`a stream of events may go on for ever, where they end with ${name}`, async () => {
    const chunks = Array.from({ length: 40 }, () => [MIB, ...pieces]).flat()
    const [size] = await read('Text/Event-Stream; charset=utf-8', chunks)
    assert.equal(size, 40 * (2 ** 20 + pieces.join('').length))
  })
}

test('a body that is buffered is cut off, even with the content type of an event stream', async () => {
  const chunks = Array.from({ length: 17 }, () => [MIB, '\n\n']).flat()
  for (const [type, options] of [
    ['text/event-stream', { status: 202 }],
    ['text/event-stream', { status: 400 }],
    ['text/event-stream', { status: 500 }],
    ['text/event-stream', { mayStream: false }],
    ['text/event-stream-of-mine', {}],
  ] as const) {
    const [size] = await read(type, chunks, options)
    assert.match(String(size), /larger than 16 MiB/, `${type} ${JSON.stringify(options)}`)
  }
})

test('one event above the limit is cut off, however it begins', async () => {
  const chunks = [
    'data: 1\n\n',
    ...Array.from({ length: 17 }, () => Buffer.concat([MIB, Buffer.from('\n')])),
  ]
  assert.match(String((await read('text/event-stream', chunks))[0]), /larger than 16 MiB/)
})

test('SERVER-2: a document or event of very many values is cut off before it is parsed', async () => {
  const chunks = Array.from({ length: 30 }, () => '{},'.repeat(10_000))
  for (const type of ['application/json', 'text/event-stream']) {
    const [size, ends] = await read(type, ['data: 1\n\n', ...chunks])
    assert.match(String(size), /more than 200,000 values/, type)
    assert.deepEqual(ends, ['sent a message above the limits'])
  }
  const [size] = await read(
    'text/event-stream',
    chunks.map((chunk) => `${chunk}\n\n`),
  )
  assert.equal(size, 30 * 30_002)
})

import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { readAtMost, readBeginning } from './read-at-most.ts'

const chunks = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text))

test('readAtMost() gives the whole stream, also one that is exactly at the limit', async () => {
  assert.equal(String(await readAtMost(Readable.from(chunks('ab', 'cd')), 4)), 'abcd')
  assert.equal(String(await readAtMost(new Response('abcd').body, 4)), 'abcd')
  assert.deepEqual(await readAtMost(null, 4), Buffer.alloc(0))
})

test('readAtMost() cancels what is longer, and does not read it to its end', async () => {
  let given = 0
  let isCancelled = false
  const long = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      given += 1
      controller.enqueue(Buffer.alloc(1000))
      if (given === 100) controller.close()
    },
    cancel: () => {
      isCancelled = true
    },
  })
  assert.ok((await readAtMost(long, 4999)) === undefined)
  assert.ok(isCancelled)
  assert.ok(given < 10, `${given} chunks were taken`)
})

test('readAtMost() passes on why a stream broke off', async () => {
  const broken = Readable.from(
    (function* () {
      yield Buffer.from('ab')
      throw new Error('gone')
    })(),
  )
  await assert.rejects(readAtMost(broken, 4), /gone/)
})

test('readBeginning() reads to the end and keeps the beginning', async () => {
  const stream = Readable.from(chunks('abc', 'def', 'ghi'))
  const { bytes, isWhole } = await readBeginning(stream, 4)
  assert.deepEqual([String(bytes), isWhole, stream.readableEnded], ['abcd', false, true])
  const whole = await readBeginning(Readable.from(chunks('ab', 'cd')), 4)
  assert.deepEqual([String(whole.bytes), whole.isWhole], ['abcd', true])
})

test('readBeginning() takes a stream that breaks off, or closes early, for one that has ended', async () => {
  const broken = new PassThrough()
  broken.write('ab')
  const reading = readBeginning(broken, 4)
  broken.destroy(new Error('gone'))
  assert.equal((await reading).isWhole, true)
  const closed = new PassThrough()
  closed.destroy()
  assert.equal(String((await readBeginning(closed, 4)).bytes), '')
})

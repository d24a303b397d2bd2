import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { Redactor } from '../../kernel/ports.ts'
import { followErrors, STDERR_ALLOWANCE } from './follow-errors.ts'
import { createLogRing } from './log-ring.ts'

const redactor: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}
const SECONDS = 20

/** The most bytes that may be read in that time. */
const most = STDERR_ALLOWANCE.atOnce + SECONDS * STDERR_ALLOWANCE.perSecond

/** Reads an endless stderr, on a clock that only moves while the reader waits; counts what was read in `SECONDS`. */
async function readFor(chunk: Buffer) {
  let ms = 0
  let bytes = 0
  let chunks = 0
  const flood = new Readable({
    highWaterMark: 1,
    read() {
      const isOver = ms >= SECONDS * 1000 || bytes > 2 * most || chunks > most / 256
      this.push(isOver ? null : chunk)
    },
  })
  const ring = createLogRing(redactor, () => ms)
  const follow = ring.follow.bind(ring)
  const counted = (from: 'stderr' | 'stdout') => {
    const follower = follow(from)
    return {
      end: () => follower.end(),
      push(piece: Uint8Array) {
        bytes += piece.length
        chunks += 1
        follower.push(piece)
      },
    }
  }
  const clock = { now: () => ms, sleep: async (forMs: number) => void (ms += forMs) }
  await followErrors(flood, { ...ring, follow: counted }, clock)
  return { bytes, chunks, lines: ring.lines() }
}

test('SERVER-2: of a flood no more is read than the allowance, and the log says that it is held back', async () => {
  const { bytes, lines } = await readFor(Buffer.from('x\n'.repeat(32_768)))
  assert.ok(bytes <= most + 2 * 65_536, `${bytes} of ${most}`)
  assert.ok(bytes > most / 2, `${bytes}: it is read on as the allowance comes back`)
  assert.equal(lines.at(-1)?.text, 'It writes more to standard error than is read: it has to wait')
})

test('SERVER-2: a flood of tiny chunks is not read more often for that', async () => {
  const { chunks } = await readFor(Buffer.from('x\n'))
  assert.ok(chunks <= most / 512, `${chunks}`)
})

test('a program that says much when it starts is read at once, to its last line', async () => {
  const ring = createLogRing(redactor, () => 0)
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'e'.repeat(99)}\n`)
  const whole = Buffer.from(lines.join(''))
  const pieces = Array.from({ length: Math.ceil(whole.length / 65_536) }, (_, index) =>
    whole.subarray(index * 65_536, (index + 1) * 65_536),
  )
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error('it was held back')) }
  await followErrors(Readable.from(pieces), ring, clock)
  assert.match(ring.lines().at(-1)?.text ?? '', /^line 19999 /)
})

test('a pipe that breaks ends the reading, with what was said before', async () => {
  const ring = createLogRing(redactor, () => 0)
  const broken = new Readable({ read: () => undefined })
  const heard = followErrors(broken, ring)
  broken.push('last words')
  broken.once('data', () => setImmediate(() => broken.destroy(new Error('EPIPE'))))
  await heard
  assert.deepEqual(
    ring.lines().map(({ text }) => text),
    ['last words'],
  )
})

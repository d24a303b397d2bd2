import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LineReader } from './line-reader.ts'

const limits = { lineBytes: 64, floodBytes: 256 }

function read(chunks: readonly Buffer[], limit: typeof limits = limits): string[] {
  const seen: string[] = []
  const reader = new LineReader(limit, {
    line: (text) => void seen.push(text),
    oversize: (head, tail) => void seen.push(`oversize ${head.slice(0, 4)} ${tail.slice(-4)}`),
    flood: () => void seen.push('flood'),
  })
  for (const chunk of chunks) reader.push(chunk)
  return seen
}

function cut(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

test('lines are the same wherever the text is cut, also inside a character', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })),
      fc.array(fc.nat()),
      (raw, cuts) => {
        const lines = raw.map((line) => line.replaceAll('\n', ' ').toWellFormed())
        const seen = read(cut(lines.map((line) => `${line}\n`).join(''), cuts), {
          ...limits,
          lineBytes: 999,
        })
        assert.deepEqual(seen, lines)
      },
    ),
  )
})

test('of a line above the limit the two ends are told, and the next line is whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 57, max: 200 }), fc.array(fc.nat()), (length, cuts) => {
      const seen = read(cut(`HEAD${'x'.repeat(length)}TAIL\nnext\n`, cuts))
      assert.deepEqual(seen, ['oversize HEAD TAIL', 'next'])
    }),
    // The end of the line came in two pieces, the first of them still within the limit.
    { examples: [[57, [1_782_757_286, 1_658_520_351]]] },
  )
})

test('a line of exactly the limit is a line', () => {
  assert.deepEqual(read([Buffer.from(`${'x'.repeat(64)}\n`)]), ['x'.repeat(64)])
})

test('a line without an end is told once', () => {
  const chunk = Buffer.alloc(100, 'x')
  assert.deepEqual(read(Array.from({ length: 10 }, () => chunk)), ['flood'])
})

test('a line that arrives byte by byte is whole, and costs little more than itself', () => {
  const bytes = Array.from({ length: 300_000 }, (_, index) => Buffer.from([97 + (index % 26)]))
  const [line] = read([...bytes, Buffer.from('\n')], { lineBytes: 2 ** 20, floodBytes: 2 ** 21 })
  assert.equal(line, Buffer.concat(bytes).toString())
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

test('a hundred megabytes without an end cost next to no memory', async () => {
  const chunk = Buffer.alloc(65_536, 'x')
  const before = process.memoryUsage().arrayBuffers
  const reader = new LineReader(
    { lineBytes: 2 ** 20, floodBytes: 2 ** 30 },
    { line: () => undefined, oversize: () => undefined, flood: () => undefined },
  )
  for (let count = 0; count < 1600; count += 1) reader.push(Buffer.from(chunk))
  const isSmall = (): boolean => process.memoryUsage().arrayBuffers - before < 64 * 2 ** 20
  // Chunks that nobody holds are counted until a thread in the background has freed them.
  for (let looks = 0; looks < 3000 && !isSmall(); looks += 1) {
    collectGarbage()
    await delay(20)
  }
  assert.ok(isSmall())
  reader.push(chunk) // keeps the reader from being collected, too
})

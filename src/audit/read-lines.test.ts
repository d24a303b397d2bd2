import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Line, readLines } from './read-lines.ts'

async function linesOf(path: string, from: number, to: number): Promise<Line[]> {
  return await Array.fromAsync(readLines(path, from, to))
}

test('readLines() hands on every line that starts in the span, and only those', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cordon-lines-'))
  const path = join(folder, 'log')
  // Lines around the size of a chunk, and a few far too long for a record.
  const length = fc.oneof(fc.nat(40), fc.constantFrom(65_535, 65_536, 65_537, 262_143, 400_000))
  const span = fc.tuple(fc.array(length, { maxLength: 6 }), fc.nat(), fc.boolean())
  await fc.assert(
    fc.asyncProperty(span, async ([lengths, seed, ended]) => {
      const text = lengths.map((size, n) => String(n).repeat(size)).join('\n') + (ended ? '\n' : '')
      await writeFile(path, text)
      const from = seed % (text.length + 1)
      const expected: { start: number; end: number; whole: boolean }[] = []
      for (let start = 0; start < text.length; ) {
        const newline = text.indexOf('\n', start)
        const end = newline === -1 ? text.length : newline + 1
        if (start >= from) expected.push({ start, end, whole: newline !== -1 })
        start = end
      }
      const lines = await linesOf(path, from, text.length)
      assert.deepEqual(
        lines.map(({ start, end, whole }) => ({ start, end, whole })),
        expected,
      )
      for (const { bytes, start, end, whole } of lines) {
        const content = text.slice(start, whole ? end - 1 : end)
        assert.ok(bytes.toString() === content || (bytes.length === 0 && content.length > 65_536))
      }
    }),
    { numRuns: 60 },
  )
  await rm(folder, { recursive: true })
})

test('readLines() finds no lines where there is no file', async () => {
  assert.deepEqual(await linesOf(join(tmpdir(), 'cordon-no-such-file'), 0, 100), [])
})

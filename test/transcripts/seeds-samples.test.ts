/** No sample of the specifications is forgotten: each is cited by a transcript, or says why it has none. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SAMPLES } from './seeds-samples.ts'

const here = new URL('./', import.meta.url)
const transcripts = globSync('seeds-0*.test.ts', { cwd: here })
  .map((file) => readFileSync(new URL(file, here), 'utf8'))
  .join('\n')

const samples = Object.entries(SAMPLES)

test('every sample is cited by a transcript, or says why it is none', () => {
  const isCited = (id: string): boolean => transcripts.includes(id)
  assert.deepEqual(
    samples
      .filter(([id, { because }]) => isCited(id) === (because !== undefined))
      .map(([id]) => id),
    [],
  )
})

test('every line that is to be typed is typed', () => {
  const isTyped = (id: string): boolean => transcripts.includes(`typed('${id}')`)
  assert.deepEqual(
    samples.filter(([id, { typed }]) => typed !== undefined && !isTyped(id)).map(([id]) => id),
    [],
  )
})

test('none is left out of the list: so many are in C, and so many in D', () => {
  const from = (letter: string) => samples.filter(([id]) => id.startsWith(letter)).length
  assert.deepEqual([from('C'), from('D')], [20, 44])
})

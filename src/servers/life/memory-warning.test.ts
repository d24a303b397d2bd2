import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryWarning } from './memory-warning.ts'

test('MemoryWarning says once for each session that a server uses more than 100 MB', async () => {
  const said: string[] = []
  const warning = new MemoryWarning({ add: (_from, text) => void said.push(text) })
  const using = (bytes: number | undefined) => ({
    process: { memoryBytes: () => Promise.resolve(bytes) } as never,
  })
  await warning.look(using(99_000_000))
  await warning.look(using(undefined))
  await warning.look({ process: undefined })
  assert.deepEqual(said, [])
  const heavy = using(143_200_000)
  await warning.look(heavy)
  await warning.look(heavy)
  assert.deepEqual(said, [
    'It uses 143 MB of memory, more than the 100 MB that a server usually needs',
  ])
  await warning.look(using(120_000_000))
  assert.equal(said.length, 2)
})

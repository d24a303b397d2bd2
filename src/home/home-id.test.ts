import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHomeId } from './home-id.ts'

test('a home keeps its id, and one whose file is damaged gets another', async () => {
  const kept = new Map<string, string>()
  const files = {
    read: async (path: string) => {
      const content = kept.get(path)
      return content === undefined ? undefined : Buffer.from(content)
    },
    write: async (path: string, content: string | Uint8Array) =>
      void kept.set(path, String(content)),
  }
  const id = await readHomeId('a', files)
  assert.equal(await readHomeId('a', files), id)
  assert.notEqual(await readHomeId('b', files), id)
  kept.set('a', id.slice(0, 20))
  const other = await readHomeId('a', files)
  assert.notEqual(other, id)
  assert.equal(await readHomeId('a', files), other)
})

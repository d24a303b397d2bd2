import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeTexts } from './merge-texts.ts'

async function* say(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

async function* wait(until: Promise<string>): AsyncGenerator<string> {
  yield await until
}

test('mergeTexts() gives every text of every stream, and a slow one holds none up', async () => {
  const slow = Promise.withResolvers<string>()
  const got: string[] = []
  for await (const text of mergeTexts(wait(slow.promise), say('a', 'b'))) {
    got.push(text)
    if (text === 'b') slow.resolve('late')
  }
  assert.deepEqual(got, ['a', 'b', 'late'])
})

test('mergeTexts() ends when its reader leaves, though a stream still waits', async () => {
  const never = Promise.withResolvers<string>()
  for await (const text of mergeTexts(wait(never.promise), say('a'))) {
    assert.equal(text, 'a')
    break
  }
})

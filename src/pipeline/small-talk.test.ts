import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallTalk } from './small-talk.ts'

test('a question about Cordon itself is answered without a plan, and a request is not small talk', () => {
  for (const words of ['What can you do?', 'what can I say here', 'how does this work'])
    assert.match(smallTalk(words) ?? '', /`\/tools` lists what I can use now/)
  for (const words of ['what can you do with notes.txt', 'how does this work in Notion'])
    assert.equal(smallTalk(words), undefined, words)
})

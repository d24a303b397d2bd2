import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

test('disconnect takes the words that connected an account', async () => {
  for (const words of [['Notion', 'as', 'work'], ['notion-work']]) {
    const ran = await runFake(['disconnect', ...words, '--yes'], {
      'mcp.show': async () => ({}) as never,
      'connect.remove': async () => ({ removedSecrets: [], removedData: false }),
    })
    const removed = ran.calls.find(([route]) => route === 'connect.remove')
    assert.partialDeepStrictEqual(removed?.[1], { server: 'notion-work' })
    assert.match(ran.stdout, /^Disconnected notion-work\./)
  }
})

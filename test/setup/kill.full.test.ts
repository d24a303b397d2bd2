/** `kill -9` in every state of a connection over the real store, vault and definitions, then a new start. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite, test } from 'node:test'
import { startChild } from '../fixtures/doomed-child.ts'

const CHILD = new URL('kill.child.ts', import.meta.url)

/** The point of the kill, and the phase after the next start, before the person sends a message. */
const POINTS = [
  ['start 0', 'awaiting-credential'],
  ['asking 0', 'awaiting-credential'],
  ['storing 0', 'awaiting-credential'],
  ['set', 'awaiting-credential'], // the first token is bad, which is found out only now
  ['installing 0', 'awaiting-credential'],
  ['connecting 0', 'awaiting-credential'],
  ['add', 'awaiting-credential'],
  ['asking 1', 'awaiting-credential'],
  ['verifying 1', 'connected'],
  ['connected 1', 'connected'],
] as const

suite('a connect flow survives kill -9', { concurrency: 2 }, () => {
  for (const [point, resumed] of POINTS) {
    test(`at ${JSON.stringify(point)}`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'cordon-setup-'))
      try {
        assert.equal((await startChild(CHILD, folder, point).ended).signal, 'SIGKILL')
        const { said } = await startChild(CHILD, folder).ended
        assert.deepEqual(JSON.parse(said), {
          resumed,
          phase: 'connected',
          isAccepted: true,
          servers: ['notion'],
          secrets: ['notion_token'],
          notes: 0,
          deletions: 0,
          chat: 1, // "connect notion"
          errors: [],
        })
      } finally {
        await rm(folder, { recursive: true })
      }
    })
  }
})

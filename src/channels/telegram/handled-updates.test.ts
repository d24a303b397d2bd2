import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SharedNotes } from '../../kernel/ports.ts'
import { openHandledUpdates } from './handled-updates.ts'

const PLACE = { chat: '1', message: '2' }

/** Notes in memory, shared by all that are opened over them. `loses`: the next answer is lost after the write. */
function sharedNotes(): SharedNotes & { loses: boolean } {
  const all = new Map<string, string>()
  return {
    loses: false,
    async add(_kind, id, content) {
      const isNew = !all.has(id)
      if (isNew) all.set(id, content)
      if (this.loses) throw new Error('The connection is lost')
      return isNew
    },
    put: async (_kind, id, content) => void all.set(id, content),
    list: async () => [...all].map(([id, content]) => ({ id, content })),
    remove: async (_kind, id) => void all.delete(id),
  }
}

test('of two processes the first one begins an update, and the other knows it from then on', async () => {
  const notes = sharedNotes()
  const deps = { notes, now: () => 0 }
  const [one, two] = [await openHandledUpdates(deps), await openHandledUpdates(deps)]
  assert.equal(await one.begin(7, PLACE), true)
  assert.equal(await two.begin(7, PLACE), false)
  assert.deepEqual([one.has(7), two.has(7)], [true, true])
})

test('an update whose note was written and not confirmed is begun by the same process alone', async () => {
  const notes = sharedNotes()
  const deps = { notes, now: () => 0 }
  const [one, two] = [await openHandledUpdates(deps), await openHandledUpdates(deps)]
  notes.loses = true
  await assert.rejects(one.begin(7, PLACE), /lost/)
  await assert.rejects(two.begin(7, PLACE), /lost/)
  notes.loses = false
  assert.equal(await two.begin(7, PLACE), false)
  assert.equal(await one.begin(7, PLACE), true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../kernel/principal.ts'
import type { SwappedNotes } from '../../ports/swapped-notes-port.ts'
import { openClients } from '../open-clients.ts'
import { createSignIns } from './create-sign-ins.ts'
import { createNotes } from './fake-notes.ts'

async function openKernel(notes: SwappedNotes) {
  const audit = { append: () => undefined as never, appendDurable: async () => undefined as never }
  const shared = { owner: OWNER.id, notes, audit, isShared: true, now: Date.now }
  const clients = await openClients({
    ...shared,
    files: { write: async () => undefined, remove: async () => undefined },
    folder: '/clients',
    offerChanges: { announce: () => undefined },
  })
  return createSignIns({ ...shared, clients, port: 1, fetchFrom: () => fetch })
}

test('CLIENT-1: programs of one name that sign in at the same moment, at two kernels, are clients of their own', async () => {
  const notes = createNotes()
  const kernels = [await openKernel(notes), await openKernel(notes)]
  const signingIn = kernels.flatMap((kernel, at) =>
    [0, 1].map(async (count) => {
      const program = { clientId: `program-${at}-${count}`, clientName: 'Editor' }
      const redirectUri = 'http://127.0.0.1:2/callback'
      await kernel.allow({ ...program, redirectUri, challenge: 'c', resource: 'r' })
    }),
  )
  await Promise.all(signingIn)
  const clients = (await notes.list('client')).map(({ id }) => id)
  assert.deepEqual(clients.toSorted(), ['editor', 'editor-2', 'editor-3', 'editor-4'])
})

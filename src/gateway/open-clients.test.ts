import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Audit, SharedNotes } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { openClients } from './open-clients.ts'

/** A store of several kernels, in memory. `slow` delays the answers to reads that begin now. */
function createStore() {
  const rows = new Map<string, string>()
  const store = { slow: undefined as Promise<void> | undefined }
  const notes: SharedNotes = {
    async put(kind, id, content) {
      rows.set(`${kind}\n${id}`, content)
    },
    async list(kind) {
      const own = [...rows].filter(([key]) => key.startsWith(`${kind}\n`))
      await store.slow
      return own.map(([key, content]) => ({ id: key.slice(kind.length + 1), content }))
    },
    async add(kind, id, content) {
      const isNew = !rows.has(`${kind}\n${id}`)
      if (isNew) rows.set(`${kind}\n${id}`, content)
      return isNew
    },
    async remove(kind, id) {
      rows.delete(`${kind}\n${id}`)
    },
  }
  return { notes, store }
}

const clock = { now: 1_000_000 }

async function openKernel(notes: SharedNotes) {
  const audit: Pick<Audit, 'appendDurable'> = { appendDurable: async () => undefined as never }
  return await openClients({
    owner: OWNER.id,
    notes,
    audit,
    files: { write: async () => undefined, remove: async () => undefined },
    folder: '/clients',
    isShared: true,
    offerChanges: { announce: () => undefined },
    now: () => (clock.now += 1000),
  })
}

test('CLIENT-1: what a removed client has open ends at another kernel, also if its name is given anew between two looks', async () => {
  const { notes } = createStore()
  const [one, two] = [await openKernel(notes), await openKernel(notes)]
  const { client, token } = await one.add({ name: 'claude', taint: 'ask' })
  assert.ok(await two.admit(token))
  const open = two.revoked(client)
  assert.equal(open.aborted, false)
  await one.remove('claude')
  const { client: later, token: another } = await one.add({ name: 'claude', taint: 'ask' })
  assert.ok(await two.admit(another))
  assert.equal(open.aborted, true)
  assert.equal(two.revoked(client).aborted, true, 'it is not the client that has its name now')
  assert.equal(two.revoked(later).aborted, false)
})

test('CLIENT-1: an edit of a client ends nothing that it has open', async () => {
  const { notes } = createStore()
  const clients = await openKernel(notes)
  const { client } = await clients.add({ name: 'claude', taint: 'ask' })
  const open = clients.revoked(client)
  await clients.edit('claude', { taint: 'deny' })
  assert.equal(open.aborted, false)
})

test('CLIENT-1: a client that is cut off loses what it has open at every kernel, and stays a client', async () => {
  const { notes } = createStore()
  const [one, two] = [await openKernel(notes), await openKernel(notes)]
  const client = await one.addSignedIn('cursor')
  await two.list()
  for (let count = 0; count < 2; count += 1) {
    const open = [one, two].map((kernel) => kernel.revoked(client))
    await one.cutOff('cursor')
    await two.list()
    assert.deepEqual(
      open.map(({ aborted }) => aborted),
      [true, true],
    )
  }
  assert.equal(one.revoked(client).aborted, false)
  assert.deepEqual(await two.list(), [client])
})

test('GATE-1: rows that were read before a client was removed do not let it in again', async () => {
  const { notes, store } = createStore()
  const clients = await openKernel(notes)
  const { client, token } = await clients.add({ name: 'claude', taint: 'ask' })
  const late = Promise.withResolvers<void>()
  store.slow = late.promise
  const reading = clients.list()
  store.slow = undefined
  await clients.remove('claude')
  late.resolve()
  await reading
  assert.equal(clients.find('claude'), undefined)
  assert.equal(clients.revoked(client).aborted, true)
  assert.equal(await clients.admit(token), undefined)
})

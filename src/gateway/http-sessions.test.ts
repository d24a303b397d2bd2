import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Notes } from '../kernel/ports.ts'
import type { Label } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import type { GatewayClient } from '../ports/client-port.ts'
import type { JsonObject } from '../text/json.ts'
import { answerMessage, type Peer } from './answer-message.ts'
import { raiseLabel } from './client-session.ts'
import { Drain } from './drain.ts'
import { HttpSessions } from './http-sessions.ts'

const CLIENT: GatewayClient = { name: 'claude', taint: 'ask', createdAt: '' }
const OTHER: GatewayClient = { ...CLIENT, name: 'cursor' }
/** Registered under the same name, after the first one was removed. */
const LATER: GatewayClient = { ...CLIENT, createdAt: 'later' }
const HOUR_MS = 3_600_000

function createNotes(): { -readonly [K in keyof Notes]: Notes[K] } & {
  readonly rows: Map<string, string>
} {
  const rows = new Map<string, string>()
  return {
    rows,
    async put(kind, id, content) {
      rows.set(`${kind}\n${id}`, content)
    },
    async list(kind) {
      const own = [...rows].filter(([key]) => key.startsWith(`${kind}\n`))
      return own.map(([key, content]) => ({ id: key.slice(kind.length + 1), content }))
    },
    async remove(kind, id) {
      rows.delete(`${kind}\n${id}`)
    },
  }
}

function house() {
  const notes = createNotes()
  const clock = { now: 1_000_000 }
  const log = { info() {}, warn() {}, error: () => assert.fail('nothing goes wrong') }
  const kernel = (): HttpSessions => new HttpSessions({ now: () => clock.now, log, shared: notes })
  return { notes, clock, kernels: [kernel(), kernel()] as const }
}

const saidBy = (origin: string): Label => ({
  integrity: 'external',
  level: 'sensitive',
  origins: new Set([origin]),
})

const originsOf = (peer: Peer | undefined): readonly string[] =>
  [...(peer?.session.label.origins ?? [])].toSorted()

describe('HttpSessions of several kernels', () => {
  test('GATE-2: what a client has read at one kernel labels its words at the other, in both eras', async () => {
    const { kernels } = house()
    const [one, two] = kernels
    const { id, peer } = one.open(CLIENT)
    await one.keep(CLIENT, id)
    raiseLabel(peer.session, saidBy('mail'))
    await one.keep(CLIENT, id)
    assert.deepEqual(originsOf(await two.find(CLIENT, id)), ['mail'])
    raiseLabel((await one.shared(CLIENT)).session, saidBy('notes'))
    await one.keep(CLIENT, undefined)
    assert.deepEqual(originsOf(await two.shared(CLIENT)), ['notes'])
  })

  test('GATE-2: a client is told of progress once another kernel knows whose words that are', async () => {
    const { kernels } = house()
    const [one, two] = kernels
    const { session } = await one.shared(CLIENT)
    const known: Promise<readonly string[]>[] = []
    const told: unknown[] = []
    const notify = one.telling(CLIENT, undefined, ({ at }) => {
      told.push(at)
      known.push(Promise.resolve(two.shared(CLIENT)).then(originsOf))
    })
    for (const at of ['mail', 'web']) {
      raiseLabel(session, saidBy(at))
      notify?.({ at })
    }
    await one.keep(CLIENT, undefined)
    assert.deepEqual(told, ['mail', 'web'], 'all of it before the answer')
    assert.ok((await known[0])?.includes('mail'))
    assert.deepEqual(await known[1], ['mail', 'web'])
  })

  test('GATE-2: of two requests that end together, the later label is the one that stays', async () => {
    const { kernels, notes } = house()
    const [one, two] = kernels
    const { session } = await one.shared(CLIENT)
    const { put } = notes
    const waits = [50, 0]
    notes.put = async (...row) => {
      await delay(waits.shift() ?? 0)
      await put(...row)
    }
    raiseLabel(session, saidBy('mail'))
    const first = one.keep(CLIENT, undefined)
    raiseLabel(session, saidBy('web'))
    await Promise.all([first, one.keep(CLIENT, undefined)])
    assert.deepEqual(originsOf(await two.shared(CLIENT)), ['mail', 'web'])
  })

  test('GATE-2: labels that two kernels raise at the same time are both kept', async () => {
    const { kernels } = house()
    const [one, two] = kernels
    const { id } = one.open(CLIENT)
    await one.keep(CLIENT, id)
    const [here, there] = [await one.find(CLIENT, id), await two.find(CLIENT, id)]
    if (here) raiseLabel(here.session, saidBy('mail'))
    if (there) raiseLabel(there.session, saidBy('web'))
    await Promise.all([two.keep(CLIENT, id), one.keep(CLIENT, id)])
    for (const kernel of kernels) {
      assert.deepEqual(originsOf(await kernel.find(CLIENT, id)), ['mail', 'web'])
    }
  })

  test('GATE-5: a session and its results are found by no other client, and by no other session', async () => {
    const { kernels } = house()
    const [one, two] = kernels
    const { id, peer } = one.open(CLIENT)
    const value = new Labelled('long', { label: saidBy('mail') })
    const handle = peer.session.results.keep(value, 4)
    await one.keep(CLIENT, id)
    assert.equal(await two.find(OTHER, id), undefined)
    const found = await two.find(CLIENT, id)
    await two.bring(CLIENT, id, { text: { $result: handle } })
    assert.deepEqual([...(found?.session.results.find(handle)?.label.origins ?? [])], ['mail'])
    const { id: second, peer: another } = two.open(CLIENT)
    await two.bring(CLIENT, second, { id: handle })
    assert.equal(another.session.results.find(handle), undefined)
  })

  test('GATE-5: a client that was removed leaves nothing to a later one of its name, at any kernel', async () => {
    const { kernels } = house()
    const [one] = kernels
    const { session } = await one.shared(CLIENT)
    raiseLabel(session, saidBy('mail'))
    const handle = session.results.keep(new Labelled('long', { label: saidBy('mail') }), 4)
    await one.keep(CLIENT, undefined)
    const { id } = one.open(CLIENT)
    await one.keep(CLIENT, id)
    for (const kernel of kernels) {
      const { session: later } = await kernel.shared(LATER)
      await kernel.bring(LATER, undefined, { id: handle })
      assert.equal(later.results.find(handle), undefined)
      assert.deepEqual([...later.label.origins], [])
      assert.equal(await kernel.find(LATER, id), undefined)
    }
  })

  test('a session that is closed at one kernel, or silent for an hour, is over at all, and leaves no row', async () => {
    const { kernels, clock, notes } = house()
    const [one, two] = kernels
    const { id, peer } = one.open(CLIENT)
    peer.session.results.keep(new Labelled('long', { label: saidBy('mail') }), 4)
    await one.keep(CLIENT, id)
    assert.equal(await two.close(CLIENT, id), true)
    assert.equal(await one.find(CLIENT, id), undefined)
    assert.equal(notes.rows.size, 0)
    const { id: silent } = one.open(CLIENT)
    await one.keep(CLIENT, silent)
    clock.now += HOUR_MS + 1
    assert.equal(await two.find(CLIENT, silent), undefined)
  })
})

test('a client that opens session after session ends its own, and no other client’s', async () => {
  let now = 1_000_000
  const sessions = new HttpSessions({ now: () => now, log })
  const others = Array.from({ length: 10 }, () => sessions.open(OTHER).id)
  const read = await sessions.shared(CLIENT)
  raiseLabel(read.session, saidBy('mail'))
  const first = sessions.open(CLIENT).id
  const inUse = sessions.open(CLIENT).id
  for (let count = 0; count < 2000; count += 1) {
    now += 1
    sessions.open(CLIENT)
    assert.ok(sessions.find(CLIENT, inUse), 'a session in use is not the one to go')
  }
  for (const id of others) assert.ok(sessions.find(OTHER, id))
  assert.equal(await sessions.find(CLIENT, first), undefined)
  assert.deepEqual(originsOf(await sessions.shared(CLIENT)), ['mail'], 'nor is what it has read')
  assert.ok(sessions.usedSince(0) <= 1002)
})

const log = { info() {}, warn() {}, error: () => assert.fail('nothing goes wrong') }

test('GATE-5: a client that was removed leaves nothing to a later one of its name', async () => {
  const sessions = new HttpSessions({ now: () => 0, log })
  const { session } = await sessions.shared(CLIENT)
  raiseLabel(session, saidBy('mail'))
  const handle = session.results.keep(new Labelled('long', { label: saidBy('mail') }), 4)
  const { session: later } = await sessions.shared(LATER)
  assert.equal(later.results.find(handle), undefined)
  assert.deepEqual([...later.label.origins], [])
})

test('GATE-2: what a client reads at the end of a request of more than an hour labels its next words', async () => {
  let now = 1_000_000
  const sessions = new HttpSessions({ now: () => now, log })
  const long = await sessions.shared(CLIENT)
  const working = Promise.withResolvers<JsonObject>()
  const answering = { handle: () => working.promise, drain: new Drain(), log }
  const request = { kind: 'request', id: 1, method: 'tools/call', params: {} } as const
  const cancelling = new AbortController()
  const answered = answerMessage(answering, long, request, { cancelling })
  now += 2 * HOUR_MS
  assert.equal((await sessions.shared(CLIENT)).session, long.session, 'it is at work')
  now += HOUR_MS
  raiseLabel(long.session, saidBy('mail'))
  working.resolve({})
  await answered
  now += HOUR_MS - 1
  assert.deepEqual(originsOf(await sessions.shared(CLIENT)), ['mail'])
  now += HOUR_MS + 1
  assert.deepEqual(originsOf(await sessions.shared(CLIENT)), [], 'silent for an hour')
})

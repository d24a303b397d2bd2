import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notes } from '../../kernel/ports.ts'
import { openPairings } from './pairings.ts'

const ADA = { id: '1', name: 'Ada' }
const WRONG = ['AAAA-AAA2', 'AAAA-AAA3', 'AAAA-AAA4', 'AAAA-AAA5', 'aaaaaaa6']

function createNotes(): Notes {
  const all = new Map<string, string>()
  return {
    put: async (kind, id, content) => void all.set(`${kind}/${id}`, content),
    async list(kind) {
      const own = [...all].filter(([key]) => key.startsWith(`${kind}/`))
      return own.map(([key, content]) => ({ id: key.slice(kind.length + 1), content }))
    },
    remove: async (kind, id) => void all.delete(`${kind}/${id}`),
  }
}

async function open(notes = createNotes()) {
  const clock = { now: 1_000_000 }
  return { notes, clock, pairings: await openPairings({ notes, now: () => clock.now }) }
}

test('CHAT-1: a code is void after five guesses, also over a restart; ordinary words are no guess', async () => {
  const { notes, pairings } = await open()
  const { code } = await pairings.createCode(undefined)
  for (const text of ['hello', 'is it you?', '12345678', ...WRONG.slice(0, 4)])
    assert.equal(await pairings.tryCode(text, ADA), undefined)
  const { pairings: again } = await open(notes)
  assert.equal(await again.tryCode(WRONG[4] ?? '', ADA), undefined)
  assert.equal(await again.tryCode(code, ADA), undefined)
})

test('CHAT-1: a code is void after ten minutes, after its use, and when there is a newer one', async () => {
  const { pairings, clock } = await open()
  const late = await pairings.createCode(undefined)
  clock.now += 10 * 60_000 + 1
  assert.equal(await pairings.tryCode(late.code, ADA), undefined)
  const older = await pairings.createCode(undefined)
  const { code } = await pairings.createCode(undefined)
  assert.equal(await pairings.tryCode(older.code, ADA), undefined)
  const both = [pairings.tryCode(code, ADA), pairings.tryCode(code, { id: '2', name: 'Eve' })]
  const paired = (await Promise.all(both)).filter((person) => person !== undefined)
  assert.deepEqual(
    paired.map(({ id, role }) => [id, role]),
    [['1', 'owner']],
  )
  const shared = await pairings.createCode('paired')
  assert.equal((await pairings.tryCode(shared.code, { id: '3', name: 'Bob' }))?.role, 'paired')
  assert.equal(await pairings.tryCode(shared.code, { id: '4', name: 'Eve' }), undefined)
})

test('a second account of the owner is refused, until the first is unpaired', async () => {
  const { pairings } = await open()
  await pairings.tryCode((await pairings.createCode('owner')).code, ADA)
  await assert.rejects(pairings.createCode('owner'), { code: 'channels.owner-paired' })
  assert.equal((await pairings.createCode(undefined)).role, 'paired')
  await assert.rejects(pairings.remove('9'), { code: 'channels.not-paired' })
  await pairings.remove('1')
  assert.equal((await pairings.createCode(undefined)).role, 'owner')
})

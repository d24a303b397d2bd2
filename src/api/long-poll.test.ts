import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from './contract.ts'
import { nextView, pausePoll } from './long-poll.ts'
import type { ConnectionView } from '../ports/setup-port.ts'

const view: ConnectionView = {
  connection: 'f1',
  service: 'github',
  title: 'GitHub',
  phase: 'awaiting-credential',
  expiresAt: '',
  said: [],
  version: 7,
}

/** Answers at once, as the kernel does when the signal is aborted or it is closing. */
function apiOf(answers: () => ConnectionView): Api {
  return { call: async () => answers() }
}

test('nextView() returns the first view that is newer', async () => {
  const rest = [view, { ...view, version: 9 }]
  const api = apiOf(() => rest.shift() ?? view)
  assert.equal((await nextView(api, view, new AbortController().signal)).version, 9)
})

test('nextView() asks once where the signal is aborted already, and ends', async () => {
  let asked = 0
  const api = apiOf(() => {
    asked += 1
    return view
  })
  await assert.rejects(nextView(api, view, AbortSignal.abort()), { name: 'AbortError' })
  assert.equal(asked, 1)
})

test('nextView() lets everything else run, though the API answers at once with nothing new', async () => {
  const leaving = new AbortController()
  setImmediate(() => leaving.abort()) // never runs if the loop spins
  const following = nextView(
    apiOf(() => view),
    view,
    leaving.signal,
  )
  await assert.rejects(following, { name: 'AbortError' })
})

test('pausePoll() needs no signal', async () => {
  await pausePoll()
})

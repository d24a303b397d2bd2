/** A run whose approval cannot be asked for, since the store is away: it waits for the store, and nothing of it is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Approvals } from '../../src/kernel/ports.ts'
import { until } from '../fixtures/until.ts'
import { never, startOf } from './engine-house.ts'
import { NOTE, openWithTools, READ } from './engine-tools.ts'

/** The store is away when the owner is asked for the first time about each call. */
function awayOnce(): Approvals {
  const asked = new Set<string>()
  return {
    async ask({ request: { callId } }) {
      if (asked.has(callId)) return { kind: 'approved', approval: 'a', by: OWNER.id }
      asked.add(callId)
      throw new CordonError('store.unreachable', { exit: 5, hint: '' }, 'Cannot use the database')
    },
    askTogether: async () => undefined,
    useGrant: async () => true,
  }
}

const SEND = { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}', text: 'x' } }
const PLAIN = { nodes: [READ, SEND] }
const WITH_EDGE = {
  nodes: [READ, SEND, NOTE],
  edges: [
    { from: 'list', to: 'send' },
    { from: 'send', to: 'note', action: 'error' },
  ],
}

test('a store that is away while an approval is asked for neither fails the run nor takes its error edge', async (t) => {
  let now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  await using house = await openWithTools({ rooms: { consented: awayOnce() } })
  const given = { approval: 'given' } as const
  await house.flows.start(startOf('plain', PLAIN, given), never)
  await house.flows.start(startOf('edge', WITH_EDGE, given), never)
  const runs = () => Promise.all(['plain', 'edge'].map((id) => house.flows.show(id)))
  await until(async () => {
    now += 5000 // the runs are tried again after a while
    t.mock.timers.setTime(now)
    return (await runs()).every(({ endedAt }) => endedAt !== undefined)
  })
  assert.deepEqual(
    (await runs()).map(({ state, problem }) => [state, problem]),
    [
      ['completed', undefined],
      ['completed', undefined],
    ],
  )
  assert.deepEqual(house.effects(), ['send "m1"', 'send "m1"'])
})

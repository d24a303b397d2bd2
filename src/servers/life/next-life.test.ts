import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_LIMITS } from '../../text/server-limits.ts'
import * as within from './next-life.ts'
import type { Life, LifeEvent } from './next-life.ts'

const MAX_RESTARTS = DEFAULT_LIMITS.restarts
const nextLife = (life: Life, event: LifeEvent): Life => within.nextLife(life, event, MAX_RESTARTS)

const reason = 'died'
const kinds = [
  'enable',
  'disable',
  'start',
  'need',
  'handshake',
  'retry',
  'stable',
  'renew',
  'rested',
  'stop',
] as const
const events = fc.array(
  fc.oneof(
    fc.constantFrom(...kinds).map((kind): LifeEvent => ({ kind })),
    fc.constantFrom('refused', 'ended').map((kind): LifeEvent => ({ kind, reason })),
  ),
  { maxLength: 60 },
)
const hasProcess = ({ kind }: Life): boolean =>
  kind === 'starting' || kind === 'connected' || kind === 'renewing' || kind === 'stopping'

function walk(all: readonly LifeEvent[], from: Life = { kind: 'idle' }): Life[] {
  let life = from
  return all.map((event) => (life = nextLife(life, event)))
}
function after(from: Life, ...names: readonly LifeEvent['kind'][]): Life {
  return (
    walk(
      names.map((kind) => ({ kind, reason })),
      from,
    ).at(-1) ?? from
  )
}

test('a second process never begins before the first is gone', () => {
  fc.assert(
    fc.property(events, (all) => {
      let before: Life = { kind: 'idle' }
      for (const event of all) {
        const now = nextLife(before, event)
        const isGone = event.kind === 'ended' || event.kind === 'refused'
        // A step from a life with a process to one without, or to a fresh start, says that the process is gone.
        if (hasProcess(before) && !isGone)
          assert.ok(hasProcess(now), `${before.kind} ${event.kind}`)
        if (hasProcess(before) && now.kind === 'starting' && now !== before) assert.ok(isGone)
        before = now
      }
    }),
  )
})

test('a server is given up only after its last restart died too, and each restart is counted', () => {
  fc.assert(
    fc.property(events, (all) => {
      let before: Life = { kind: 'idle' }
      for (const event of all) {
        const now = nextLife(before, event)
        const used: number | undefined = 'restarts' in before ? before.restarts : undefined
        if (now.kind === 'failed' && now !== before) assert.equal(used, MAX_RESTARTS)
        if (now.kind === 'backoff' && now !== before) assert.equal(now.restarts, (used ?? 0) + 1)
        before = now
      }
    }),
  )
})

test('a disabled server does nothing until it is enabled', () => {
  fc.assert(
    fc.property(events, (all) => {
      const others = all.filter(({ kind }) => kind !== 'enable')
      for (const life of walk(others, { kind: 'disabled' })) assert.equal(life.kind, 'disabled')
    }),
  )
})

test('from everywhere, disable and the end of the process lead to disabled', () => {
  fc.assert(
    fc.property(events, (all) => {
      const life = walk(all).at(-1) ?? { kind: 'idle' }
      const disabled = after(life, 'disable')
      assert.equal(hasProcess(disabled) ? after(disabled, 'ended').kind : disabled.kind, 'disabled')
    }),
  )
})

test('three restarts, then no more, and only the owner begins again', () => {
  const deaths = ['start', 'ended', 'retry', 'ended', 'retry', 'handshake', 'ended'] as const
  const last = after({ kind: 'idle' }, ...deaths)
  assert.deepEqual(last, { kind: 'backoff', restarts: 3, reason })
  const failed = after(last, 'retry', 'handshake', 'ended')
  assert.deepEqual(failed, { kind: 'failed', reason })
  assert.equal(after(failed, 'need'), failed)
  assert.deepEqual(after(failed, 'start'), { kind: 'starting', restarts: 0 })
})

test('what could not be launched is tried again by the next call', () => {
  const life = after({ kind: 'idle' }, 'need', 'refused')
  assert.deepEqual(life, { kind: 'unavailable', reason })
  assert.deepEqual(after(life, 'need'), { kind: 'starting', restarts: 0 })
})

test('a call that comes while the server stops starts it again afterwards', () => {
  const stopping = after({ kind: 'connected', restarts: 2 }, 'stop', 'need')
  assert.deepEqual(stopping, { kind: 'stopping', target: 'starting' })
  assert.deepEqual(after(stopping, 'ended'), { kind: 'starting', restarts: 0 })
  const disabled = after({ kind: 'connected', restarts: 2 }, 'disable', 'need', 'ended')
  assert.deepEqual(disabled, { kind: 'disabled' })
})

test('a renewed server finishes its calls, then starts again with its past forgotten', () => {
  const renewing = after({ kind: 'connected', restarts: 2 }, 'renew')
  assert.deepEqual(renewing, { kind: 'renewing', restarts: 2 })
  for (const ignored of ['renew', 'need', 'start', 'stable'] as const) {
    assert.equal(after(renewing, ignored), renewing, ignored)
  }
  const stopping = after(renewing, 'rested')
  assert.deepEqual(stopping, { kind: 'stopping', target: 'starting' })
  assert.deepEqual(after(stopping, 'ended'), { kind: 'starting', restarts: 0 })
})

test('a server that dies or is stopped while its calls are finished is not started twice', () => {
  const renewing = { kind: 'renewing', restarts: 2 } as const
  const dead = after(renewing, 'ended')
  assert.deepEqual(dead, { kind: 'backoff', restarts: 3, reason })
  assert.equal(after(dead, 'rested'), dead)
  assert.deepEqual(after(renewing, 'stop', 'rested', 'ended'), { kind: 'idle' })
  assert.deepEqual(after(renewing, 'disable', 'rested', 'ended'), { kind: 'disabled' })
})

test('only a connected server is renewed, and a rest ends nothing but a renewal', () => {
  fc.assert(
    fc.property(events, (all) => {
      let before: Life = { kind: 'idle' }
      for (const event of all) {
        const now = nextLife(before, event)
        if (event.kind === 'renew' && before.kind !== 'connected') assert.equal(now, before)
        if (event.kind === 'rested' && before.kind !== 'renewing') assert.equal(now, before)
        if (now.kind === 'renewing' && now !== before) assert.equal(before.kind, 'connected')
        before = now
      }
    }),
  )
})

test('the owner chooses how often a server is started again, also never', () => {
  const died = { kind: 'ended', reason } as const
  const starting = { kind: 'starting', restarts: 0 } as const
  assert.equal(within.nextLife(starting, died, 0).kind, 'failed')
  assert.equal(within.nextLife({ ...starting, restarts: 4 }, died, 5).kind, 'backoff')
  assert.equal(within.nextLife({ ...starting, restarts: 5 }, died, 5).kind, 'failed')
  assert.equal(within.restartsOf({ limits: { restarts: { value: 0, from: 'config' } } }), 0)
  assert.equal(within.restartsOf({}), 3)
})

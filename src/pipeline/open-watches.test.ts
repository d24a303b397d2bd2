import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ToldLine } from '../ports/delivery-port.ts'
import type { FlowRun } from '../ports/flow-port.ts'
import { OWNER } from '../kernel/principal.ts'
import { OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { openWatches, type Watches } from './open-watches.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

class World {
  readonly rows = new Map<string, string>()
  readonly told: ToldLine[] = []
  readonly raised: string[] = []
  /** The runs that are kept. */
  readonly runs = new Set<string>()
  looks = 0
  value = 'buy milk'
  isFailing = false
  at = Date.parse('2030-01-01T08:00:00Z')

  open(): Watches {
    return openWatches({
      notes: {
        put: async (_kind, id, content) => void this.rows.set(id, content),
        list: async () => [...this.rows].map(([id, content]) => ({ id, content })),
        remove: async (_kind, id) => void this.rows.delete(id),
      },
      flows: {
        start: async ({ id }) => {
          this.runs.add(id)
          this.looks += 1
          return {} as FlowRun
        },
        follow: async () => {
          const problem = { code: 'x', message: 'no such file', hint: '' }
          const run = this.isFailing ? { state: 'failed', problem } : { state: 'completed' }
          return { run: run as FlowRun, events: [] }
        },
        results: async () => ({ last: new Labelled(this.value, { label: OWN_WORDS }) }),
        cancel: async () => ({}) as FlowRun,
        forget: async (id) => void this.runs.delete(id),
      },
      notices: {
        raise: (kind, about, items, why) =>
          void this.raised.push(`${kind} ${about} ${items?.join(', ')} ${why}`),
        resolve: () => undefined,
      },
      deliveries: { tell: async (line) => void this.told.push(line) },
      principal: OWNER,
      log: silent,
      now: () => this.at,
    })
  }

  /** Moves the clock, and opens the watches again, so that they look at once. */
  async lookAfter(ms: number): Promise<void> {
    this.at += ms
    const { looks } = this
    await using _watches = this.open()
    while (this.looks === looks || this.#dueAt() <= this.at) await pause(5)
  }

  #dueAt(): number {
    const due = [...this.rows.values()].map((row) => (JSON.parse(row) as { nextAt: number }).nextAt)
    return Math.min(...due)
  }
}

const WATCH = { about: 'todo.txt', ir: {}, everyMs: 60_000 }

test('a change is told where the watch was set; a look that finds nothing leaves no run', async () => {
  const world = new World()
  {
    await using watches = world.open()
    await watches.add({ ...WATCH, sink: 'sink:telegram:owner' })
  }
  await world.lookAfter(0)
  await world.lookAfter(60_000)
  assert.deepEqual([world.told, [...world.runs]], [[], []])
  world.value = 'buy tea'
  await world.lookAfter(60_000)
  assert.equal(world.runs.size, 1, 'the run that found the change is kept')
  await world.lookAfter(60_000)
  const [{ sink, text, notice } = {} as ToldLine, ...more] = world.told
  assert.deepEqual(more, [])
  assert.equal(sink, 'sink:telegram:owner')
  assert.equal(text, 'todo.txt changed. `stop watching 1` ends the watch.')
  assert.deepEqual([notice.kind, notice.subject], ['watch', 'watch-1'])
})

test('a look that fails is told once, on the owner’s machine unless the watch was set elsewhere', async () => {
  const world = new World()
  {
    await using watches = world.open()
    await watches.add(WATCH)
  }
  world.isFailing = true
  await world.lookAfter(0)
  await world.lookAfter(60_000)
  assert.deepEqual(
    world.told.map(({ sink, text }) => [sink, text]),
    [
      [
        'sink:owner',
        'I could not look at todo.txt: no such file. `stop watching 1` ends the watch.',
      ],
    ],
  )
})

test('after an absence it is said once that I was away, not for each look', async () => {
  const world = new World()
  {
    await using watches = world.open()
    await watches.add(WATCH)
    await watches.add({ ...WATCH, about: 'plan.txt' })
  }
  await world.lookAfter(0)
  await world.lookAfter(60_000)
  assert.deepEqual(world.raised, [])
  await world.lookAfter(9 * 3_600_000)
  await world.lookAfter(60_000)
  assert.deepEqual(world.raised, [
    'late watches watch of todo.txt, watch of plan.txt from 2030-01-01 08:02:00 to 2030-01-01 17:01:00',
  ])
})

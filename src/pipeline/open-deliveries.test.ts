import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Chats } from '../ports/delivery-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowRun } from '../ports/flow-port.ts'
import type { Notes } from '../kernel/ports.ts'
import { type Level, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver } from '../labels/sink.ts'
import { openDeliveries, type OwnedDeliveries } from './open-deliveries.ts'

const TELEGRAM = 'sink:telegram:owner'
const PEER = 'sink:telegram:peer:7'
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

class World {
  readonly rows = new Map<string, string>()
  readonly sent: string[] = []
  readonly raised: string[] = []
  readonly resolved: string[] = []
  readonly runs = new Map<string, Partial<FlowRun>>()
  level: Level = 'sensitive'
  /** Why the chat cannot be opened. */
  refusal: CordonError | undefined
  /** Taken by Telegram, and never answered. */
  isLost = false

  readonly notes: Notes = {
    put: async (_kind, id, content) => void this.rows.set(id, content),
    list: async () => [...this.rows].map(([id, content]) => ({ id, content })),
    remove: async (_kind, id) => void this.rows.delete(id),
  }

  readonly chats: Chats = {
    sinks: () => [
      { name: TELEGRAM, clearance: 'regulated' },
      { name: PEER, clearance: 'internal' },
    ],
    open: async (sink) => {
      if (this.refusal) throw this.refusal
      return {
        send: async (text, signal) => {
          const shown = deliver(text, { name: sink, clearance: 'regulated' })
          this.sent.push(
            `${sink}: ${shown.kind === 'shown' ? (shown.value as string) : shown.reason}`,
          )
          if (this.isLost) await pause(60_000, undefined, { signal })
        },
      }
    },
  }

  open(): OwnedDeliveries {
    const deliveries = openDeliveries({
      notes: this.notes,
      locks: { exclusively: async (_name, work) => await work() },
      log: silent,
      chats: this.chats,
      notices: {
        raise: (kind, about, items, why) =>
          void this.raised.push(`${kind} ${about} ${items?.join()} ${why}`),
        resolve: (kind, about, items) =>
          void this.resolved.push(`${kind} ${about} ${items?.join()}`),
      },
      flows: {
        follow: async (id) => {
          const run = this.runs.get(id)
          if (!run) throw new CordonError('flows.no-such-run', { exit: 2, hint: '' }, 'none')
          if (run.state === 'asking') await pause(5)
          const usual = { flow: 'digest', state: 'completed', principal: '', stepsDone: 1 } as const
          return {
            run: { id, ...usual, startedAt: '2030-01-01T08:00:00.000Z', ...run },
            events: [],
          }
        },
        results: async () => ({ last: new Labelled('all is well', { label: this.#label() }) }),
      },
      now: Date.now,
      timezone: 'UTC',
    })
    deliveries.begin()
    return deliveries
  }

  #label() {
    return { ...OWN_WORDS, integrity: 'external', level: this.level } as const
  }

  states(): readonly string[] {
    return [...this.rows.values()].map((row) => (JSON.parse(row) as { state: string }).state)
  }
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await pause(5)
}

const expected = { run: 'r1', flow: 'digest', isForOwner: true }

test('CHAT-6: a result goes to the sink that was named, once, over a restart', async () => {
  const world = new World()
  {
    await using deliveries = world.open()
    await deliveries.expect({ ...expected, sinks: [TELEGRAM] })
    world.runs.set('r1', {})
    await until(() => world.states().includes('delivered'))
    await deliveries.expect({ ...expected, sinks: [TELEGRAM] })
    const [receipt] = (await deliveries.receipts()).get('digest') ?? []
    assert.equal(receipt?.state, 'delivered')
    assert.equal(await deliveries.resultText('r1'), undefined, 'no other channel shows it')
  }
  await using _again = world.open()
  await pause(30)
  assert.deepEqual(world.sent, [`${TELEGRAM}: digest says:\n│ all is well`])
  assert.deepEqual(world.raised, [])
})

test('CHAT-6: a process that dies while it sends does not send again: a notice says that it may be there', async () => {
  const world = new World()
  world.runs.set('r1', {})
  world.isLost = true
  const dead = world.open()
  await dead.expect({ ...expected, sinks: [TELEGRAM] })
  await until(() => world.sent.length === 1)
  assert.deepEqual(world.states(), ['sending'])
  await using _again = world.open()
  await until(() => world.states().includes('unsure'))
  assert.equal(world.sent.length, 1)
  assert.match(
    world.raised.join(),
    /^result digest r1 ran \(08:00\); not sent to Telegram: I was stopped/,
  )
  await dead[Symbol.asyncDispose]()
})

test('a channel that cannot be reached is followed by the next one: a notice, which may show the result', async () => {
  const world = new World()
  world.runs.set('r1', {})
  world.refusal = new CordonError(
    'channels.unreachable',
    { exit: 5, hint: '' },
    'Cannot reach Telegram',
  )
  await using deliveries = world.open()
  await deliveries.expect({ ...expected, sinks: [TELEGRAM] })
  await until(() => world.states().includes('elsewhere'))
  assert.deepEqual(world.raised, [
    'result digest r1 ran (08:00); not sent to Telegram: Cannot reach Telegram',
  ])
  assert.equal(await deliveries.resultText('r1'), 'digest says:\n│ all is well')
  const [receipt] = (await deliveries.receipts()).get('digest') ?? []
  assert.deepEqual([receipt?.state, receipt?.reason], ['elsewhere', 'Cannot reach Telegram'])
})

test('POLICY-6: what a sink is not cleared for is not sent there, and a template that does not name the owner keeps it from the notice', async () => {
  const world = new World()
  world.runs.set('r1', {})
  await using deliveries = world.open()
  await deliveries.expect({ ...expected, sinks: [PEER], isForOwner: false })
  await until(() => world.states().includes('delivered'))
  assert.deepEqual(world.sent, [
    `${PEER}: I can't send that information to this channel for privacy reasons.`,
  ])
  world.runs.set('r2', {})
  world.refusal = new CordonError('channels.not-paired', { exit: 2, hint: '' }, 'Not paired')
  await deliveries.expect({ ...expected, run: 'r2', sinks: [PEER], isForOwner: false })
  await until(() => world.states().includes('elsewhere'))
  assert.equal(await deliveries.resultText('r2'), undefined)
})

test('on the owner’s machine a result is a notice, a failure one line, and a line of a watch its own notice', async () => {
  const world = new World()
  world.runs.set('r1', {})
  world.runs.set('r2', { state: 'failed', problem: { code: 'x', message: 'no disk', hint: '' } })
  await using deliveries = world.open()
  await deliveries.expect({ ...expected, sinks: ['sink:owner'] })
  await until(() => world.raised.length === 1)
  await deliveries.expect({ ...expected, run: 'r2', sinks: ['sink:owner', TELEGRAM] })
  await until(() => world.raised.length === 2 && world.sent.length === 1)
  const notice = {
    kind: 'watch',
    subject: 'watch-1',
    items: ['10:00'],
    reason: 'notes.txt',
  } as const
  await deliveries.tell({ id: 'watch-1-5', sink: 'sink:owner', text: 'notes.txt changed.', notice })
  await until(() => world.raised.length === 3)
  assert.deepEqual(world.raised, [
    'result digest r1 ran (08:00)',
    'result digest r2 did not work: no disk (08:00)',
    'watch watch-1 10:00 notes.txt',
  ])
  assert.deepEqual(world.sent, [`${TELEGRAM}: digest did not work: no disk.`])
  assert.equal(await deliveries.resultText('r1'), 'digest says:\n│ all is well')
})

test('CHAT-6: a scheduled run that waits for an answer is told once, as a line where its result would go', async () => {
  const world = new World()
  const question = { id: 'q1', kind: 'input', node: 'search', text: 'EVIL asks: x', choices: [] }
  world.runs.set('r1', { state: 'asking', question } as Partial<FlowRun>)
  {
    await using deliveries = world.open()
    await deliveries.expect({ ...expected, sinks: [TELEGRAM] })
    await until(() => world.sent.length > 0)
  }
  await using _again = world.open()
  await pause(30)
  assert.equal(world.sent.length, 1)
  assert.match(
    world.sent[0] ?? '',
    /^sink:telegram:owner: digest waits for your answer: the server/,
  )
  assert.match(world.sent[0] ?? '', /cordon flow resume r1/)
  assert.doesNotMatch(world.sent[0] ?? '', /EVIL/)
})

test('CHAT-6: the question of a run whose result goes to somebody else is a notice of the owner, gone at its end', async () => {
  const world = new World()
  const question = { id: 'q1', kind: 'ambiguous', node: 'search', text: '', choices: [] }
  world.runs.set('r1', { state: 'asking', question } as Partial<FlowRun>)
  await using deliveries = world.open()
  await deliveries.expect({ ...expected, sinks: [PEER], isForOwner: false })
  await until(() => world.raised.length > 0)
  assert.deepEqual(world.sent, [])
  assert.match(world.raised[0] ?? '', /^asks digest r1 a call of "search" may have happened/)
  world.runs.set('r1', {})
  await until(() => world.resolved.includes('asks digest r1'))
  assert.equal(world.raised.length, 1)
})

/**
 * Runs that wait for their owner while PostgreSQL stops, crashes or freezes: an approval and a question of a server are
 * answered afterwards, and count. No write happens twice, and nobody is asked a second time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createInputQueue, type InputQueue } from '../../src/flows/engine/input-queue.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { type FaultyPostgres, startPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { allow, openQuestion } from '../policy/approvals-house.ts'
import { addEffect, never, startOf, type TestTool, untilState } from './engine-house.ts'
import { newPlace, openWithTools, READ } from './engine-tools.ts'

const FAULTS: readonly {
  readonly name: string
  readonly strike: (server: FaultyPostgres) => Promise<void>
}[] = [
  {
    name: 'is stopped for 5 s',
    async strike(server) {
      await server.stop('SIGINT')
      await pause(5000)
      await server.restart()
    },
  },
  {
    name: 'crashes',
    async strike(server) {
      await server.stop('SIGQUIT')
      await pause(3000)
      await server.restart()
    },
  },
  {
    name: 'is frozen for 25 s',
    async strike(server) {
      server.signal('SIGSTOP')
      await pause(25_000)
      server.signal('SIGCONT')
    },
  },
]

const ASK = {
  kind: 'form',
  message: 'Which room?',
  fields: [{ kind: 'text', name: 'room', title: 'Room', isRequired: true }],
} as const

/** A tool that changes something, and asks the owner in the middle of it. */
function bookingTool(folder: string, input: InputQueue): TestTool {
  return {
    name: 'book',
    effect: 'write',
    async run({ callId }, signal) {
      const calls = { open: () => [callId], left: () => [], changed: async () => undefined }
      const answer = await input.elicit(parseServerId('box'), ASK, calls, signal)
      addEffect(folder, `book ${JSON.stringify(answer)}`)
      return { booked: true }
    },
  }
}

const SEND = [READ, { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}' } }]
const BOOK = [{ id: 'book', type: 'box.book' }]

for (const { name, strike } of FAULTS) {
  test(`FLOW-1: an approval and a question of a server are still answered after PostgreSQL ${name}`, async () => {
    await using server = await startPostgres()
    const databaseUrl = await server.createDatabase()
    const [folder, input] = [newPlace(), createInputQueue()]
    const wishes = { folder, databaseUrl, rooms: { input } }
    await using house = await openWithTools(wishes, [bookingTool(folder, input)])
    const { flows, approvals } = house
    await flows.start(startOf('sends', { nodes: SEND }), never)
    await flows.start(startOf('books', { nodes: BOOK }), never)
    const asked = await openQuestion(approvals)
    const { question } = await untilState(flows, 'books', (run) => run.question !== undefined)
    await strike(server)
    // An answer that the database takes while its connections are still being cut may be refused once more.
    const isTrue = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => true,
        () => false,
      )
    await until(
      async () =>
        await isTrue(flows.answer('books', question?.id ?? '', 'accept', { room: 'blue' })),
    )
    await until(async () => await isTrue(allow(approvals)))
    const ended = async (id: string): Promise<string | undefined> => {
      const run = await flows.show(id).catch(() => undefined)
      return run?.endedAt === undefined ? undefined : `${run.state} ${run.problem?.message ?? ''}`
    }
    for (const id of ['sends', 'books']) {
      await until(async () => (await ended(id)) !== undefined)
      assert.equal(await ended(id), 'completed ')
    }
    assert.deepEqual(
      new Set(house.effects().map((line) => line.split(' ')[0])),
      new Set(['book', 'send']),
    )
    assert.equal(house.effects().length, 2)
    assert.deepEqual(
      (await approvals.list(true)).map(({ id }) => id),
      [asked.id],
    )
  })
}

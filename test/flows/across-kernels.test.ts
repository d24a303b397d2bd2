/** Runs that another kernel works on, as one kernel shows, cancels and answers them: rows and messages, no memory. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import postgres from 'postgres'
import { createInputQueue, type InputQueue } from '../../src/flows/engine/input-queue.ts'
import { parsePrincipalId, type Principal } from '../../src/kernel/principal.ts'
import type { Template } from '../../src/kernel/tool-call.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { openStore } from '../../src/store/open-store.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import {
  type EngineHouse,
  never,
  openEngineHouse,
  startOf,
  type TestTool,
  untilOver,
  untilState,
} from './engine-house.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-across-'))
let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const CRON: Principal = { kind: 'cron', id: parsePrincipalId('principal:cron:digest') }
const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['box.*'],
  denied: [],
  maxCalls: 5,
  ceiling: 'internal',
  sinks: ['sink:owner'],
  asksForWrites: false,
}

const ASK = {
  kind: 'form',
  message: 'Which room?',
  fields: [{ kind: 'text', name: 'room', title: 'Room', isRequired: true }],
} as const

/** A tool that waits until it is told to stop, and one whose server asks the owner. */
function toolsFor(input: InputQueue, onStop: () => void): readonly TestTool[] {
  return [
    {
      name: 'hold',
      effect: 'remote-read',
      run: async (_call, signal) =>
        await new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            onStop()
            resolve({ kind: 'failed', reason: 'stopped' })
          })
        }),
    },
    {
      name: 'book',
      effect: 'remote-read',
      async run({ callId }, signal) {
        const calls = { open: () => [callId], left: () => [], changed: async () => undefined }
        const answer = await input.elicit(parseServerId('box'), ASK, calls, signal)
        return { answer: JSON.stringify(answer) }
      },
    },
    { name: 'look', effect: 'remote-read', run: () => ({ seen: 1 }) },
  ]
}

interface Two extends AsyncDisposable {
  /** Works on the runs. */
  readonly holder: EngineHouse
  /** Has none of the tools. */
  readonly other: EngineHouse
  readonly databaseUrl: string
  /** The call of `hold` was told to stop. */
  readonly stopped: Promise<void>
}

async function openTwo(): Promise<Two> {
  const databaseUrl = await server.createDatabase()
  const input = createInputQueue()
  const stopped = Promise.withResolvers<void>()
  const tools = toolsFor(input, stopped.resolve)
  const rooms = { input, home: 'machine-a:/home' }
  const holder = await openEngineHouse({ folder, databaseUrl, tools, rooms })
  const bare = { input: createInputQueue(), home: 'machine-b:/home' }
  const other = await openEngineHouse({ folder, databaseUrl, tools: [], rooms: bare })
  return {
    holder,
    other,
    databaseUrl,
    stopped: stopped.promise,
    async [Symbol.asyncDispose]() {
      await holder[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

test('every kernel shows which one works on a run, and can cancel it at once', async () => {
  await using two = await openTwo()
  const { holder, other, stopped } = two
  await holder.flows.start(startOf('held', { nodes: [{ id: 'h', type: 'box.hold' }] }), never)
  await until(async () => (await other.flows.show('held')).kernel === 'machine-a:/home')
  await until(async () => (await other.flows.show('held')).steps.length > 0)
  await other.flows.cancel('held')
  await stopped
  assert.equal((await holder.flows.show('held')).state, 'cancelled')
})

test('a question of a server can be seen and answered on any kernel', async () => {
  await using two = await openTwo()
  const { holder, other } = two
  await holder.flows.start(startOf('asks', { nodes: [{ id: 'b', type: 'box.book' }] }), never)
  const asking = await untilState(other.flows, 'asks', ({ question }) => question !== undefined)
  assert.equal(asking.state, 'asking')
  const id = asking.question?.id ?? ''
  await assert.rejects(other.flows.answer('asks', id, 'accept', { floor: 1 }), {
    code: 'flows.unfit-answer',
  })
  await other.flows.answer('asks', id, 'accept', { room: 'blue' })
  const run = await untilOver(other.flows, 'asks')
  assert.equal(run.state, 'completed')
  const { outputs } = await other.flows.show('asks')
  assert.match(JSON.stringify(outputs), /blue/)
})

test('progress of a run can be followed on any kernel', async () => {
  await using two = await openTwo()
  const { holder, other } = two
  const nodes = [
    { id: 'l', type: 'box.look' },
    { id: 'b', type: 'box.book' },
  ]
  await holder.flows.start(startOf('seen', { nodes }), never)
  const texts: string[] = []
  await until(async () => {
    const { events } = await other.flows.follow('seen', 0, AbortSignal.timeout(200))
    texts.push(...events.map(({ kind, node }) => `${kind} ${node ?? ''}`))
    return texts.includes('step l')
  })
  await holder.flows.cancel('seen')
})

test('a run that needs a newer Cordon waits for one, and says so', async () => {
  await using two = await openTwo()
  const { holder, other } = two
  await holder.flows.start(startOf('parked', { nodes: [{ id: 'b', type: 'box.book' }] }), never)
  await untilState(holder.flows, 'parked', ({ state }) => state === 'asking')
  const { host, database } = parsePostgresUrl(two.databaseUrl)
  const admin = postgres({ host, user: 'cordon', database, max: 1 })
  await admin`UPDATE cordon_flows.run SET holder = NULL, due_at = to_timestamp(0),
    needs = '["{\\"kind\\":\\"plan\\",\\"version\\":2}"]'`
  await until(async () => {
    const { waitsFor = '' } = await other.flows.show('parked')
    return waitsFor.includes('a newer Cordon planned the run')
  })
  await admin`UPDATE cordon_flows.version SET number = 3`
  await until(() => other.said.some((line) => line.includes('a newer Cordon wrote them')))
  await admin.end()
})

test('a kernel whose clock is ahead neither ends the questions of others nor takes their locks', async (t) => {
  const databaseUrl = await server.createDatabase()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const open = () => openStore({ databaseUrl, sqlitePath: path.join(folder, 'unused.db'), log })
  await using store = await open()
  const held = Promise.withResolvers<void>()
  const holding = store.locks.exclusively('one', () => held.promise, never)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_000 })
  await using ahead = await open()
  assert.ok(Math.abs(ahead.now() - store.now()) < 5000)
  const taken = ahead.locks.exclusively('one', async () => 'taken', AbortSignal.timeout(500))
  await assert.rejects(taken)
  t.mock.timers.reset()
  held.resolve()
  await holding
})

/** A kernel that does one step and has lost a need of the run after it. */
interface Losing {
  readonly house: EngineHouse
  readonly lose: () => void
}

async function openLosing(
  databaseUrl: string,
  name: string,
  look: (own: { readonly has: boolean; readonly lose: () => void }) => ReturnType<TestTool['run']>,
): Promise<Losing> {
  let has = true
  const lose = (): void => {
    has = false
  }
  const tool: TestTool = { name: 'look', effect: 'remote-read', run: () => look({ has, lose }) }
  const locked = { code: 'servers.vault-locked', message: 'the vault is locked', hint: 'Unlock it' }
  const rooms = {
    input: createInputQueue(),
    home: `machine-${name}:/home`,
    template: async () => (has ? TEMPLATE : undefined),
    readiness: async () => (has ? undefined : locked),
  }
  return { house: await openEngineHouse({ folder, databaseUrl, tools: [tool], rooms }), lose }
}

for (const what of ['template', 'server'] as const) {
  test(`a ${what} that is gone on one kernel in mid-run is waited for, and another kernel goes on`, async () => {
    const databaseUrl = await server.createDatabase()
    const steps: string[] = []
    const open = (name: string) =>
      openLosing(databaseUrl, name, ({ has, lose }) => {
        if (!has) return { kind: 'failed', code: 'vault.locked', reason: 'The vault is locked' }
        steps.push(name)
        lose()
        return { seen: steps.length }
      })
    const [{ house: first }, { house: second }] = [await open('a'), await open('b')]
    await using _first = first
    await using _second = second
    const nodes = ['one', 'two', 'three'].map((id) => ({ id, type: 'box.look' }))
    await first.flows.save('digest', { kind: 'ir', ir: { nodes } }, false)
    const source = { kind: 'saved', name: 'digest' } as const
    const limited = { principal: CRON, template: 'nightly', source }
    const more = what === 'template' ? limited : { source, approval: 'given' as const }
    await first.flows.start(startOf(what, {}, more), never)
    const shown = () => first.flows.show(what)
    await until(async () => steps.length === 2 || (await shown()).endedAt !== undefined)
    assert.equal((await shown()).problem, undefined)
    const waits = await untilState(first.flows, what, ({ waitsFor }) => waitsFor !== undefined)
    assert.equal(waits.state, 'running')
    const lack = what === 'template' ? 'it has no template "nightly"' : 'the vault is locked'
    assert.ok(waits.waitsFor?.includes(`:/home cannot: ${lack}`), waits.waitsFor)
    assert.deepEqual(steps.toSorted(), ['a', 'b'])
    await second.flows.cancel(what)
  })
}

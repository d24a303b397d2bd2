/**
 * Deliveries of a real process that is killed (`kill -9`) at any moment, over a real store on disk: no message is sent
 * twice, and none is lost. One whose fate nobody can know is told as such.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { OWNER } from '../../src/kernel/principal.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { openPlace, startChild } from '../store/engine-under-test.ts'

const RUNS = rounds(40, 12)
const SINK = 'sink:telegram:owner'
const MOST_KILLS = rounds(25, 8)

/** A process that delivers every row of the store to `address`, and ends once all of them are settled. */
function bodyFor(address: string): string {
  const from = (file: string): string => JSON.stringify(import.meta.resolve(`../../src/${file}`))
  return `
    import { setTimeout as pause } from 'node:timers/promises'
    const { openDeliveries } = await import(${from('pipeline/open-deliveries.ts')})
    const { Labelled } = await import(${from('labels/labelled.ts')})
    const { deliver } = await import(${from('labels/sink.ts')})
    const { OWN_WORDS } = await import(${from('labels/label.ts')})
    const store = await open()
    const { notes } = store.forOwner(${JSON.stringify(OWNER.id)})
    // A lock of a dead process would only be waited for, 30 seconds each: there is one process at a time.
    const locks = { exclusively: async (_name, work) => await work() }
    const sink = { name: ${JSON.stringify(SINK)}, clearance: 'regulated' }
    let last = Promise.resolve()
    const deliveries = openDeliveries({
      notes, locks, log, timezone: 'UTC', now: Date.now,
      notices: { raise: (...notice) => void notes.put('told', notice[2][0], notice[3]), resolve() {} },
      chats: {
        sinks: () => [sink],
        // Messages leave in sequence, so a kill interrupts a single one.
        async open() {
          const before = last
          const { promise, resolve } = Promise.withResolvers()
          last = promise
          await before
          return {
            async send(value, signal) {
              const body = deliver(value, sink).value
              await (await fetch(${JSON.stringify(address)}, { method: 'POST', body, signal })).text()
              resolve()
            },
          }
        },
      },
      flows: {
        follow: async (id) => ({ run: { id, state: 'completed', startedAt: '2030-01-01T08:00:00Z' }, events: [] }),
        results: async (id) => ({ last: new Labelled(id, { label: OWN_WORDS }) }),
      },
    })
    deliveries.begin()
    for (;;) {
      const rows = (await notes.list('delivery')).map(({ content }) => JSON.parse(content).state)
      if (rows.every((state) => state !== 'expected' && state !== 'sending')) break
      await pause(5)
    }
    await deliveries[Symbol.asyncDispose]()
    say('settled')
    process.exit(0)`
}

/** Takes messages. `onTaken`: one is taken, and its sender does not know yet. */
async function openService(
  received: string[],
  onTaken: () => void,
): Promise<{ readonly address: string } & Disposable> {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    await pause(Math.random() * 10)
    received.push(/run-\d+/.exec(body)?.[0] ?? body)
    onTaken()
    await pause(Math.random() * 10)
    response.end('taken')
  }
  const http = createServer((request, response) => void take(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    [Symbol.dispose]() {
      http.closeAllConnections()
      http.close()
    },
  }
}

test('CHAT-6: over real kills no result is sent twice, and none is lost', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-delivery-kill-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const place = { databaseUrl: undefined, sqlitePath: path.join(folder, 'state.db') }
  const received: string[] = []
  let kills = 0
  let victim: ReturnType<typeof startChild> | undefined
  const kill = (): void => {
    if (kills < MOST_KILLS && victim?.kill('SIGKILL')) kills += 1
  }
  // Half of the kills come while a message is taken, the others at any time.
  using service = await openService(received, () => void (Math.random() < 0.3 && kill()))
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`)
  {
    await using store = await openPlace(place)
    const { notes } = store.forOwner(OWNER.id)
    for (const id of ids) {
      const row = { id, flow: 'digest', sink: SINK, isForOwner: true, state: 'expected', at: 1 }
      await notes.put('delivery', `${id} ${SINK}`, JSON.stringify(row))
    }
  }
  for (let isSettled = false; !isSettled; ) {
    const child = startChild(place, bodyFor(service.address))
    victim = child
    const ended = once(child, 'exit')
    const said = text(child.stdout)
    const late = setTimeout(kill, 300 + Math.random() * 1500)
    await ended
    clearTimeout(late)
    isSettled = (await said).includes('settled')
  }
  await using store = await openPlace(place)
  const { notes } = store.forOwner(OWNER.id)
  const rows = (await notes.list('delivery')).map(({ content }) => JSON.parse(content) as Row)
  const told = new Set((await notes.list('told')).map(({ id }) => id))
  const twice = ids.filter((id) => received.filter((one) => one === id).length > 1)
  assert.deepEqual(twice, [])
  assert.equal(rows.length, RUNS)
  for (const { id, state } of rows) {
    if (state === 'delivered')
      assert.ok(received.includes(id), `${id} is delivered and was not sent`)
    else assert.ok(state === 'unsure' && told.has(id), `${id} is ${state}, and nobody was told`)
  }
  const unsure = rows.filter(({ state }) => state === 'unsure').length
  t.diagnostic(`${kills} kills, ${RUNS} results: ${received.length} sent, ${unsure} unsure`)
})

interface Row {
  readonly id: string
  readonly state: string
}

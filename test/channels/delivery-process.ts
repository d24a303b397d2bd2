/** Processes that deliver results over a real store, the service they deliver to, and what must hold in the end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { OWNER } from '../../src/kernel/principal.ts'
import { openPlace, type Place } from '../store/engine-under-test.ts'

const SINK = 'sink:telegram:owner'

/**
 * A process that delivers every row of the store to `address`, and ends once all of them are settled. `locks`: an
 * expression, in which `store` is the open store.
 */
export function bodyFor(address: string, locks: string): string {
  const from = (file: string): string => JSON.stringify(import.meta.resolve(`../../src/${file}`))
  return `
    import { setTimeout as pause } from 'node:timers/promises'
    const { openDeliveries } = await import(${from('pipeline/open-deliveries.ts')})
    const { Labelled } = await import(${from('labels/labelled.ts')})
    const { deliver } = await import(${from('labels/sink.ts')})
    const { OWN_WORDS } = await import(${from('labels/label.ts')})
    const store = await open()
    const stored = store.forOwner(${JSON.stringify(OWNER.id)}).notes
    const locks = ${locks}
    const sink = { name: ${JSON.stringify(SINK)}, clearance: 'regulated' }
    let last = Promise.resolve()
    let release = () => undefined
    // The next message waits for the row of the one before, so a kill finds a single row in the middle.
    const put = async (kind, id, content) => {
      await stored.put(kind, id, content)
      if (kind === 'delivery' && JSON.parse(content).state === 'delivered') release()
    }
    const notes = { put, list: stored.list.bind(stored), remove: stored.remove.bind(stored) }
    const deliveries = openDeliveries({
      notes, locks, log, timezone: 'UTC', now: Date.now,
      notices: { raise: (...notice) => void notes.put('told', notice[2][0], notice[3]), resolve() {} },
      chats: {
        sinks: () => [sink],
        async open() {
          const before = last
          const { promise, resolve } = Promise.withResolvers()
          last = promise
          await before
          release = resolve
          return {
            async send(value, signal) {
              const body = deliver(value, sink).value
              await (await fetch(${JSON.stringify(address)}, { method: 'POST', body, signal, headers: { sender: String(process.pid) } })).text()
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
export async function openService(
  received: string[],
  onTaken: (sender: number) => void,
): Promise<{ readonly address: string } & Disposable> {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    await pause(Math.random() * 10)
    received.push(/run-\d+/.exec(body)?.[0] ?? body)
    onTaken(Number(request.headers['sender']))
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

/** Writes a delivery for each of these runs. */
export async function expectAll(place: Place, ids: readonly string[]): Promise<void> {
  await using store = await openPlace(place)
  const { notes } = store.forOwner(OWNER.id)
  for (const id of ids) {
    const row = { id, flow: 'digest', sink: SINK, isForOwner: true, state: 'expected', at: 1 }
    await notes.put('delivery', `${id} ${SINK}`, JSON.stringify(row))
  }
}

interface Row {
  readonly id: string
  readonly state: string
}

/** The rows in the end: no result was sent twice, and of each that may not have arrived the owner was told. */
export async function settled(
  place: Place,
  received: readonly string[],
  ids: readonly string[],
): Promise<readonly Row[]> {
  await using store = await openPlace(place)
  const { notes } = store.forOwner(OWNER.id)
  const rows = (await notes.list('delivery')).map(({ content }) => JSON.parse(content) as Row)
  const told = new Set((await notes.list('told')).map(({ id }) => id))
  const twice = ids.filter((id) => received.filter((one) => one === id).length > 1)
  assert.deepEqual(twice, [])
  assert.equal(rows.length, ids.length)
  for (const { id, state } of rows) {
    if (state === 'delivered')
      assert.ok(received.includes(id), `${id} is delivered and was not sent`)
    else assert.ok(state === 'unsure' && told.has(id), `${id} is ${state}, and nobody was told`)
  }
  return rows
}

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { HttpLoad, type Place } from './http-load.ts'
import type { HttpRequest } from './http-request.ts'

const CHUNK = Buffer.alloc(2 ** 20)

class FakeResponse extends EventEmitter {
  readonly headersSent = false
  readonly writableEnded = false
  destroyed = false
  writableLength = 0
  writeHead = (): this => this
  write = (): boolean => true
  end = (): this => this
  destroy(): this {
    this.destroyed = true
    this.emit('close')
    return this
  }
}

function enter(load: HttpLoad, revoked: AbortSignal) {
  const response = new FakeResponse()
  const place = load.of(revoked).enter(response)
  const request = Object.assign(new EventEmitter(), { headers: {} })
  const send = (chunks: number): void => {
    for (let count = 0; count < chunks; count += 1) request.emit('data', CHUNK)
  }
  const body = place?.read(request satisfies HttpRequest)
  return { place, response, request, send, body }
}

test('GATE-8: a client holds 128 MiB of bodies at most, half-sent ones included; the next is refused, others are not', async () => {
  const load = new HttpLoad()
  const [one, two] = [new AbortController().signal, new AbortController().signal]
  const half = Array.from({ length: 8 }, () => enter(load, one))
  for (const { send } of half) send(16)
  const next = enter(load, one)
  next.send(1)
  assert.deepEqual(await next.body, {
    kind: 'refused',
    status: 429,
    why: 'Too many bytes are under way',
  })
  const other = enter(load, two)
  other.send(1)
  other.request.emit('end')
  assert.equal((await other.body)?.kind, 'whole')
  half[0]?.request.emit('end')
  assert.equal((await half[0]?.body)?.kind, 'whole')
  // A body that was read counts until its request is answered.
  const still = enter(load, one)
  still.send(1)
  assert.equal((await still.body)?.kind, 'refused')
  half[0]?.response.destroy()
  const free = enter(load, one)
  free.send(1)
  free.request.emit('end')
  assert.equal((await free.body)?.kind, 'whole')
})

test('a body above 16 MiB is refused as too long, and its bytes are given back with its answer', async () => {
  const load = new HttpLoad()
  const { signal } = new AbortController()
  for (let count = 0; count < 20; count += 1) {
    const { send, body, response } = enter(load, signal)
    send(20)
    assert.deepEqual(await body, {
      kind: 'refused',
      status: 413,
      why: 'The message is longer than 16 MiB',
    })
    response.destroy()
  }
})

test('a place that is held outlives its answer, and one whose client is gone is never given', () => {
  const load = new HttpLoad().of(new AbortController().signal)
  const enterOne = (): { place: Place | undefined; response: FakeResponse } => {
    const response = new FakeResponse()
    return { place: load.enter(response), response }
  }
  const held = Array.from({ length: 288 }, () => {
    const { place, response } = enterOne()
    const hold = place?.hold()
    response.destroy()
    return { hold, mayAsk: place?.mayAsk }
  })
  assert.equal(held.filter(({ mayAsk }) => mayAsk).length, 256)
  assert.equal(enterOne().place, undefined)
  held[0]?.hold?.[Symbol.dispose]()
  assert.ok(enterOne().place)
  for (const { hold } of held.slice(1)) hold?.[Symbol.dispose]()
  const gone = new FakeResponse().destroy()
  assert.equal(load.enter(gone), undefined)
})

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import test from 'node:test'
import { never as signal } from '../../kernel/test-never.ts'
import { createVet, type Resolve } from './vetted-addresses.ts'

const base = { now: Date.now, timeoutMs: 200 }
const answering =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses

test('createVet() keeps the public addresses and drops the others', async () => {
  const vet = createVet({
    ...base,
    resolve: answering('10.0.0.1', '93.184.216.34', '::1', '2606:4700::1111'),
  })
  assert.deepEqual(await vet('a.example', signal), {
    kind: 'vetted',
    addresses: ['93.184.216.34', '2606:4700::1111'],
  })
})

test('createVet() gives nothing for a name that has only private addresses', async () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '64:ff9b::a00:1',
    'nonsense',
    '0x7f.1',
  ]) {
    assert.deepEqual(
      await createVet({ ...base, resolve: answering(address) })('a.example', signal),
      {
        kind: 'private',
      },
    )
  }
})

test('createVet() refuses every address of this machine, public or not', async () => {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  assert.ok(own.length > 0)
  for (const { address } of own) {
    const found = await createVet({ ...base, resolve: answering(address) })('a.example', signal)
    assert.equal(found.kind, 'private', address)
  }
})

test('createVet() gives nothing when the resolver throws, hangs, or knows nothing', async () => {
  const resolvers: readonly Resolve[] = [
    () => Promise.reject(new Error('SERVFAIL')),
    () => {
      throw new Error('broken')
    },
    () => new Promise(() => undefined),
    answering(),
  ]
  for (const resolve of resolvers) {
    assert.equal((await createVet({ ...base, resolve })('a.example', signal)).kind, 'unresolved')
  }
})

test('createVet() leaves a hanging resolver behind as soon as it is told to stop', async () => {
  const stop = new AbortController()
  const vet = createVet({
    now: Date.now,
    timeoutMs: 60_000,
    resolve: () => new Promise(() => undefined),
  })
  const found = vet('a.example', stop.signal)
  stop.abort()
  assert.equal((await found).kind, 'unresolved')
})

test('createVet() asks for two names at a time, gives up on those that wait too long, and asks on', async () => {
  const asked: PromiseWithResolvers<readonly string[]>[] = []
  const vet = createVet({
    ...base,
    resolve() {
      const answer = Promise.withResolvers<readonly string[]>()
      asked.push(answer)
      return answer.promise
    },
  })
  const found = await Promise.all(['a', 'b', 'c'].map((name) => vet(`${name}.example`, signal)))
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ['unresolved', 'unresolved', 'unresolved'],
  )
  assert.equal(asked.length, 2)
  const late = vet('d.example', signal)
  for (const answer of asked) answer.resolve(['1.1.1.1'])
  await new Promise(setImmediate)
  asked.at(-1)?.resolve(['1.1.1.1'])
  assert.equal((await late).kind, 'vetted')
})

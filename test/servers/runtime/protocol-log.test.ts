/** The protocol log of a server: each message of either side, over pipes and HTTP, in both eras, with secrets masked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { define, openHouse, type TestHouse } from './direct-sandbox.ts'
import { createStreamServer, openRemote, remote } from './http-server.ts'

const id = parseServerId('it')
const SECRET = 'only-this-secret-1'

async function shapesOf(house: TestHouse): Promise<readonly string[]> {
  const messages = await house.servers.messages(id)
  return messages.map(({ direction, method = 'answer', id: number }) =>
    number === undefined ? `${direction} ${method}` : `${direction} ${method} ${number}`,
  )
}

test('a call of a local server is in the log with its answer under the same id', async () => {
  await using house = await openHouse([define('it', 'echo')])
  await house.call('it', 'echo', { text: 'said to it' })
  const shapes = await shapesOf(house)
  assert.ok(shapes.includes('sent notifications/initialized'), shapes.join())
  const call = shapes.find((shape) => shape.startsWith('sent tools/call '))
  assert.ok(shapes.includes(`received answer ${call?.split(' ')[2]}`), shapes.join())
  const texts = (await house.servers.messages(id)).map(({ text }) => text)
  assert.ok(texts.some((text) => text.includes('"arguments":{"text":"said to it"}')))
})

test('a call of a remote server is in the log, and its headers are not', async () => {
  const { listener } = createStreamServer()
  const auth = { bearer: { scheme: 'vault', name: 'token' } as const }
  await using house = await openRemote(remote({ auth }), listener, { secrets: { token: SECRET } })
  await house.call('it', 'echo', { text: 'far away' })
  const text = JSON.stringify(await house.servers.messages(id))
  assert.match(text, /far away.*far away/)
  assert.ok(!text.includes(SECRET))
})

test('a secret that a server repeats is masked before it is kept, not when it is read', async () => {
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  await using house = await openHouse([define('it', 'echo', { auth })], {
    secrets: { token: SECRET },
  })
  await house.call('it', 'echo', { text: `the word is ${SECRET}, see` })
  const kept = JSON.stringify(await house.servers.messages(id))
  assert.ok(kept.includes('the word is') && !kept.includes(SECRET), kept)
})

for (const era of ['legacy', 'modern']) {
  test(`${era}: the answer of the owner to a form of the server is not kept`, async () => {
    const content = { name: 'me@example.com', age: 7, days: ['mo'] }
    const elicit = async () => ({ action: 'accept', content }) as const
    await using house = await openHouse([define('it', `asker ${era}`)], { elicit })
    const result = await house.call('it', 'ask', { question: 'form' })
    assert.equal(result.kind, 'ok')
    const sent = (await house.servers.messages(id)).filter(({ direction }) => direction === 'sent')
    assert.ok(sent.some(({ text }) => text.includes('your answer is not kept')))
    assert.ok(!JSON.stringify(sent).includes('me@example.com'))
  })
}

test('a server that talks without end fills its log only up to its bound', async () => {
  await using house = await openHouse([define('it', 'echo')])
  for (let round = 0; round < 40; round++) await house.call('it', 'big', { bytes: 20_000 })
  const messages = await house.servers.messages(id)
  const size = messages.reduce((sum, { text }) => sum + text.length, 0)
  assert.ok(size < 128 * 1024, `${size} characters`)
  assert.ok(messages.every(({ text }) => text.length <= 4097))
  assert.ok((messages[0]?.seq ?? 0) > 1, 'the oldest are dropped')
})

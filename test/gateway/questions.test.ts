/** Questions of servers that want a page visited, and calls that their client leaves while a question may still come. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

const WAYS = [
  { way: 'http', isModern: false },
  { way: 'http', isModern: true },
  { way: 'lines', isModern: false },
  { way: 'lines', isModern: true },
] as const

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string =>
  (result.content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')

const PAGE = 'https://pay.example/confirm'
const VISIT = { mode: 'url', message: 'Confirm the payment', url: PAGE, elicitationId: 'e1' }

test('a page that a server wants visited is told to a client that opens addresses, and to no other', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { shop: ['attack-phisher'] })
  for (const how of WAYS) {
    for (const kind of ['url', 'form'] as const) {
      const asked: unknown[] = []
      const capabilities = { elicitation: { [kind]: {} } }
      const client = await connect(gateway, { ...how, capabilities }, (one) => {
        one.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params)
          return { action: 'accept' }
        })
      })
      const answer = textOf(await client.callTool({ name: 'shop__ask', arguments: VISIT }))
      const where = JSON.stringify([how, kind])
      if (kind === 'url') {
        assert.match(answer, /"action":"accept"/, where)
        const [{ mode, message, url } = {}] = asked as Readonly<Record<string, unknown>>[]
        assert.deepEqual([mode, url], ['url', PAGE], where)
        assert.match(String(message), /shop asks: Confirm the payment/)
      } else {
        assert.match(answer, /"action":"cancel"/, where)
        assert.deepEqual(asked, [], where)
      }
      await client.close()
    }
  }
})

test('a client that could answer questions and leaves its call has the call cancelled at the server', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  let count = 0
  for (const how of WAYS.filter(({ isModern }) => isModern)) {
    const capabilities = { elicitation: { form: {} } }
    const client = await connect(gateway, { ...how, capabilities }, (one) => {
      one.setRequestHandler('elicitation/create', async () => ({ action: 'cancel' }))
    })
    const stop = new AbortController()
    // The server goes on telling progress: only the client's leaving can end the call.
    let isTold = false
    const waiting = client.callTool(
      { name: 'notes__wait', arguments: { isLively: true } },
      {
        signal: stop.signal,
        onprogress: () => {
          isTold = true
        },
      },
    )
    await until(() => isTold)
    stop.abort()
    await assert.rejects(waiting)
    count += 1
    await until(async () => {
      const asked = await client.callTool({ name: 'notes__cancelled', arguments: {} })
      return textOf(asked) === String(count)
    })
    await client.close()
  }
})

const FORM = { question: 'form' }
const capabilities = { elicitation: { form: {} } }

/** A client that can be asked, and answers as `answer` does. */
async function asked(
  gateway: Awaited<ReturnType<typeof openGateway>>,
  how: Parameters<typeof connect>[1],
  answer: () => Promise<{ action: 'accept'; content: { name: string } }>,
): Promise<Client> {
  return await connect(gateway, { ...how, capabilities }, (one) => {
    one.setRequestHandler('elicitation/create', answer)
  })
}

test('a question that a client leaves unanswered does not hold up the question of another call', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { shop: ['asker', 'modern'] })
  for (const how of WAYS) {
    const left = Promise.withResolvers<never>()
    let isAsked = false
    const silent = await asked(gateway, how, () => {
      isAsked = true
      return left.promise
    })
    const waiting = silent.callTool({ name: 'shop__ask', arguments: FORM })
    waiting.catch(() => undefined)
    await until(() => isAsked)
    const prompt = await asked(gateway, how, async () => ({
      action: 'accept',
      content: { name: 'me@example.com' },
    }))
    const answer = await prompt.callTool({ name: 'shop__ask', arguments: FORM })
    assert.match(textOf(answer), /me@example\.com/, JSON.stringify(how))
    await silent.close()
    await prompt.close()
  }
})

test('two calls of one client may be asked at once, also by a server that does not say for which', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { shop: ['asker', 'legacy'] })
  const both = Promise.withResolvers<void>()
  let count = 0
  const client = await asked(gateway, { way: 'lines', isModern: false }, async () => {
    count += 1
    if (count === 2) both.resolve()
    await both.promise
    return { action: 'accept', content: { name: 'me@example.com' } }
  })
  const calls = [1, 2].map(() => client.callTool({ name: 'shop__ask', arguments: FORM }))
  for (const answer of await Promise.all(calls)) assert.match(textOf(answer), /me@example\.com/)
  await client.close()
})

test('a question that may be of two clients is put to neither, and its call goes on within seconds', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { shop: ['asker', 'legacy'] })
  const left = Promise.withResolvers<never>()
  let isAsked = false
  const silent = await asked(gateway, { way: 'lines', isModern: false }, () => {
    isAsked = true
    return left.promise
  })
  const waiting = silent.callTool({ name: 'shop__ask', arguments: FORM })
  waiting.catch(() => undefined)
  await until(() => isAsked)
  const other = await asked(gateway, { way: 'lines', isModern: false }, () =>
    assert.fail('it may be the question of the other client'),
  )
  const began = performance.now()
  const answer = await other.callTool({ name: 'shop__ask', arguments: FORM })
  assert.match(textOf(answer), /"action":"cancel"/)
  assert.ok(performance.now() - began < 30_000)
  await silent.close()
  await other.close()
})

test('GATE-6: a question that may be of a call just given up is put to its own client, and to no other', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { shop: ['asker', 'legacy'] })
  await cordon.ask(['client', 'add', 'another'])
  const token = readFileSync(path.join(cordon.home, 'clients', 'another.key'), 'utf8').trim()
  const how = { way: 'http', isModern: false } as const
  let wasAsked = 0
  const join = async (client: typeof gateway): Promise<Client> =>
    await asked(client, how, async () => {
      wasAsked += 1
      return { action: 'accept', content: { name: 'me@example.com' } }
    })
  const [left, other] = [await join(gateway), await join({ ...gateway, token })]
  const giveUp = async (): Promise<void> => {
    const leaving = new AbortController()
    const options = { signal: leaving.signal }
    const call = { name: 'shop__ask', arguments: { late: true } }
    const waiting = left.callTool(call, options)
    waiting.catch(() => undefined)
    // The call is at the server once a later one was answered there.
    await left.callTool({ name: 'shop__ask_late', arguments: {} })
    leaving.abort()
    await assert.rejects(waiting)
  }
  const askLate = async (client: Client, late: boolean): Promise<string> => {
    let answer = ''
    await until(async () => {
      answer = textOf(await client.callTool({ name: 'shop__ask_late', arguments: { late } }))
      return !answer.includes('not cancelled')
    })
    return answer
  }
  await giveUp()
  assert.match(await askLate(other, false), /"action":"cancel"/)
  assert.equal(wasAsked, 0, 'it may be the question of the call that was given up')
  assert.match(await askLate(left, false), /me@example\.com/)
  assert.equal(wasAsked, 1)
  // A server that has answered the call asks nothing more about it.
  assert.match(await askLate(other, true), /me@example\.com/)
  assert.equal(wasAsked, 2)
  await left.close()
  await other.close()
})

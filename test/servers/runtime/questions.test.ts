/** Elicitations of servers, in both eras, through one port; and questions that never reach the owner. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callFailed } from '../../../src/kernel/call-failure.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { ServerDeps } from '../../../src/servers/open-servers.ts'
import { until } from '../../fixtures/until.ts'
import { define, never, openHouse, toolCall } from './direct-sandbox.ts'

const id = parseServerId('it')
type Elicit = NonNullable<ServerDeps['elicit']>
type Asked = Parameters<Elicit>

/** An owner who answers every question in the same way. */
function ownerWho(answer: Elicit): { readonly elicit: Elicit; readonly asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    elicit(...question) {
      asked.push(question)
      return answer(...question)
    },
  }
}
const decline: Elicit = async () => ({ action: 'decline' })

for (const era of ['legacy', 'modern']) {
  const asker = (more = {}) => [define('it', `asker ${era}`, more)]

  test(`${era}: a form reaches the owner in words that can be drawn, and the answer goes back`, async () => {
    const content = { name: 'me@example.com', age: 7, days: ['mo'] }
    const { elicit, asked } = ownerWho(async () => ({ action: 'accept', content }))
    await using house = await openHouse(asker(), { elicit })
    const result = await house.call('it', 'ask', { question: 'form' })
    assert.match(JSON.stringify(result.kind === 'ok' && result.value), /me@example\.com.*7.*mo/)
    assert.deepEqual(asked[0]?.slice(0, 2), [
      'it',
      {
        kind: 'form',
        message: 'Who are you?',
        fields: [
          {
            kind: 'text',
            format: 'email',
            name: 'name',
            title: 'Your name',
            description: 'As [2Jwritten',
            isRequired: true,
          },
          { kind: 'number', isWhole: true, name: 'age', title: 'age', isRequired: false },
          { kind: 'yes-no', name: 'sure', title: 'sure', isRequired: false },
          {
            kind: 'choice',
            options: [
              { value: 'r', title: 'Red' },
              { value: 'g', title: 'Green' },
            ],
            hasEnumNames: true,
            name: 'color',
            title: 'color',
            isRequired: false,
          },
          {
            kind: 'choice',
            options: [{ value: 's', title: 'Small' }],
            name: 'size',
            title: 'size',
            isRequired: false,
          },
          {
            kind: 'choices',
            options: [
              { value: 'mo', title: 'mo' },
              { value: 'tu', title: 'tu' },
            ],
            name: 'days',
            title: 'days',
            isRequired: false,
          },
        ],
      },
    ])
    const lines = (await house.servers.logs(id)).map(({ text }) => text)
    assert.ok(lines.includes('The server asked its owner "Who are you?": accept'))
    assert.ok(!lines.join().includes('me@example.com'), 'what was answered is nobody else’s')
  })

  test(`${era}: a page to visit reaches the owner, and a no goes back`, async () => {
    const { elicit, asked } = ownerWho(decline)
    await using house = await openHouse(asker(), { elicit })
    const result = await house.call('it', 'ask', { question: 'visit' })
    assert.match(JSON.stringify(result.kind === 'ok' && result.value), /decline/)
    const url = 'https://login.example/start?a=b'
    assert.deepEqual(asked[0]?.[1], { kind: 'visit', message: 'Log in', url })
  })

  test(`${era}: an owner who takes longer than a call may does not fail it, one who never answers does`, async () => {
    const slow = ownerWho(async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 3000)
      })
      return { action: 'accept', content: { name: 'late' } }
    })
    const timings = { callMs: 2000 }
    await using patient = await openHouse(asker(), { elicit: slow.elicit, timings })
    const late = await patient.call('it', 'ask')
    assert.match(JSON.stringify(late.kind === 'ok' && late.value), /late/)

    const silent = ownerWho(() => new Promise(() => undefined))
    await using house = await openHouse(asker(), { elicit: silent.elicit, timings })
    assert.deepEqual(await house.call('it', 'ask'), {
      kind: 'failed',
      code: 'call.timeout',
      reason: 'Tool call timed out after 2s',
    })
    assert.ok(silent.asked[0]?.[3].aborted, 'the question is taken back')
    assert.equal((await house.call('it', 'ask', { question: 'script' })).kind, 'ok')
  })

  test(`${era}: a call that is given up takes its question back`, async () => {
    const { elicit, asked } = ownerWho(() => new Promise(() => undefined))
    await using house = await openHouse(asker(), { elicit })
    const caller = new AbortController()
    const call = house.servers.call(toolCall('it', 'ask', {}), caller.signal)
    await until(() => asked.length === 1)
    caller.abort()
    assert.deepEqual(await call, callFailed('call.cancelled', 'The call was cancelled'))
    assert.ok(asked[0]?.[3].aborted)
  })

  test(`${era}: an owner who cannot be asked is a cancel, not a crash`, async () => {
    const { elicit } = ownerWho(() => Promise.reject(new Error('no screen')))
    await using house = await openHouse(asker(), { elicit })
    const result = await house.call('it', 'ask')
    assert.match(JSON.stringify(result.kind === 'ok' && result.value), /cancel/)
  })

  test(`${era}: what is odd, or asks for a secret, is declined and put to nobody`, async () => {
    const { elicit, asked } = ownerWho(decline)
    await using house = await openHouse(asker(), { elicit })
    for (const [question, why] of [
      ['script', 'it leads to an address that is not plain'],
      ['plain', 'it leads to an address that is not plain'],
      ['password', 'it asks for a secret in a form'],
    ] as const) {
      const result = await house.call('it', 'ask', { question })
      assert.match(JSON.stringify(result.kind === 'ok' && result.value), /decline/, question)
      const line = `A question of the server was not put to its owner: ${why}`
      assert.ok(
        (await house.servers.logs(id)).some(({ text }) => text === line),
        question,
      )
    }
    assert.deepEqual(asked, [])
  })

  test(`${era}: SERVER-2: of ten questions at once the owner sees one at a time, and eight at most`, async () => {
    let open = 0
    let most = 0
    const { elicit, asked } = ownerWho(async () => {
      open += 1
      most = Math.max(most, open)
      // All ten have arrived before the first is answered.
      await until(async () => (await tooMuch()).length === 2)
      open -= 1
      return { action: 'accept', content: { name: 'me@example.com' } }
    })
    await using house = await openHouse([...asker(), define('echo', 'echo')], { elicit })
    const line = 'A question of the server was not put to its owner: it asks too much at once'
    const tooMuch = async () => (await house.servers.logs(id)).filter(({ text }) => text === line)
    const result = await house.call('it', 'ask', { times: 10 })
    const text = JSON.stringify(result.kind === 'ok' && result.value)
    assert.deepEqual([most, asked.length], [1, 8], text)
    assert.deepEqual([text.match(/accept/g)?.length, text.match(/decline/g)?.length], [8, 2])
    // The rest is undisturbed, and the next call may ask again.
    assert.equal((await house.call('echo', 'echo', { text: 'hi' })).kind, 'ok')
    assert.equal((await house.call('it', 'ask', {})).kind, 'ok')
    assert.equal(asked.length, 9)
  })

  test(`${era}: SERVER-3: a lent secret is hidden in a question too`, async () => {
    const { elicit, asked } = ownerWho(decline)
    const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
    const secrets = { token: 'sk-test-6a5b4c3d2e1f0a9b8c7d' }
    await using house = await openHouse(asker({ auth }), { elicit, secrets })
    await house.call('it', 'ask', { question: 'leak' })
    assert.equal(asked[0]?.[1].message, 'Is [redacted] right?')
  })

  test(`${era}: sampling and roots are offered to nobody`, async () => {
    const { elicit } = ownerWho(decline)
    await using house = await openHouse(asker(), { elicit })
    for (const question of ['sampling', 'roots']) {
      const result = await house.call('it', 'ask', { question })
      assert.match(JSON.stringify(result), /There is no|not offered/, question)
    }
  })
}

test('a modern server’s question is known to be of its own call, and waits for no other call’s', async () => {
  const open = new Map<string, () => void>()
  const { elicit } = ownerWho(async (_server, _question, calls) => {
    const [callId = '', ...others] = calls.open() ?? []
    assert.deepEqual(others, [])
    const { promise, resolve } = Promise.withResolvers<void>()
    open.set(callId, resolve)
    await promise
    return { action: 'accept', content: { name: callId } }
  })
  await using house = await openHouse([define('it', 'asker modern')], { elicit })
  await house.call('it', 'ask', { question: 'script' }) // starts it
  const call = (callId: string) => house.servers.call(toolCall('it', 'ask', {}, callId), never)
  const [first, second] = [call('first'), call('second')]
  await until(() => open.size === 2)
  open.get('second')?.()
  assert.match(JSON.stringify(await second), /second/)
  open.get('first')?.()
  assert.match(JSON.stringify(await first), /first/)
})

test('a legacy server’s question may be of every call under way, less those that it answers', async () => {
  for (const isLeft of [false, true]) {
    const seen: (readonly string[] | undefined)[] = []
    const released = Promise.withResolvers<void>()
    const { elicit } = ownerWho(async (_server, _question, calls) => {
      const isFirst = seen.push(calls.open()) === 1
      if (isFirst) await released.promise
      else seen.push(await calls.changed().then(() => calls.open()))
      return { action: 'decline' }
    })
    await using house = await openHouse([define('it', 'asker legacy')], { elicit })
    const caller = new AbortController()
    const first = house.servers.call(toolCall('it', 'ask', {}, 'first'), caller.signal)
    await until(() => seen.length === 1)
    const second = house.servers.call(toolCall('it', 'ask', {}, 'second'), never)
    await until(() => seen.length === 2)
    if (isLeft) caller.abort()
    else released.resolve()
    await Promise.all([first, second])
    // The question may have been of a call that was left: nobody else is asked.
    const last = isLeft ? undefined : ['second']
    assert.deepEqual(seen, [['first'], ['first', 'second'], last])
  }
})

test('a non-interactive session offers no elicitation, and declines one that comes anyway', async () => {
  await using house = await openHouse([define('it', 'asker legacy')])
  const result = await house.call('it', 'ask')
  assert.match(JSON.stringify(result.kind === 'ok' && result.value), /There is no elicitation/)
  const lines = (await house.servers.logs(id)).map(({ text }) => text)
  assert.ok(lines.includes('offered: nothing'))
  assert.ok(lines.includes('The server asked for "elicitation/create", which is not offered'))
  await using modern = await openHouse([define('it', 'asker modern')])
  assert.deepEqual(await modern.call('it', 'ask'), {
    kind: 'failed',
    code: 'call.unsupported',
    reason: 'The server asks the owner a question first, which cannot be put from here',
  })
})

test('a server that works on no call has nothing to ask', async () => {
  const { elicit, asked } = ownerWho(decline)
  await using house = await openHouse([define('it', 'asker legacy idle', { start: 'eager' })], {
    elicit,
  })
  await until(async () =>
    (await house.servers.logs(id)).some(({ text }) => /^unasked: .*decline/.test(text)),
  )
  assert.deepEqual(asked, [])
})

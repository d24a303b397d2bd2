import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AskingCalls, Question } from '../../kernel/elicitation.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { createInputQueue } from './input-queue.ts'

const server = parseServerId('shop')
const never = new AbortController().signal
const asked: Question = {
  kind: 'form',
  message: 'How many?',
  fields: [
    { kind: 'number', isWhole: true, name: 'count', title: 'Count', isRequired: true },
    { kind: 'text', name: 'note', title: 'Note', isRequired: false },
    {
      kind: 'choice',
      name: 'size',
      title: 'Size',
      isRequired: false,
      options: [{ value: 's', title: 'Small' }],
    },
  ],
}

/** Every promise that can settle has. */
const settled = (): Promise<void> => new Promise(setImmediate)

/** Calls that a question may belong to; none of them ends. */
const of = (...callIds: readonly string[]): AskingCalls => ({
  open: () => callIds,
  left: () => [],
  changed: () => new Promise(() => undefined),
})

/** A queue with one call under way for each run; the calls last until `end` is called or the test ends. */
function open(...[first, ...rest]: readonly (string | { readonly now: () => number })[]) {
  const runs = (typeof first === 'string' ? [first, ...rest] : rest) as readonly string[]
  const inputs = createInputQueue(typeof first === 'object' ? first.now : Date.now)
  const told: FlowQuestion[] = []
  const over = Promise.withResolvers<void>()
  for (const run of runs) {
    const tell = (one: FlowQuestion): void => void told.push(one)
    const caller = { run, callId: run, node: 'buy', server, tell }
    void inputs.during(caller, () => over.promise)
  }
  return { inputs, told, end: over.resolve }
}

test('a question of a server is the run’s own, and its answer goes back as it was given', async () => {
  const { inputs, told } = open('r1')
  const asking = inputs.elicit(server, asked, of('r1'), never)
  await settled()
  const question = inputs.question('r1')
  assert.deepEqual(told, [question])
  assert.equal(question?.text, 'shop asks: How many?')
  assert.equal(inputs.question('r2'), undefined)
  const id = question?.id ?? ''
  assert.equal(inputs.answer('r2', id, 'accept', { count: 2 }), false)
  assert.equal(inputs.answer('r1', 'other', 'accept', { count: 2 }), false)
  assert.equal(inputs.answer('r1', id, 'accept', { count: 2, size: 's' }), true)
  assert.deepEqual(await asking, { action: 'accept', content: { count: 2, size: 's' } })
  assert.equal(inputs.question('r1'), undefined)
})

test('a field that is left out is sent with its default, and a given value is kept', async () => {
  const { inputs } = open('r1')
  const fields = [
    { kind: 'text', name: 'note', title: 'Note', isRequired: true, default: 'none' },
    { kind: 'yes-no', name: 'gift', title: 'Gift', isRequired: false, default: true },
  ] as const
  const asking = inputs.elicit(server, { kind: 'form', message: 'More?', fields }, of('r1'), never)
  await settled()
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'accept', { gift: false })
  assert.deepEqual(await asking, { action: 'accept', content: { note: 'none', gift: false } })
})

test('an answer that does not fit is refused, and the question stays', async () => {
  const { inputs } = open('r1')
  const asking = inputs.elicit(server, asked, of('r1'), never)
  await settled()
  const id = inputs.question('r1')?.id ?? ''
  for (const value of [
    {},
    { count: 1.5 },
    { count: '2' },
    { count: 2, extra: 1 },
    { count: 2, size: 'xl' },
    ['count'],
  ]) {
    assert.throws(() => inputs.answer('r1', id, 'accept', value), { code: 'flows.unfit-answer' })
  }
  assert.throws(() => inputs.answer('r1', id, 'maybe', undefined), { code: 'flows.unfit-answer' })
  assert.equal(inputs.answer('r1', id, 'decline', undefined), true)
  assert.deepEqual(await asking, { action: 'decline' })
})

test('nobody is asked where no run calls the server, or its caller cannot answer', async () => {
  const none = open()
  assert.equal(await none.inputs.elicit(server, asked, of('r1'), never), undefined)
  const over = open('r1')
  over.end()
  await settled()
  assert.equal(await over.inputs.elicit(server, asked, of('r1'), never), undefined)
  const { inputs } = open()
  const tell = () => undefined
  const caller = { run: 'c1', callId: 'c1', node: 'ask', server, tell, isUnattended: true }
  const alone = inputs.during(caller, () => inputs.elicit(server, asked, of('c1'), never))
  assert.equal(await alone, undefined)
})

test('questions of two calls that are told apart are open at once, and neither waits for the other', async () => {
  const { inputs, told } = open('r1', 'r2')
  const first = inputs.elicit(server, asked, of('r1'), never)
  const second = inputs.elicit(server, asked, of('r2'), never)
  await settled()
  assert.equal(told.length, 2)
  inputs.answer('r2', inputs.question('r2')?.id ?? '', 'decline', undefined)
  assert.deepEqual(await second, { action: 'decline' })
  assert.ok(inputs.question('r1'))
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'decline', undefined)
  assert.deepEqual(await first, { action: 'decline' })
})

/** Calls that end one by one. */
function ending(...callIds: readonly string[]) {
  let left: readonly string[] | undefined = callIds
  let ended = Promise.withResolvers<void>()
  return {
    calls: { open: () => left, left: () => [], changed: () => ended.promise },
    become: (now: readonly string[] | undefined): void => {
      left = now
      ended.resolve()
      ended = Promise.withResolvers()
    },
  }
}

test('a question that may be of two askers waits until the server has answered the other', async () => {
  const { inputs, told } = open('r1', 'r2')
  const { calls, become } = ending('r1', 'r2')
  const asking = inputs.elicit(server, asked, calls, never)
  await settled()
  assert.deepEqual(told, [])
  become(['r2'])
  await settled()
  assert.equal(told.length, 1)
  inputs.answer('r2', inputs.question('r2')?.id ?? '', 'decline', undefined)
  assert.deepEqual(await asking, { action: 'decline' })
})

test('a question that may be of a call that was given up is put to nobody', async () => {
  const { inputs, told } = open('r1', 'r2')
  const { calls, become } = ending('r1', 'r2')
  const asking = inputs.elicit(server, asked, calls, never)
  become(undefined)
  assert.equal(await asking, undefined)
  assert.deepEqual(told, [])
})

test('after a call was given up, a question that may be its own is put to its own asker alone', async () => {
  const { inputs, told } = open('r1', 'r2')
  const given = inputs.askerOf('r1')
  const after = (callId: string): AskingCalls => ({ ...of(callId), left: () => [given] })
  assert.equal(await inputs.elicit(server, asked, after('r2'), never), undefined)
  assert.deepEqual(told, [])
  const own = inputs.elicit(server, asked, after('r1'), never)
  await settled()
  assert.equal(told.length, 1)
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'decline', undefined)
  assert.deepEqual(await own, { action: 'decline' })
})

test('a question that cannot be told apart ends after ten seconds, not with the other’s question', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { inputs } = open('r1', 'r2')
  void inputs.elicit(server, asked, of('r1'), never)
  const asking = inputs.elicit(server, asked, of('r1', 'r2'), never)
  await settled()
  context.mock.timers.tick(10_000)
  assert.equal(await asking, undefined)
  assert.ok(inputs.question('r1'), 'the question that was there first stays')
})

test('a question that was open for a minute gives way to another that may be told apart then', async () => {
  let time = 0
  const { inputs, told } = open({ now: () => time }, 'r1', 'r2')
  const first = inputs.elicit(server, asked, of('r1'), never)
  await settled()
  assert.equal(told.length, 1)
  time = 60_000
  const { calls, become } = ending('r1', 'r2')
  const second = inputs.elicit(server, asked, calls, never)
  assert.deepEqual(await first, { action: 'cancel' })
  become(['r2']) // the server answers the first call
  await settled()
  assert.ok(inputs.question('r2') !== undefined)
  inputs.answer('r2', inputs.question('r2')?.id ?? '', 'decline', undefined)
  assert.deepEqual(await second, { action: 'decline' })
})

test('the calls of one asker need not be told apart: one that is not being asked is', async () => {
  const inputs = createInputQueue()
  const asker = 'principal:client:claude'
  for (const run of ['r1', 'r2']) {
    const caller = { run, callId: run, asker, node: 'buy', server, tell: () => undefined }
    void inputs.during(caller, () => new Promise(() => undefined))
  }
  void inputs.elicit(server, asked, of('r1', 'r2'), never)
  void inputs.elicit(server, asked, of('r1', 'r2'), never)
  await settled()
  assert.ok(inputs.question('r2') !== undefined)
  assert.ok(inputs.question('r1'))
})

test('several questions of one run are put one after the other', async () => {
  const { inputs, told } = open('r1')
  const both = [1, 2].map(() => inputs.elicit(server, asked, of('r1'), never))
  await settled()
  assert.equal(told.length, 1)
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'decline', undefined)
  await settled()
  assert.equal(told.length, 2)
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'decline', undefined)
  await Promise.all(both)
})

test('a question ends with the call it belongs to', async () => {
  const { inputs } = open('r1')
  const call = new AbortController()
  const asking = inputs.elicit(
    server,
    { kind: 'visit', message: 'Go', url: 'https://a.test/' },
    of('r1'),
    call.signal,
  )
  await settled()
  assert.equal(inputs.question('r1')?.url, 'https://a.test/')
  call.abort()
  assert.deepEqual(await asking, { action: 'cancel' })
  assert.equal(inputs.question('r1'), undefined)
})

test('a text with the shape of a credential is not sent to a server, whichever surface gave it', async () => {
  const { inputs } = open('r1')
  void inputs.elicit(server, asked, of('r1'), never)
  await settled()
  const { id = '' } = inputs.question('r1') ?? {}
  const note = `ghp_${'a1B2'.repeat(9)}`
  assert.throws(
    () => inputs.answer('r1', id, 'accept', { count: 1, note }),
    /looks like a credential/,
  )
  assert.equal(inputs.question('r1')?.id, id, 'it can be answered again')
})

test('a run whose server waits for a person gives its place to others meanwhile', async () => {
  const inputs = createInputQueue()
  const steps: string[] = []
  const waiting = async <T>(work: () => Promise<T>): Promise<T> => {
    steps.push('steps aside')
    return await work().finally(() => steps.push('goes on'))
  }
  const asking = Promise.withResolvers<FlowQuestion>()
  const caller = { run: 'r', callId: 'r', node: 'buy', server, tell: asking.resolve, waiting }
  await inputs.during(caller, async () => {
    const answered = inputs.elicit(server, asked, of('r'), never)
    const { id } = await asking.promise
    assert.deepEqual(steps, ['steps aside'])
    assert.ok(inputs.answer('r', id, 'decline', undefined))
    assert.deepEqual(await answered, { action: 'decline' })
  })
  assert.deepEqual(steps, ['steps aside', 'goes on'])
})

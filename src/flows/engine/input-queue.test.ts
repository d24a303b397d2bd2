import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../../kernel/elicitation.ts'
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

/** A queue with one call under way for each run; the calls last until `end` is called or the test ends. */
function open(...runs: readonly string[]) {
  const inputs = createInputQueue()
  const told: FlowQuestion[] = []
  const over = Promise.withResolvers<void>()
  for (const run of runs) {
    const caller = { run, node: 'buy', server, tell: (one: FlowQuestion) => void told.push(one) }
    void inputs.during(caller, () => over.promise)
  }
  return { inputs, told, end: over.resolve }
}

test('a question of a server is the run’s own, and its answer goes back as it was given', async () => {
  const { inputs, told } = open('r1')
  const asking = inputs.elicit(server, asked, never)
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
  const asking = inputs.elicit(server, { kind: 'form', message: 'More?', fields }, never)
  inputs.answer('r1', inputs.question('r1')?.id ?? '', 'accept', { gift: false })
  assert.deepEqual(await asking, { action: 'accept', content: { note: 'none', gift: false } })
})

test('an answer that does not fit is refused, and the question stays', async () => {
  const { inputs } = open('r1')
  const asking = inputs.elicit(server, asked, never)
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

test('nobody is asked where no run calls the server, or several do', async () => {
  const none = open()
  assert.equal(await none.inputs.elicit(server, asked, never), undefined)
  const several = open('r1', 'r2')
  assert.equal(await several.inputs.elicit(server, asked, never), undefined)
  const over = open('r1')
  over.end()
  await new Promise(setImmediate)
  assert.equal(await over.inputs.elicit(server, asked, never), undefined)
  const { inputs } = open()
  const caller = { run: 'c1', node: 'ask', server, tell: () => undefined, isUnattended: true }
  const alone = inputs.during(caller, () => inputs.elicit(server, asked, never))
  assert.equal(await alone, undefined, 'a caller that cannot answer')
})

test('a question ends with the call it belongs to', async () => {
  const { inputs } = open('r1')
  const call = new AbortController()
  const asking = inputs.elicit(
    server,
    { kind: 'visit', message: 'Go', url: 'https://a.test/' },
    call.signal,
  )
  assert.equal(inputs.question('r1')?.url, 'https://a.test/')
  call.abort()
  assert.deepEqual(await asking, { action: 'cancel' })
  assert.equal(inputs.question('r1'), undefined)
})

test('a text with the shape of a credential is not sent to a server, whichever surface gave it', () => {
  const { inputs } = open('r1')
  void inputs.elicit(server, asked, never)
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
  const caller = { run: 'r', node: 'buy', server, tell: asking.resolve, waiting }
  await inputs.during(caller, async () => {
    const answered = inputs.elicit(server, asked, never)
    const { id } = await asking.promise
    assert.deepEqual(steps, ['steps aside'])
    assert.ok(inputs.answer('r', id, 'decline', undefined))
    assert.deepEqual(await answered, { action: 'decline' })
  })
  assert.deepEqual(steps, ['steps aside', 'goes on'])
})

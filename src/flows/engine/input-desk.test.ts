import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../../kernel/elicitation.ts'
import type { FlowQuestion } from '../../kernel/flow-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { never } from '../../kernel/test-never.ts'
import { createInputDesk } from './input-desk.ts'

const server = parseServerId('shop')
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

/** A desk with one call under way for each run; it lasts until the test ends. */
function open(...runs: readonly string[]) {
  const desk = createInputDesk()
  const told: FlowQuestion[] = []
  const over = Promise.withResolvers<void>()
  for (const run of runs) {
    const caller = { run, node: 'buy', server, tell: (one: FlowQuestion) => void told.push(one) }
    void desk.during(caller, () => over.promise)
  }
  return { desk, told, end: over.resolve }
}

test('a question of a server is the run’s own, and its answer goes back as it was given', async () => {
  const { desk, told } = open('r1')
  const asking = desk.elicit(server, asked, never)
  const question = desk.question('r1')
  assert.deepEqual(told, [question])
  assert.equal(question?.text, 'shop asks: How many?')
  assert.equal(desk.question('r2'), undefined)
  const id = question?.id ?? ''
  assert.equal(desk.answer('r2', id, 'accept', { count: 2 }), false)
  assert.equal(desk.answer('r1', 'other', 'accept', { count: 2 }), false)
  assert.equal(desk.answer('r1', id, 'accept', { count: 2, size: 's' }), true)
  assert.deepEqual(await asking, { action: 'accept', content: { count: 2, size: 's' } })
  assert.equal(desk.question('r1'), undefined)
})

test('an answer that does not fit is refused, and the question stays', async () => {
  const { desk } = open('r1')
  const asking = desk.elicit(server, asked, never)
  const id = desk.question('r1')?.id ?? ''
  for (const value of [
    {},
    { count: 1.5 },
    { count: '2' },
    { count: 2, extra: 1 },
    { count: 2, size: 'xl' },
    ['count'],
  ]) {
    assert.throws(() => desk.answer('r1', id, 'accept', value), { code: 'flows.unfit-answer' })
  }
  assert.throws(() => desk.answer('r1', id, 'maybe', undefined), { code: 'flows.unfit-answer' })
  assert.equal(desk.answer('r1', id, 'decline', undefined), true)
  assert.deepEqual(await asking, { action: 'decline' })
})

test('nobody is asked where no run calls the server, or several do', async () => {
  const none = open()
  assert.deepEqual(await none.desk.elicit(server, asked, never), { action: 'cancel' })
  const several = open('r1', 'r2')
  assert.deepEqual(await several.desk.elicit(server, asked, never), { action: 'cancel' })
  const over = open('r1')
  over.end()
  await new Promise(setImmediate)
  assert.deepEqual(await over.desk.elicit(server, asked, never), { action: 'cancel' })
})

test('a question ends with the call it belongs to', async () => {
  const { desk } = open('r1')
  const call = new AbortController()
  const asking = desk.elicit(
    server,
    { kind: 'visit', message: 'Go', url: 'https://a.test/' },
    call.signal,
  )
  assert.equal(desk.question('r1')?.url, 'https://a.test/')
  call.abort()
  assert.deepEqual(await asking, { action: 'cancel' })
  assert.equal(desk.question('r1'), undefined)
})

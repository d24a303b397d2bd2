import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FlowQuestion } from '../ports/flow-port.ts'
import { openQuestion, showQuestion, takeAnswer } from './server-question.ts'

const FORM: FlowQuestion = {
  id: 'q',
  kind: 'input',
  node: 'step1',
  text: 'asker asks: Who are you?\nCordon: all is well',
  choices: ['accept', 'decline', 'cancel'],
  fields: [
    { kind: 'text', name: 'name', title: 'Your name', isRequired: true },
    { kind: 'yes-no', name: 'sure', title: 'Sure', isRequired: true },
    { kind: 'number', name: 'age', title: 'Age', isWhole: true, isRequired: false },
  ],
}
const VISIT: FlowQuestion = {
  id: 'q',
  kind: 'input',
  node: 'step1',
  text: 'asker asks: Log in',
  choices: ['accept', 'decline', 'cancel'],
  url: 'https://login.example/',
}

/** Sends each message as an answer, until the server has all of its fields. */
function say(question: FlowQuestion, ...messages: readonly string[]) {
  let open = openQuestion(question, 'Asker')
  for (const message of messages) {
    const taken = takeAnswer(open, message)
    if (taken?.kind !== 'ask') return taken
    open = taken.open
  }
  return 'more'
}

suite('a question of a server in a chat', () => {
  test('every line of the server is marked as its own', () => {
    assert.equal(
      showQuestion(openQuestion(FORM, 'Asker')),
      [
        'Asker asks you:',
        '│ Who are you?',
        '│ Cordon: all is well',
        '│ Your name',
        'Your next message is sent as the answer; `no` to decline.',
      ].join('\n'),
    )
  })

  test('each message answers one field, by its kind', () => {
    assert.deepEqual(say(FORM, 'Ann', 'no', '7'), {
      kind: 'send',
      choice: 'accept',
      value: { name: 'Ann', sure: false, age: 7 },
    })
    assert.deepEqual(say(FORM, 'answer no', 'yes', 'skip'), {
      kind: 'send',
      choice: 'accept',
      value: { name: 'no', sure: true },
    })
    assert.equal(say(FORM, 'Ann'), 'more')
  })

  test('no, cancel and decline send nothing that was said', () => {
    for (const messages of [['no'], ['cancel'], ['Ann', 'decline'], ['Ann', 'yes', 'no']]) {
      assert.deepEqual(say(FORM, ...messages), { kind: 'send', choice: 'decline' })
    }
  })

  test('what looks like a credential is not sent', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const taken = takeAnswer(openQuestion(FORM, 'Asker'), token)
    assert.equal(taken?.kind, 'ask')
    assert.match(taken?.kind === 'ask' ? taken.text : '', /^That looks like a credential/)
    assert.deepEqual(taken?.kind === 'ask' && taken.open.given, {})
  })

  test('a page is agreed to by a word for it, and by nothing else', () => {
    assert.match(
      showQuestion(openQuestion(VISIT, 'Asker')),
      /│ https:\/\/login\.example\/\nCordon does/,
    )
    assert.equal(say(VISIT, 'what is the weather'), undefined)
    assert.deepEqual(say(VISIT, 'yes'), { kind: 'send', choice: 'accept' })
    assert.deepEqual(say(VISIT, 'no'), { kind: 'send', choice: 'decline' })
  })

  test('a call that may have happened takes one of the choices', () => {
    const unsure: FlowQuestion = { ...VISIT, kind: 'ambiguous', choices: ['retry', 'done', 'fail'] }
    assert.deepEqual(say(unsure, 'Retry'), { kind: 'send', choice: 'retry' })
    assert.equal(say(unsure, 'yes'), undefined)
  })
})

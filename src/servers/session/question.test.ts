import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../text/json.ts'
import { readQuestion } from './question.ts'

const form = (properties: object, more: object = {}): JsonObject =>
  ({ message: 'm', requestedSchema: { type: 'object', properties, ...more } }) as JsonObject
const unfit = (why: string) => ({ kind: 'unfit', why })

test('any elicitation of a server becomes a question or a reason for refusing it', () => {
  const words = fc.constantFrom('message', 'mode', 'url', 'requestedSchema', 'properties', 'type')
  const leaf = fc.oneof(fc.constantFrom('form', 'url', 'string', 'array', 'object'), fc.json())
  const { params } = fc.letrec<{ params: unknown }>((tie) => ({
    params: fc.dictionary(words, fc.oneof({ maxDepth: 4 }, leaf, tie('params'))),
  }))
  fc.assert(
    fc.property(params, (asked) => {
      const { kind } = readQuestion(asked as JsonObject)
      return kind === 'question' || kind === 'unfit'
    }),
  )
})

test('a form is drawn whole or not at all', () => {
  const many = Object.fromEntries(
    Array.from({ length: 33 }, (_, at) => [`f${at}`, { type: 'null' }]),
  )
  for (const properties of [
    many,
    { a: { type: 'string' }, b: { type: 'object', properties: {} } },
    { a: { type: 'string', enum: [] } },
    { a: { type: 'string', enum: ['x', 1] } },
    { a: { type: 'array', items: { type: 'string' } } },
    { a: 'string' },
  ]) {
    assert.deepEqual(readQuestion(form(properties)), unfit('has a form that cannot be drawn'))
  }
  assert.deepEqual(readQuestion({ message: 'm' }), unfit('has no form'))
  assert.deepEqual(readQuestion({ mode: 'form' }), unfit('says nothing'))
})

test('the default of a field is kept if it fits the field', () => {
  const options = { type: 'array', items: { enum: ['a', 'b'] } }
  const fields = (properties: object): unknown => {
    const read = readQuestion(form(properties))
    return read.kind === 'question' && read.question.kind === 'form'
      ? read.question.fields.map((field) => field.default)
      : read
  }
  const kept = {
    text: { type: 'string', default: '' },
    count: { type: 'integer', default: 0 },
    share: { type: 'number', default: 0.5 },
    sure: { type: 'boolean', default: false },
    size: { type: 'string', enum: ['s', 'm'], default: 'm' },
    some: { ...options, default: ['b'] },
  }
  assert.deepEqual(fields(kept), ['', 0, 0.5, false, 'm', ['b']])
  const dropped = {
    text: { type: 'string', default: 'x'.repeat(2000) },
    count: { type: 'integer', default: 0.5 },
    sure: { type: 'boolean', default: 'yes' },
    size: { type: 'string', enum: ['s'], default: 'xl' },
    some: { ...options, default: ['c'] },
  }
  assert.deepEqual(fields(dropped), Array.from({ length: 5 }))
})

test('a form that asks for a secret is known by its fields’ names and titles', () => {
  for (const [name, title] of [
    ['password', 'x'],
    ['x', 'Your API key'],
    ['githubToken', 'x'],
    ['x', 'Passphrase'],
  ] as const) {
    const asked = form({ [name]: { type: 'string', title } })
    assert.deepEqual(readQuestion(asked), unfit('asks for a secret in a form'), name)
  }
  const harmless = form({ name: { type: 'string' }, hasPassword: { type: 'boolean' } })
  assert.equal(
    readQuestion({ ...harmless, message: 'A private place: which key?' }).kind,
    'question',
  )
  assert.equal(readQuestion(harmless).kind, 'question')
})

test('a form that asks for a secret is known by the words around it, also where a number is asked for', () => {
  for (const type of ['string', 'number', 'integer']) {
    for (const [message, field] of [
      ['Enter your password below', {}],
      ['Paste the API key here', {}],
      ['m', { description: 'The one-time code that we sent you' }],
      ['m', { description: 'Your PIN, for this time' }],
      ['m', { title: 'PIN' }],
    ] as const) {
      const asked = { ...form({ x: { type, ...field } }), message }
      assert.deepEqual(readQuestion(asked), unfit('asks for a secret in a form'), message)
    }
  }
  const chosen = form({ x: { type: 'boolean' }, y: { type: 'string', enum: ['a'] } })
  assert.equal(readQuestion({ ...chosen, message: 'Store your password?' }).kind, 'question')
})

test('only a plain https page is one to visit', () => {
  for (const url of [
    'http://login.example/',
    'javascript:alert(1)',
    'https://me:secret@login.example/',
    'https://me@login.example/',
    'file:///etc/passwd',
    'nowhere',
    `https://login.example/${'x'.repeat(3000)}`,
  ]) {
    assert.equal(readQuestion({ mode: 'url', message: 'm', url }).kind, 'unfit', url)
  }
  const shown = readQuestion({ mode: 'url', message: 'm', url: 'https://login.еxample/' })
  assert.match(JSON.stringify(shown), /xn--/, 'letters that only look alike are spelled out')
})

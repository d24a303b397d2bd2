import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../text/json.ts'
import { createSchemaChecker } from './schema-checker.ts'
import { checkSimple, isSimpleSchema } from './simple-schema.ts'

const checker = createSchemaChecker()
after(() => checker[Symbol.asyncDispose]())

const types = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']
const names = fc.constantFrom('a', 'b', '__proto__', 'constructor')
const { schema: simpleSchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(...types),
        fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 }),
      ),
      enum: fc.array(fc.oneof(fc.constant(null), fc.integer({ max: 3 }), fc.boolean()), {
        minLength: 1,
      }),
      required: fc.uniqueArray(names),
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
      items: tie('schema'),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    },
    { requiredKeys: [] },
  ),
}))
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(names, fc.jsonValue({ maxDepth: 1 })),
) as fc.Arbitrary<Json>

test('on plain schemas the quick check says what the full one says', () => {
  fc.assert(
    fc.property(simpleSchema, value, (schema, instance) => {
      fc.pre(isSimpleSchema(schema))
      const full = new Validator(schema, '2020-12').validate(instance).valid
      assert.equal(checkSimple(schema, instance) === undefined, full)
    }),
    { numRuns: 500 },
  )
})

test('a schema with anything else in it is not plain', () => {
  for (const part of [
    { pattern: 'a' },
    { $ref: '#' },
    { anyOf: [{}] },
    { format: 'email' },
    { if: {} },
  ]) {
    assert.equal(isSimpleSchema({ type: 'object', properties: { a: part } }), false)
  }
  assert.equal(isSimpleSchema({ enum: [{}] }), false)
  assert.equal(isSimpleSchema({ type: 'nonsense' }), false)
})

test('a list that is longer than anybody needs is not plain', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`)
  assert.equal(isSimpleSchema({ required: many(500) }), true)
  assert.equal(isSimpleSchema({ required: many(501) }), false)
  assert.equal(isSimpleSchema({ required: ['a', 'a'] }), false)
  assert.equal(isSimpleSchema({ type: types }), true)
  assert.equal(isSimpleSchema({ type: [...types, 'null'] }), false)
})

test('the full kind is answered too, again and again', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+$' } } }
  assert.equal(await checker.check(schema, { a: 'abc' }), undefined)
  assert.equal(await checker.check(schema, { a: 'ABC' }), '#/a (pattern)')
  assert.equal(await checker.check(schema, { a: 'abc' }), undefined)
  const local = { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }
  assert.equal(await checker.check(local, 1), undefined)
  assert.equal(await checker.check(local, 'x'), '# (type)')
})

const refusals: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['refers elsewhere', { $ref: 'https://example.com/schema' }, /refers to a document elsewhere/],
  ['has a pattern that is none', { pattern: '(a' }, /a pattern that cannot be read/],
  ['has such a pattern for names', { patternProperties: { '[z-a]': {} } }, /cannot be read/],
  ['refers to itself for ever', { $ref: '#', not: {} }, /cannot be followed|takes too long/],
  ['is very large', { enum: ['x'.repeat(300_000)], pattern: 'a' }, /too large/],
  ['is very deep', deep(100), /too large/],
  ['names two parts alike', { $id: 'a:b', $defs: { c: { $id: 'a:b' } } }, /cannot be followed/],
]
for (const [what, schema, sentence] of refusals) {
  test(`a schema that ${what} fits nothing`, async () => {
    assert.match((await checker.check(schema, 'x')) ?? '', sentence)
  })
}

test('a schema that takes for ever is given up, and the next is answered', async () => {
  const branches = Array.from({ length: 12 }, () => ({ $ref: '#/$defs/a' }))
  const slow = { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { allOf: branches } } } }
  let instance: Json = []
  for (let level = 0; level < 12; level += 1) instance = [instance]
  assert.match((await checker.check(slow, instance)) ?? '', /takes too long/)
  assert.equal(await checker.check({ minimum: 1 }, 2), undefined)
})

test('a check whose answer waits for a busy main thread is no slow check', async () => {
  const schema = { properties: { a: { pattern: '^a+$' } } }
  await checker.check(schema, { a: 'a' }) // its thread runs
  const asked = checker.check(schema, { a: 'aa' })
  await new Promise(setImmediate) // the question is sent
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  assert.equal(await asked, undefined)
})

test('a pattern that RE2 has not is checked by the engine of JavaScript', async () => {
  const patterns: readonly (readonly [string, string, string])[] = [
    ['^(?!bad)[a-z]+$', 'good', 'badly'],
    ['^(a|b)\\1$', 'aa', 'ab'],
    ['^\\u0041+$', 'AA', 'BB'],
    ['^\\_a$', '_a', 'a'],
  ]
  for (const [pattern, good, bad] of patterns) {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern } } }
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await checker.check(schema, { a: good }), undefined, pattern)
      assert.equal(await checker.check(schema, { a: bad }), '#/a (pattern)', pattern)
    }
  }
  const names = { patternProperties: { '^(?=x)': { type: 'number' } } }
  assert.equal(await checker.check(names, { x: 1, y: 'a' }), undefined)
  assert.equal(await checker.check(names, { x: 'a' }), '#/x (type)')
})

/** As published by resend-mcp 2.22.0: zod 4.4 writes an e-mail address with two lookaheads. */
const SEND_EMAIL = {
  type: 'object',
  properties: {
    to: {
      type: 'array',
      items: {
        type: 'string',
        format: 'email',
        pattern:
          "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      },
      minItems: 1,
      maxItems: 50,
    },
    subject: { type: 'string' },
    text: { type: 'string' },
  },
  required: ['to', 'subject', 'text'],
}

test("the arguments of Resend's send-email are checked", async () => {
  const mail = (to: string) => ({ to: [to], subject: 'Hello', text: 'It works' })
  assert.equal(await checker.check(SEND_EMAIL, mail('ann@example.com')), undefined)
  assert.match((await checker.check(SEND_EMAIL, mail('.ann@example.com'))) ?? '', /^#\/to\/0/)
  assert.match((await checker.check(SEND_EMAIL, mail('a..b@example.com'))) ?? '', /^#\/to\/0/)
})

test('a pattern that backtracks for ever is given up, and no other schema waits for it', async () => {
  const hostile = { properties: { a: { pattern: '^(?=(a+)+$)b' } } }
  const linear = { properties: { a: { pattern: '^a+$' } } }
  await checker.check(linear, { a: 'a' }) // its thread runs
  const ended: string[] = []
  const value = { a: `${'a'.repeat(50_000)}!` }
  const late = ['1st', '2nd', '3rd'].map(async (name) => {
    assert.match((await checker.check(hostile, value)) ?? '', /takes too long/)
    ended.push(name)
  })
  assert.equal(await checker.check(linear, { a: 'aa' }), undefined)
  ended.push('other')
  await Promise.all(late)
  assert.notEqual(ended.at(-1), 'other', ended.join())
  assert.equal(
    await checker.check(SEND_EMAIL, { to: ['a@b.co'], subject: '', text: '' }),
    undefined,
  )
})

function deep(levels: number): JsonObject {
  let schema: JsonObject = { pattern: 'a' }
  for (let level = 0; level < levels; level += 1) schema = { not: schema }
  return schema
}

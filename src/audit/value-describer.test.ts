import assert from 'node:assert/strict'
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import { canonicalJson, type Json } from '../text/json.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { createValueDescriber } from './value-describer.ts'
import { createTestHome, LENT } from './test-audit.ts'

const redactor = {
  redact: (text: string) => text.replaceAll(LENT, '[redacted]').replaceAll('271828', '[redacted]'),
  stream: () => {
    throw new Error('not needed here')
  },
}
const describe = createValueDescriber(Buffer.alloc(32, 7), redactor)
const shapeOf = (value: Json): Record<string, Json> =>
  JSON.parse(describe.shape(value)) as Record<string, Json>
const previewOf = (value: Json): string => JSON.parse(describe.preview(value)) as string
// Assembled at run time, so that no secret scanner takes this file for a leak.
const UNKNOWN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

test('shape() tells types and sizes, within bounds', () => {
  const value = {
    query: 'twelve chars',
    items: [{}, {}, {}],
    mixed: [1, 'a'],
    none: [],
    nothing: null,
    flag: true,
    a: { b: { c: { d: 1 } } },
  }
  assert.deepEqual(shapeOf(value), {
    query: 'string(12)',
    items: 'array(3) of object',
    mixed: 'array(2) of mixed',
    none: 'array(0)',
    nothing: 'null',
    flag: 'boolean',
    a: { b: { c: 'object(1)' } },
  })
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, n]))
  const shape = shapeOf(wide)
  assert.equal(Object.keys(shape).length, 17)
  assert.equal(shape['…'], '24 more')
})

test('However wide a value is, its shape leaves room for the rest of the record', () => {
  let wide: Json = 1
  for (let level = 0; level < 4; level += 1) {
    const inner: Json = wide
    wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`${n}${'\u0000'.repeat(99)}`, inner]),
    )
  }
  assert.ok(describe.shape(wide).length < 8192)
})

test('shape() hides secrets in keys and cuts long ones', () => {
  const shape = describe.shape({ [LENT]: 1, [UNKNOWN]: 2, ['long '.repeat(50)]: 3 })
  assert.doesNotMatch(shape, new RegExp(`${LENT}|${UNKNOWN}`))
  assert.match(shape, /\[hidden\].*\[redacted\]/)
  assert.ok(shape.length < 150)
})

test('hash() depends on the value and on the key, not on the order of members', () => {
  const other = createValueDescriber(Buffer.alloc(32, 8), redactor)
  assert.equal(describe.hash({ a: 1, b: 2 }), describe.hash({ b: 2, a: 1 }))
  assert.notEqual(describe.hash({ a: 1 }), describe.hash({ a: 2 }))
  assert.notEqual(describe.hash({ a: 1 }), other.hash({ a: 1 }))
})

test('preview() is short, printable, and shows no secret of any kind', () => {
  assert.equal(previewOf({ q: `my ${LENT} key` }), '{"q":"my [redacted] key"}')
  assert.equal(previewOf({ q: `use ${UNKNOWN}` }), '{"q":"use [hidden]"}')
  assert.equal(
    previewOf({ password: 'tiger', pin: 271828 }),
    '{"password":"[hidden]","pin":[redacted]}',
  )
  assert.equal(previewOf({ a: [], b: {}, c: [1, null] }), '{"a":[],"b":{},"c":[1,null]}')
  assert.equal(previewOf('red\u001b[31m\u202e\u2028'), 'red\\u{1b}[31m\\u{202e}\\u{2028}')
  assert.equal(previewOf('x'.repeat(500)).length, 80)
  // Text is cut after redaction, so that no part of a secret is left at the edge.
  assert.doesNotMatch(previewOf(`${'-'.repeat(70)}${LENT}`), /correct/)
})

test('A value is described whatever it holds', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }),
      fc.string({ unit: 'binary' }),
      (value, text) => {
        const json = { value, [text]: text } as Json
        assert.match(describe.hash(json), /^"[0-9a-f]{32}"$/)
        assert.ok(previewOf(json).length <= 80)
        assert.equal(canonicalJson(shapeOf(json)), describe.shape(json))
      },
    ),
  )
})

test('AUDIT-3: no secret reaches the log, wherever in a call or an event it was', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  for (const secret of [LENT, UNKNOWN]) {
    audit.append({
      kind: `test.${secret}` as AuditKind,
      principal: OWNER.id,
      subject: `about ${secret}`,
      details: { text: secret, [secret]: [{ deep: `x ${secret} y` }] },
    })
    const entry = await audit.begin(
      {
        callId: 'c1',
        principal: OWNER,
        tool: { server: parseServerId('notion'), name: `get ${secret}` },
        args: { q: secret, [secret]: secret, list: [secret, { deep: secret }] },
      },
      { kind: 'deny', rule: `rule ${secret}`, reason: secret },
      'write',
    )
    await entry.end({ kind: 'failed', reason: `The server said ${secret}` })
    const ended = await audit.begin(
      {
        callId: 'c2',
        principal: OWNER,
        tool: { server: parseServerId('notion'), name: 'x' },
        args: {},
      },
      { kind: 'allow', rule: 'r' },
      'local-read',
    )
    await ended.end({
      kind: 'ok',
      value: { [secret]: secret },
      label: { integrity: 'external', level: 'secret', origins: new Set() },
    })
  }
  const text = (await home.bytes()).toString()
  assert.equal(text.split('\n').length, 11)
  for (const part of [LENT, UNKNOWN, LENT.slice(0, 12), UNKNOWN.slice(4, 16)]) {
    assert.ok(!text.includes(part), 'a secret is in the log')
  }
})

test('The key of the hashes is made once, and made again when it was cut', async () => {
  await using home = await createTestHome()
  const path = join(home.folder, 'hash-key')
  await (await home.open())[Symbol.asyncDispose]()
  const key = await readFile(path)
  assert.equal(key.length, 32)
  await (await home.open())[Symbol.asyncDispose]()
  assert.deepEqual(await readFile(path), key)
  await truncate(path, 5)
  await (await home.open())[Symbol.asyncDispose]()
  assert.equal((await readFile(path)).length, 32)
})

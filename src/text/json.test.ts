import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, type Json } from './json.ts'

test('canonicalJson() sorts keys by UTF-16 code units and leaves no white space', () => {
  assert.equal(
    canonicalJson({ b: [1, 'x', null], a: { d: true, c: -0 } }),
    '{"a":{"c":0,"d":true},"b":[1,"x",null]}',
  )
  assert.equal(canonicalJson({ '\u{1F600}': 1, '\uFB33': 2 }), '{"\u{1F600}":1,"\uFB33":2}')
})

test('canonicalJson() writes numbers as RFC 8785 does', () => {
  assert.equal(canonicalJson([1e21, 1e-7, 0.1, 4.5, 2e-3]), '[1e+21,1e-7,0.1,4.5,0.002]')
})

test('canonicalJson() is the same for equal values, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse())
      assert.equal(canonicalJson(value as Json), canonicalJson(reversed as Json))
      assert.deepEqual(JSON.parse(canonicalJson(value as Json)), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('canonicalJson() refuses what JSON cannot say', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, 1n]) {
    assert.throws(() => canonicalJson(value as Json), TypeError)
  }
})

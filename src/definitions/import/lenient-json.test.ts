import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { JsonMistake, parseLenientJson } from './lenient-json.ts'

test('parseLenientJson() agrees with JSON.parse on every JSON text', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (text, indent) => {
      const value: unknown = JSON.parse(text)
      assert.deepEqual(parseLenientJson(JSON.stringify(value, null, indent)), value)
    }),
  )
})

test('parseLenientJson() accepts comments of three kinds, trailing commas, an ellipsis and a byte order mark', () => {
  const text = `\uFEFF# first
{ // second
  "a": [1, 2,], /* third, "quoted" */
  "b": [...],
  "c": ["x", ...],
  "url": "https://x//y#z /* */ ...", # fourth
}`
  assert.deepEqual(parseLenientJson(text), {
    a: [1, 2],
    b: [],
    c: ['x'],
    url: 'https://x//y#z /* */ ...',
  })
})

test('parseLenientJson() keeps a key that reaches into the language as plain data', () => {
  const value = parseLenientJson('{"__proto__": {"polluted": true}}') as object
  assert.deepEqual(Object.keys(value), ['__proto__'])
  assert.equal('polluted' in {}, false)
})

const MISTAKES: readonly (readonly [string, number, number, RegExp])[] = [
  ['', 1, 1, /a value/],
  ['{"a": canary}', 1, 7, /a value/],
  ['{\n  "a": 1\n  "canary": 2\n}', 3, 3, /"," or "}"/],
  ['{\n  "a" "canary"}', 2, 7, /":"/],
  ['{"a": "canary', 1, 7, /closing quote/],
  ['{"a": "can\nary"}', 1, 7, /closing quote/],
  ['{canary: 1}', 1, 2, /double quotes/],
  ['[1 2]', 1, 4, /"," or "]"/],
  ['{} canary', 1, 4, /nothing more/],
  ['[1,', 1, 4, /a value/],
  ['/* canary', 1, 1, /a value/],
  ['[,]', 1, 2, /a value/],
]

for (const [text, line, column, expected] of MISTAKES) {
  test(`parseLenientJson() says where ${JSON.stringify(text)} goes wrong, without quoting it`, () => {
    assert.throws(
      () => parseLenientJson(text),
      (error: unknown) => {
        assert.ok(error instanceof JsonMistake)
        assert.deepEqual([error.line, error.column], [line, column])
        assert.match(error.message, expected)
        assert.doesNotMatch(error.message, /canary/)
        return true
      },
    )
  })
}

test('parseLenientJson() survives deep nesting and long texts', () => {
  assert.throws(() => parseLenientJson('['.repeat(100_000)), JsonMistake)
  const long = JSON.stringify({ text: '\\"x'.repeat(200_000), space: 1 }, null, 10)
  assert.deepEqual(parseLenientJson(long + ' '.repeat(1_000_000)), JSON.parse(long))
  assert.throws(() => parseLenientJson(`"a\\${'a'.repeat(1_000_000)}`), JsonMistake)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../text/json.ts'
import { readFlagValue, readStdin, readValue } from './read-value.ts'

function valueOf(text: string, type: string | undefined): Json | undefined {
  const read = readValue(text, type)
  return read.kind === 'value' ? read.value : undefined
}

test('readValue() leaves text alone where the type is text, any or unknown', () => {
  for (const type of ['string', 'string|null', 'integer|string', 'any', 'uuid', undefined]) {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) =>
        assert.equal(valueOf(text, type), text),
      ),
      { numRuns: 50 },
    )
  }
})

test('readValue() reads JSON where the type says so', () => {
  assert.equal(valueOf('20', 'integer'), 20)
  assert.equal(valueOf('-0.3', 'number'), -0.3)
  assert.equal(valueOf('true', 'boolean'), true)
  assert.equal(valueOf('null', 'integer|null'), null)
  assert.deepEqual(valueOf('{"a": [1, "2"]}', 'object'), { a: [1, '2'] })
  assert.deepEqual(valueOf('["a", 1]', 'array'), ['a', 1])
  assert.deepEqual(valueOf('bug', 'array'), ['bug'])
  assert.deepEqual(valueOf('7', 'integer[]'), [7])
  assert.deepEqual(valueOf('[["a"]]', 'string[][]'), [['a']])
  assert.deepEqual(valueOf('{"__proto__": 1}', 'object'), JSON.parse('{"__proto__": 1}'))
})

test('readValue() refuses what does not fit the type', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['1.5', 'integer'],
    ['ten', 'integer'],
    ['', 'number'],
    ['yes', 'boolean'],
    ['[1', 'array'],
    ['x', 'integer[]'],
    ['[]', 'object'],
    ['null', 'object'],
    ['9007199254740993', 'integer'],
    ['9007199254740993', 'number'],
    ['1e999', 'number'],
    ['{"a": 1e999}', 'object'],
    [String.raw`["\ud800"]`, 'array'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'array'],
  ]
  for (const [text, type] of wrong) assert.equal(valueOf(text, type), undefined, text.slice(0, 40))
})

test('readValue() leaves a value that is one reference for later, whatever the type', () => {
  for (const type of ['integer', 'array', 'object', 'boolean']) {
    assert.equal(valueOf('${search.count}', type), '${search.count}')
  }
  assert.equal(valueOf('1${x}', 'integer'), undefined)
})

test('readFlagValue() reads a flag that stands alone as true, and only where that can be', () => {
  assert.deepEqual(readFlagValue([undefined], 'boolean'), { kind: 'value', value: true })
  assert.deepEqual(readFlagValue([undefined], undefined), { kind: 'value', value: true })
  assert.equal(readFlagValue([undefined], 'string').kind, 'mistake')
  assert.equal(readFlagValue([undefined, 'x'], 'array').kind, 'mistake')
})

test('readFlagValue() makes a list of a repeated flag, and only where a list can be', () => {
  assert.deepEqual(readFlagValue(['1', '2'], 'integer[]'), { kind: 'value', value: [1, 2] })
  assert.deepEqual(readFlagValue(['1', '[2]'], 'array'), { kind: 'value', value: ['1', '[2]'] })
  assert.deepEqual(readFlagValue(['a', 'b'], undefined), { kind: 'value', value: ['a', 'b'] })
  assert.equal(readFlagValue(['a', 'b'], 'string').kind, 'mistake')
})

test('readStdin() takes the line feed from a single line, and leaves longer text as it is', () => {
  assert.deepEqual(readStdin('TODO comments\n', 'string'), {
    kind: 'value',
    value: 'TODO comments',
  })
  assert.deepEqual(readStdin('12\r\n', 'integer'), { kind: 'value', value: 12 })
  assert.deepEqual(readStdin('a\nb\n', 'string'), { kind: 'value', value: 'a\nb\n' })
  assert.deepEqual(readStdin('', 'string'), { kind: 'value', value: '' })
})

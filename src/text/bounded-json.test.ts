import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyJson, findInJson, isDeeperThan } from './bounded-json.ts'

type Nested = readonly (Nested | number)[]
const nested = (levels: number): Nested => (levels === 1 ? [1] : [nested(levels - 1)])
/** So deep that a walk without a limit would exhaust the stack. */
function bottomless(): unknown {
  let value: unknown = 1
  for (let level = 0; level < 1_000_000; level += 1) value = level % 2 ? [value] : { a: value }
  return value
}

test('isDeeperThan() counts lists and objects that are nested in each other', () => {
  assert.equal(isDeeperThan(1, 0), false)
  assert.equal(isDeeperThan(nested(3), 3), false)
  assert.equal(isDeeperThan(nested(4), 3), true)
  assert.equal(isDeeperThan({ a: { b: { c: [] } } }, 3), true)
  assert.equal(isDeeperThan(bottomless(), 128), true)
})

test('findInJson() gives the first find in the order of the text, and where it is', () => {
  const look = (value: unknown, path: readonly (string | number)[]): string | undefined =>
    value === 'x' ? path.join('/') : undefined
  const find = (value: unknown): string | undefined =>
    findInJson(value, { maxDepth: 3, look, tooDeep: (path) => `deep at ${path.join('/')}` })
  assert.equal(find({ a: [1, null, { b: 'x' }], c: 'x' }), 'a/2/b')
  assert.equal(find({ a: [1, 2], c: { d: 'y' } }), undefined)
  assert.equal(find('x'), '')
  assert.equal(find({ a: { b: [[]] } }), 'deep at a/b/0')
  assert.match(find(bottomless()) ?? '', /^deep at/)
})

test('findInJson() shows a list or object before its members, and looks no further after a find', () => {
  const seen: unknown[] = []
  const look = (value: unknown): true | undefined => {
    seen.push(value)
    return value === 2 || undefined
  }
  assert.ok(findInJson([1, [2], 3], { maxDepth: 9, look, tooDeep: () => true }))
  assert.deepEqual(seen, [[1, [2], 3], 1, [2], 2])
})

test('copyJson() passes every text and name on, and counts members before it copies them', () => {
  const counts: number[] = []
  const copy = copyJson(
    { a: 'b', c: [1, 'd', true, null] },
    {
      maxDepth: 2,
      text: (raw) => raw.toUpperCase(),
      tooDeep: () => '…',
      count: (members) => counts.push(members),
    },
  )
  assert.deepEqual(copy, { A: 'B', C: [1, 'D', true, null] })
  assert.deepEqual(counts, [2, 4])
})

test('copyJson() puts something else in the place of what is too deep', () => {
  const plain = { text: (raw: string) => raw, tooDeep: () => '…' }
  assert.deepEqual(copyJson(nested(3), { ...plain, maxDepth: 2 }), [['…']])
  assert.deepEqual(copyJson(nested(2), { ...plain, maxDepth: 2 }), [[1]])
  copyJson(bottomless() as Nested, { ...plain, maxDepth: 128 })
})

test('copyJson() leaves nothing in the copy that JSON cannot say, and no prototype changes', () => {
  const odd = { a: Number.NaN, b: undefined as never, c: [undefined as never, Infinity] }
  const plain = { maxDepth: 9, text: (raw: string) => raw, tooDeep: () => null }
  assert.deepEqual(copyJson(odd, plain), { a: null, c: [null, null] })
  const copy = copyJson(JSON.parse('{"__proto__":{"a":1}}') as Record<string, string>, plain)
  assert.equal(Object.getPrototypeOf(copy), Object.prototype)
  assert.ok(Object.hasOwn(copy as object, '__proto__'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCallArguments } from './call-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    max_results: { type: 'integer' },
    recursive: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}
const read = (line: string, declared: typeof schema | undefined = schema) =>
  readCallArguments(
    line.split(' ').map((text) => ({ text })),
    declared,
  )

test('key=value, --key value, --key=value and JSON mean the same', () => {
  const args = { path: '/x', max_results: 5 }
  for (const line of [
    'path=/x max_results=5',
    '--path /x --max-results 5',
    '--path=/x maxResults=5',
    '{"path":"/x","max_results":5}',
  ]) {
    assert.deepEqual(read(line), { kind: 'read', args }, line)
  }
})

test('a value in quotes is a text, unless the tool takes none there', () => {
  const quoted = (text: string) => readCallArguments([{ text, isQuoted: true }], schema)
  assert.deepEqual(quoted('path=5'), { kind: 'read', args: { path: '5' } })
  assert.deepEqual(quoted('note=5'), { kind: 'read', args: { note: '5' } })
  assert.deepEqual(quoted('tags=["a"]'), { kind: 'read', args: { tags: ['a'] } })
  assert.deepEqual(quoted('max_results=5'), { kind: 'read', args: { max_results: 5 } })
})

test('the schema says what a word is: a number for a text is a text, one value of a list is a list', () => {
  assert.deepEqual(read('path=5 --tags 1 --tags b --recursive'), {
    kind: 'read',
    args: { path: '5', tags: ['1', 'b'], recursive: true },
  })
  assert.deepEqual(read('--recursive path=a=b'), {
    kind: 'read',
    args: { recursive: true, path: 'a=b' },
  })
  assert.deepEqual(readCallArguments([{ text: 'n=5' }, { text: 't=x' }], undefined), {
    kind: 'read',
    args: { n: 5, t: 'x' },
  })
})

test('a word that is no argument is told without quoting it', () => {
  for (const line of ['secret-token', '--path /x hunter2', '{"path"']) {
    const { kind, ...rest } = read(line)
    assert.equal(kind, 'unreadable', line)
    assert.doesNotMatch(JSON.stringify(rest), /secret|hunter2|path/)
  }
})

test('an undeclared name is passed on, for the check of the arguments to name it', () => {
  assert.deepEqual(read('pth=/x'), { kind: 'read', args: { pth: '/x' } })
  assert.deepEqual(read('__proto__=1'), {
    kind: 'read',
    args: Object.fromEntries([['__proto__', 1]]),
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellingLines, unbuiltPart } from './telling-lines.ts'

test('the reason is found in front of a usage text', () => {
  const usage = Array.from({ length: 12 }, (_, at) => `  --option-${at}   does something`)
  const lines = ['Starting', 'Error: no current-context in the kubeconfig', 'Usage:', ...usage]
  assert.deepEqual(tellingLines(lines).slice(0, 2), lines.slice(1, 3))
  assert.equal(tellingLines(lines).length, 5)
})

test('of a printed list of problems, each message is told once', () => {
  const lines = [
    'Server error: [',
    '    "code": "too_small",',
    '    "message": "URL cannot be empty",',
    '    "path": [',
    '    "message": "URL cannot be empty",',
    '    "message": "Key is missing"',
  ]
  assert.deepEqual(tellingLines(lines), ['"URL cannot be empty"', '"Key is missing"'])
})

test('without a line that speaks of an error, the last lines are told', () => {
  const lines = ['a', 'b', 'c', 'd', 'e', 'set API_KEY']
  assert.deepEqual(tellingLines(lines), lines.slice(1))
  assert.deepEqual(tellingLines([]), [])
})

test('the last of several errors counts', () => {
  const lines = ['Error: first', 'TypeError: second', 'x']
  assert.deepEqual(tellingLines(lines), ['TypeError: second', 'x'])
})

test('a compiled module that is not there names its package', () => {
  const place = "'/h/packages/it@1/node_modules/sqlite3/build/Release/node_sqlite3.node',"
  const sought = 'Error: Could not locate the bindings file. Tried:'
  assert.equal(unbuiltPart([sought, place]), 'sqlite3')
  assert.equal(unbuiltPart([place]), undefined)
  const scoped = "Error: Cannot find module '/h/node_modules/@acme/native/build/x.node'"
  assert.equal(unbuiltPart([scoped]), '@acme/native')
  assert.equal(unbuiltPart(["Error: Cannot find module './dist/index.js'"]), undefined)
})

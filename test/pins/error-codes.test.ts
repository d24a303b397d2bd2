/**
 * Freezes the error codes, which scripts depend on, and the page that explains them. When this test fails, correct
 * `error-codes.txt` (one code a line, with its exit code and its meaning), then run `npm run docs`.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { CALL_FAILURES } from '../../src/kernel/call-failure.ts'
import { type ErrorSites, findErrorSites } from './error-sites.ts'
import { writeErrorsDoc } from './errors-doc.ts'
import { readFrozenCodes } from './frozen-codes.ts'
import { parseSource, readShipped } from './syntax.ts'

const frozen = readFrozenCodes()
let found: ErrorSites

before(() => {
  found = findErrorSites(readShipped())
})

test('no error code appears, disappears or changes unnoticed', () => {
  const codes = new Set([...found.sites.map(({ code }) => code), ...CALL_FAILURES])
  assert.deepEqual(
    [...codes].sort(),
    frozen.map(({ code }) => code),
  )
})

test('every error code is written out where it is used', () => {
  assert.deepEqual(found.faults, [])
})

test('an error code ends a command with the exit code it is listed with', () => {
  const exits = new Map(frozen.map((one) => [one.code, one.exits]))
  const others = found.sites.filter(
    (site) => !site.exits.every((exit) => exits.get(site.code)?.includes(exit)),
  )
  assert.deepEqual(others, [])
})

test('docs/errors.md says what the source says', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  assert.equal(text, writeErrorsDoc(frozen, found.sites), 'Run `npm run docs`')
})

function sitesIn(text: string): ErrorSites {
  return findErrorSites([parseSource('src/room/planted.ts', text)])
}

test('a code that is put together at run time is refused, wherever it stands', () => {
  for (const text of [
    'throw new CordonError(`room.${problem}`, spec, "Cannot")',
    'throw new CordonError("room." + problem, spec, "Cannot")',
    'throw new CordonError(codeFor(problem), spec, "Cannot")',
    'const code = `room.${problem}`\nthrow new CordonError(code, spec, "Cannot")',
    'const fail = (code: string) => new CordonError(code, spec, "Cannot")\nfail(`room.${x}`)',
    'const problem = { code: `room.${kind}`, message: "Cannot", hint: "Do" }',
  ]) {
    assert.equal(sitesIn(text).faults.length, 1, text)
  }
})

test('a code is found in a table, behind a name, behind a choice and at the callers of a function', () => {
  const text = `
    const CODES = { a: 'room.a', b: 'room.b' }
    const TABLE = { c: { code: 'room.c', exit: 3, hint: 'See C', why: 'no C' } }
    const fail = (code: string, name: string) =>
      new CordonError(code, { exit: 2, hint: \`Run \${name}\` }, \`Cannot \${JSON.stringify(name)}\`)
    function one(kind: 'a' | 'b') {
      if (kind === 'a') {
        const code = CODES[kind]
        return { code, message: 'Cannot a', hint: '' }
      }
      const code = isD ? 'room.d' : 'room.e'
      return new CordonError(code, { exit: 4, hint: 'Wait' }, 'Cannot wait')
    }
    function two(key: 'c') {
      const spec = TABLE[key]
      return new CordonError(spec.code, spec, 'Cannot table')
    }
    fail('room.f', 'things')
  `
  const { sites, faults } = sitesIn(text)
  assert.deepEqual(faults, [])
  const told = sites.map(({ code, exits, messages, hints }) => [code, exits, messages, hints])
  assert.deepEqual(
    told.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    [
      ['room.a', [], ['Cannot a'], []],
      ['room.b', [], ['Cannot a'], []],
      ['room.c', [3], ['Cannot table: no C'], ['See C']],
      ['room.d', [4], ['Cannot wait'], ['Wait']],
      ['room.e', [4], ['Cannot wait'], ['Wait']],
      ['room.f', [2], ['Cannot "NAME"'], ['Run things']],
    ],
  )
})

/** `docs/regressions.md` names a test for every numbered regression, and that number stands above each of these tests. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const MOST = 22
const root = new URL('../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')

/** Each as `number file: name`. */
const listed = read('docs/regressions.md')
  .matchAll(/^\| (\d+) \| .+ \| (.+) \|$/gm)
  .flatMap(([, number, tests = '']) =>
    tests.split('<br>').map((one) => `${number} ${one.replace(/^`([^`]+)`/, '$1')}`),
  )
  .toArray()

/** `// Regression 2, 19` above `test('…',`. */
const CITED = /^[ \t]*\/\/ Regression ([\d, ]+)\n\s*test\(\s*(['"`])(.+?)\2,/gm

const cited = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(CITED)].flatMap(([, numbers = '', , name]) =>
    numbers.split(', ').map((number) => `${number} ${file}: ${name}`),
  ),
)

test('every regression has a test', () => {
  const numbers = new Set(cited.map((one) => Number.parseInt(one, 10)))
  const all = Array.from({ length: MOST }, (_, at) => at + 1)
  assert.deepEqual(
    all.filter((number) => !numbers.has(number)),
    [],
  )
})

test('the table lists exactly the tests that cite a regression', () => {
  assert.deepEqual(listed.toSorted(), cited.toSorted())
})

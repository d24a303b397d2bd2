/** `docs/attacks.md` names a test for every attack, and every test that it names exists. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { root } from '../../fixtures/cordon.ts'

const COUNTS = { D: 9, P: 9, F: 6, O: 8, C: 8 }
const ROWS = Object.entries(COUNTS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
)

interface Cited {
  readonly row: string
  readonly file: string
  readonly name: string
}

const lines = readFileSync(path.join(root, 'docs/attacks.md'), 'utf8').split('\n')
const cells = lines
  .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
const cited = cells.flatMap(([row = '', , , tests = '']) =>
  tests.split('<br>').map((one): Cited => {
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? []
    return { row, file, name }
  }),
)

/** The file holds a test of this name, in any kind of quotes. */
function isThere({ file, name }: Cited): boolean {
  if (!existsSync(path.join(root, file))) return false
  const source = readFileSync(path.join(root, file), 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(`test(${quote}${name}${quote},`))
}

test('every attack has a row, in order, and says what is done about it', () => {
  assert.equal(ROWS.length, 40)
  assert.deepEqual(
    cells.map(([row]) => row),
    ROWS,
  )
  for (const row of cells)
    assert.ok(row.length === 4 && row.every((cell) => cell.length > 1), row[0])
})

test('every test that is named exists, under this name and in this file', () => {
  assert.deepEqual(
    cited.filter((one) => !isThere(one)),
    [],
  )
})

test('every test of this folder is named in the row that it is for', () => {
  const files = globSync('test/attacks/rows/[a-z]{,-*}.test.ts', { cwd: root })
  assert.ok(files.length > Object.keys(COUNTS).length)
  for (const file of files) {
    const source = readFileSync(path.join(root, file), 'utf8')
    for (const [, name = ''] of source.matchAll(/\btest\(\s*['"`](.+)['"`],/g)) {
      const row = name.split(':')[0] ?? ''
      const isNamed = cited.some((one) => one.file === file && one.name === name && one.row === row)
      assert.ok(isNamed, `${file}: ${name}`)
    }
  }
})

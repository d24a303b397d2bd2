/** Every promise of SECURITY.md has an id, and a test whose name begins with that id. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../', import.meta.url)

const promised = readFileSync(new URL('SECURITY.md', root), 'utf8')
  .matchAll(/^- \*\*([A-Z]+-\d+)\*\*/gm)
  .map((match) => match[1] ?? '')
  .toArray()

/** Ids at the beginning of test names, as in `'AUDIT-2: …'`. */
const cited = new Set(
  globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root }).flatMap((file) =>
    readFileSync(new URL(file, root), 'utf8')
      .matchAll(/\btest\(\s*['"`]([A-Z]+-\d+): /g)
      .map((match) => match[1] ?? '')
      .toArray(),
  ),
)

test('every promise is cited by a test', () => {
  assert.ok(promised.length > 20)
  assert.deepEqual(
    promised.filter((id) => !cited.has(id)),
    [],
  )
})

test('every promise is made once', () => {
  assert.equal(new Set(promised).size, promised.length)
})

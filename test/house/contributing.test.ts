/** CONTRIBUTING.md names every folder of tests, so that a newcomer finds where a test belongs. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)

test('CONTRIBUTING.md names every folder below test/, and no other', () => {
  const page = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
  const named = [...page.matchAll(/`test\/([\w-]+)\/`/g)].map(([, name = '']) => name)
  const folders = readdirSync(new URL('test/', root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  assert.deepEqual(named.toSorted(), folders.toSorted())
})

/** The table of clients in the documentation names the versions that the tests install. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { root } from '../fixtures/cordon.ts'
import { TRIED_CLIENTS } from '../fixtures/tried-clients.ts'

test('docs/clients-tried.md has a row for every client, with the version that is tested', () => {
  const text = readFileSync(path.join(root, 'docs', 'clients-tried.md'), 'utf8')
  const versions = [...text.matchAll(/^\| [^|]+ \| (\d+\.\d+\.\d+) \|/gm)].map(([, one]) => one)
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const tested = Object.values(TRIED_CLIENTS).map(({ version }) => version)
  const newer = dependencies['@modelcontextprotocol/client'] ?? ''
  assert.deepEqual(new Set(versions), new Set([...tested, newer]))
})

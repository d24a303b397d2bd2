import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parseNamedSettings, readNamedSettings } from './named-settings.ts'

const README = `# It
{ "command": "npx", "env": { "ES_URL": "<your url>", "ES_API_KEY": "<key>", "not this": "" } }
{ "command": "docker", "env": { "OTHER_NAME": "x" } }
`

test('the variables of the first example are found, in their order', () => {
  assert.deepEqual(parseNamedSettings(README), ['ES_URL', 'ES_API_KEY'])
  assert.deepEqual(parseNamedSettings('no example, "env": "production"'), [])
})

test('a README is read whatever the case of its name, and may be absent', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-readme-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.deepEqual(await readNamedSettings(folder), [])
  writeFileSync(path.join(folder, 'Readme.md'), README)
  assert.deepEqual(await readNamedSettings(folder), ['ES_URL', 'ES_API_KEY'])
})

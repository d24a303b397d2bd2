import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { KNOWN_SERVICES } from './known-services.ts'

test('the documentation lists every known service with its package and version', () => {
  const page = readFileSync(new URL('../../docs/catalog.md', import.meta.url), 'utf8')
  for (const { slug, launch: how } of KNOWN_SERVICES) {
    const what =
      how.kind === 'npm'
        ? `${how.package}@${how.version}`
        : how.kind === 'remote'
          ? how.url
          : 'not run'
    assert.ok(page.includes(`| \`${slug}\` |`), slug)
    assert.ok(page.includes(what), `${slug}: ${what}`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import { describePackage } from './describe-package.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const CATALOG = { kind: 'catalog', name: 'notion' } as const
const PACKAGE: InstalledPackage = {
  folder: '/x',
  entry: '/x/index.js',
  package: '@notionhq/notion-mcp-server',
  version: '2.5.2',
  integrity: 'sha512-x',
  bytes: 1_572_864,
  packages: 1,
  refusedScripts: [],
}

test('describePackage() says what is known, and what is not', () => {
  assert.equal(
    describePackage(PACKAGE, CATALOG, NOW),
    'Installed @notionhq/notion-mcp-server 2.5.2 by an unknown publisher: 1.5 MB in 1 package.\nIt has no install scripts.',
  )
})

test('describePackage() lists the scripts that were refused, but not without end', () => {
  const refusedScripts = ['a', 'b', 'c', 'd', 'e']
  assert.match(
    describePackage({ ...PACKAGE, refusedScripts }, CATALOG, NOW),
    /refused: a, b, c and 2 more\./,
  )
})

test('describePackage() tells how old a version is', () => {
  for (const [publishedAt, age] of [
    ['2026-11-15T11:00:00Z', 'less than a day ago'],
    ['2026-11-14T11:00:00Z', '1 day ago'],
    ['2026-10-15T11:00:00Z', '31 days ago'],
    ['2026-05-15T11:00:00Z', '6 months ago'],
    ['2023-05-15T11:00:00Z', '3 years ago'],
    ['yesterday', 'at an unknown time'],
  ] as const) {
    assert.match(
      describePackage({ ...PACKAGE, publishedAt }, CATALOG, NOW),
      new RegExp(`published ${age}:`),
    )
  }
})

test('describePackage() tells whether there is a provenance statement, and claims nothing of it', () => {
  const present = describePackage({ ...PACKAGE, hasProvenance: true }, CATALOG, NOW)
  assert.match(present, /has a provenance statement for it, which was not verified\.$/)
  assert.match(
    describePackage({ ...PACKAGE, hasProvenance: false }, CATALOG, NOW),
    /has no provenance/,
  )
  assert.doesNotMatch(describePackage(PACKAGE, CATALOG, NOW), /provenance/)
})

test("describePackage() repeats npm's warning about a deprecated version", () => {
  const said = describePackage({ ...PACKAGE, deprecated: 'compromised' }, CATALOG, NOW)
  assert.match(said, /\n⚠️ Its publisher says not to use this version: "compromised"\.$/)
})

test('describePackage() tells when the package names another entry of the registry than it was found by', () => {
  const source = { kind: 'official', name: 'io.example/jokes' } as const
  const of = (mcpName?: string) =>
    describePackage({ ...PACKAGE, ...(mcpName !== undefined && { mcpName }) }, source, NOW)
  assert.doesNotMatch(of('io.example/jokes'), /⚠️/)
  assert.match(
    of('io.evil/jokes'),
    /is "io\.example\/jokes", but the package names "io\.evil\/jokes"/,
  )
  assert.match(of(), /but the package names no entry/)
  const image = { ...PACKAGE, version: `sha256:${'0'.repeat(64)}` }
  assert.match(
    describePackage({ ...image, mcpName: 'io.evil/jokes' }, source, NOW),
    /"io\.example\/jokes", but the image names "io\.evil\/jokes"/,
  )
  assert.doesNotMatch(describePackage({ ...image, mcpName: source.name }, source, NOW), /⚠️/)
  assert.doesNotMatch(describePackage(PACKAGE, CATALOG, NOW), /⚠️/)
})

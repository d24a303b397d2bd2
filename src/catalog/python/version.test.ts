import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepts, parseSpecifiers } from './specifier.ts'
import { compareVersions, parseVersion, spellVersion } from './version.ts'

/** In order, as in PEP 440. */
const ORDER =
  '1.0.dev1 1.0a1.dev1 1.0a1 1.0b2 1.0rc1 1.0 1.0+abc 1.0+5 1.0.post1.dev2 1.0.post1 1.1 1.10 2!0.1'

test('compareVersions() orders versions as PEP 440 does', () => {
  const versions = ORDER.split(' ').map((text) => parseVersion(text) ?? assert.fail(text))
  const mixed = [...versions].reverse().sort(compareVersions)
  assert.deepEqual(
    mixed.map(({ text }) => text),
    ORDER.split(' '),
  )
})

test('spellVersion() gives every spelling of a version the same text', () => {
  for (const [written, spelled] of [
    ['v1.0-ALPHA.2', '1.0a2'],
    ['1.0-3', '1.0.post3'],
    ['1.0_rev', '1.0.post0'],
    ['1!2.0.PREVIEW1', '1!2.0rc1'],
    ['1.0+Ubuntu-1', '1.0+ubuntu.1'],
  ] as const) {
    assert.equal(spellVersion(parseVersion(written) ?? assert.fail(written)), spelled)
  }
})

test('parseVersion() takes no nonsense', () => {
  for (const text of ['', 'latest', '1..0', '../1.0', '1.0 2', `1.${'9'.repeat(40)}`, '١.٠']) {
    assert.equal(parseVersion(text), undefined, text)
  }
})

test('accepts() follows PEP 440', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['>=1.2,<2', '1.10', true],
    ['>=1.2,<2', '2.0rc1', false],
    ['~=1.4.2', '1.4.9', true],
    ['~=1.4.2', '1.5', false],
    ['==1.2.*', '1.2.9', true],
    ['!=1.2.*', '1.2.9', false],
    ['==1.0', '1.0.0+cpu', true],
    ['>1.0', '1.0.post1', false],
    ['<1.0', '1.0rc1', false],
    ['', '3.1', true],
  ]
  for (const [text, version, isIn] of cases) {
    const specifiers = parseSpecifiers(text) ?? assert.fail(text)
    assert.equal(accepts(specifiers, parseVersion(version) ?? assert.fail()), isIn, text + version)
  }
  for (const text of ['>=', '=>1', '>1.*', '~=1', '>=1;x']) {
    assert.equal(parseSpecifiers(text), undefined, text)
  }
})

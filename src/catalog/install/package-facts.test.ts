import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePackageFacts, sha512Of } from './package-facts.ts'

const hash = `sha512-${'b'.repeat(86)}==`
const read = (value: unknown) => parsePackageFacts(JSON.stringify(value), '1.2.3')

test('parsePackageFacts() reads what npm prints, as a list of one or alone', () => {
  const answer = {
    dist: { integrity: hash },
    _npmUser: 'ann <ann@example.test>',
    time: { '1.2.3': '2026-08-22T18:54:21.200000+00:00', '1.2.2': '2025-01-01' },
  }
  const publishedAt = '2026-08-22T18:54:21.200Z'
  const facts = { integrity: hash, publisher: 'ann', publishedAt, hasProvenance: false }
  assert.deepEqual(read(answer), facts)
  assert.deepEqual(read([answer]), facts)
  assert.deepEqual(read({ ...answer, _npmUser: { name: 'ann' } }), facts)
  const provenance = { predicateType: 'https://slsa.dev/provenance/v1' }
  const dist = { integrity: hash, attestations: { url: 'https://example.test/', provenance } }
  assert.deepEqual(read({ ...answer, dist }), { ...facts, hasProvenance: true })
  const warned = { ...answer, deprecated: `compromised ${'x'.repeat(1000)}` }
  assert.match(read(warned)?.deprecated ?? '', /^compromised x{288}$/)
  assert.deepEqual(read({ ...answer, deprecated: false }), facts)
})

test('parsePackageFacts() leaves out what is missing or nonsense', () => {
  const nothing = { hasProvenance: false }
  assert.deepEqual(read({}), nothing)
  assert.deepEqual(read({ dist: 7, _npmUser: { name: 7 }, time: { '1.2.3': 'soon' } }), nothing)
  assert.deepEqual(read({ dist: { attestations: { provenance: true } } }), nothing)
  assert.deepEqual(read({ _npmUser: 'a\u202eb \u001b[31m' }), nothing)
  assert.equal(parsePackageFacts('', '1.2.3'), undefined)
  assert.equal(parsePackageFacts('"text"', '1.2.3'), undefined)
})

test('parsePackageFacts() never throws', () => {
  fc.assert(fc.property(fc.json(), (text) => void parsePackageFacts(text, '1.2.3')))
})

test('sha512Of() finds the one hash that counts', () => {
  assert.equal(sha512Of(`sha1-abc= ${hash}`), hash)
  assert.equal(sha512Of('sha1-abc='), undefined)
  assert.equal(sha512Of(`${hash}x`), undefined)
  assert.equal(sha512Of(undefined), undefined)
})

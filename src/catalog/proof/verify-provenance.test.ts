import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readShippedTrust } from './shipped-trust.ts'
import { verifyProvenance } from './verify-provenance.ts'
import { verifySignature } from './verify-signature.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const npmPath = here('../../../node_modules/npm/bin/npm-cli.js')
const text = readFileSync(here('../../../test/fixtures/proof/proven.json'), 'utf8')
interface Bundle {
  dsseEnvelope: { payload: string; signatures: { sig: string }[] }
  verificationMaterial: { tlogEntries: { integratedTime: string }[] }
}
interface Fixture {
  readonly integrity: string
  readonly signatures: readonly { keyid: string; sig: string }[]
  readonly keys: { readonly keys: readonly { keyid: string; key: string }[] }
  readonly trustedRoot: unknown
  readonly bundle: Bundle
  readonly ofAnother: Bundle
  readonly byCalledWorkflow: Bundle
  readonly byOlderAuthority: Bundle
  readonly ofOtherSource: Bundle
  readonly ofOtherWorkflow: Bundle
  readonly ofShorterRepository: Bundle
  readonly ofOtherType: Bundle
  readonly withoutSource: Bundle
}
const fixture = (): Fixture => JSON.parse(text) as Fixture
const { integrity, trustedRoot } = fixture()
const proven = { name: 'proven', version: '1.0.0', integrity }
const verify = (bundle: unknown, what = proven, root: unknown = trustedRoot) =>
  verifyProvenance(bundle, what, { npmPath, trustedRoot: root })

test('verifyProvenance() names the repository and the workflow of a valid bundle, offline', () => {
  assert.deepEqual(verify(fixture().bundle), {
    repository: 'https://github.com/ann/proven',
    workflow: '.github/workflows/release.yml',
  })
})

test('verifyProvenance() refuses a forged bundle, whichever part of it is forged', () => {
  const forge = (change: (bundle: Bundle) => void): Bundle => {
    const { bundle } = fixture()
    change(bundle)
    return bundle
  }
  const other = fixture().ofAnother
  const payload = (change: (text: string) => string) => (bundle: Bundle) => {
    const plain = Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString('utf8')
    bundle.dsseEnvelope.payload = Buffer.from(change(plain)).toString('base64')
  }
  const forged: readonly (readonly [string, unknown])[] = [
    ['another repository', forge(payload((plain) => plain.replaceAll('ann/', 'eve/')))],
    ['another archive', forge(payload((plain) => plain.replace(/[0-9a-f]{128}/, '0'.repeat(128))))],
    [
      'another signature',
      forge((one) => (one.dsseEnvelope.signatures = other.dsseEnvelope.signatures)),
    ],
    [
      'another entry of the log',
      forge(
        (one) => (one.verificationMaterial.tlogEntries = other.verificationMaterial.tlogEntries),
      ),
    ],
    ['no entry of the log', forge((one) => (one.verificationMaterial.tlogEntries = []))],
    [
      'another time in the log',
      forge((one) => {
        for (const entry of one.verificationMaterial.tlogEntries)
          entry.integratedTime = '1700000000'
      }),
    ],
    ['no bundle at all', { hello: 1 }],
    ['nothing', null],
  ]
  for (const [what, bundle] of forged) {
    assert.throws(() => verify(bundle), /its provenance statement/, what)
  }
})

test('verifyProvenance() refuses a true statement about another archive, name or version', () => {
  const about = /is about another archive/
  assert.throws(() => verify(fixture().ofAnother), about)
  assert.throws(() => verify(fixture().bundle, { ...proven, name: 'famous' }), about)
  assert.throws(() => verify(fixture().bundle, { ...proven, version: '1.0.1' }), about)
})

test('verifyProvenance() goes by the repository in the certificate, also where its workflow called another one', () => {
  const found = {
    repository: 'https://github.com/ann/proven',
    workflow: '.github/workflows/release.yml',
  }
  assert.deepEqual(verify(fixture().byCalledWorkflow), found)
  assert.deepEqual(verify(fixture().byOlderAuthority), found)
})

test('verifyProvenance() refuses a signed statement that says another place, or another thing, than its certificate', () => {
  const { ofOtherSource, withoutSource, ofShorterRepository, ofOtherWorkflow, ofOtherType } =
    fixture()
  for (const bundle of [ofOtherSource, ofShorterRepository]) {
    assert.throws(() => verify(bundle), /names another repository than its certificate/)
  }
  assert.throws(() => verify(withoutSource), /certificate .* names no repository/)
  assert.throws(() => verify(ofOtherWorkflow), /names another workflow than its certificate/)
  assert.throws(() => verify(ofOtherType), /is of another kind/)
})

test('verifyProvenance() does not take the word of an authority that nobody trusts', () => {
  const shipped = readShippedTrust(npmPath)
  assert.throws(() => verify(fixture().bundle, proven, shipped.trustedRoot), /is not signed/)
})

test('verifySignature() tells a true signature from a forged one, an unknown key and none', () => {
  const { signatures, keys } = fixture()
  const judge = (what: object, known = keys.keys) =>
    verifySignature({ ...proven, signatures, ...what }, known, Date.parse('2026-03-01T00:00:00Z'))
  assert.equal(judge({}), 'good')
  assert.equal(judge({ name: 'famous' }), 'bad')
  assert.equal(judge({ version: '2.0.0' }), 'bad')
  assert.equal(judge({ signatures: [{ keyid: signatures[0]?.keyid ?? '', sig: 'AAAA' }] }), 'bad')
  assert.equal(judge({ signatures: [] }), 'none')
  assert.equal(judge({}, []), 'unknown')
  const expired = keys.keys.map((key) => ({ ...key, expires: '2026-01-01T00:00:00Z' }))
  assert.equal(judge({ publishedAt: '2025-12-01T00:00:00Z' }, expired), 'good')
  assert.equal(judge({ publishedAt: '2026-02-01T00:00:00Z' }, expired), 'bad')
  assert.equal(judge({}, expired), 'unknown') // nothing says whether it was published before
  const valid = keys.keys.map((key) => ({ ...key, expires: '2027-01-01T00:00:00Z' }))
  assert.equal(judge({}, valid), 'good')
})

test("readShippedTrust() has npm's keys and Sigstore's root, as they came with npm", () => {
  const { keys, trustedRoot: root } = readShippedTrust(npmPath)
  assert.ok(keys.length > 0)
  assert.ok(keys.every(({ keyid }) => keyid.startsWith('SHA256:')))
  assert.match(JSON.stringify(root), /certificateAuthorities/)
})

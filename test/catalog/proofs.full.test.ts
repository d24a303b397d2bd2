/** Signatures and provenance statements of a registry, verified during a real install: true, forged, missing. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { describePackage } from '../../src/setup/server/describe-package.ts'
import { egressTo, installFrom, openPackageHouse, refuses, STAND_IN } from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

interface Fixture {
  readonly archive: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
  readonly keys: object
  readonly trustedRoot: object
  readonly bundle: { dsseEnvelope: { payload: string } }
  readonly ofAnother: object
}
const file = new URL('../fixtures/proof/proven.json', import.meta.url)
const proof = JSON.parse(readFileSync(file, 'utf8')) as Fixture
const { trustedRoot } = proof
const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())

const open = () => openPackageHouse(egressTo(registry.port), { ...STAND_IN, trustedRoot })
const announced = { provenance: { predicateType: 'https://slsa.dev/provenance/v1' } }
const place = '/-/npm/v1/attestations/proven@1.0.0'
const page = (bundle: object) => ({
  attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle }],
})
const archive = Buffer.from(proof.archive, 'base64')
const description = { bin: { proven: 'index.js' } }
const add = (dist: object): void =>
  void registry.add({ name: 'proven', description, archive, dist: { ...dist }, publisher: 'ann' })
const source = { kind: 'manual' } as const

test('a signed and proven package is told to be so, and by whom it was built', async () => {
  registry.put('/-/npm/v1/keys', proof.keys)
  registry.put(place, page(proof.bundle))
  add({ signatures: proof.signatures, attestations: announced })
  await using house = await open()
  const installed = await installFrom(house, 'proven')
  assert.equal(installed.signature, 'registry')
  assert.equal(installed.provenance?.repository, 'https://github.com/ann/proven')
  const told = describePackage(installed, source, Date.now())
  assert.match(
    told,
    /built from https:\/\/github\.com\/ann\/proven by \.github\/workflows\/release/,
  )
  assert.match(told, /signed, with a key that only your registry vouches for/)
})

test('a statement about another archive proves nothing, and is told', async () => {
  registry.put(place, page(proof.ofAnother))
  add({ signatures: proof.signatures, attestations: announced })
  await using house = await open()
  const installed = await installFrom(house, 'proven')
  assert.equal(installed.provenance, undefined)
  const told = describePackage(installed, source, Date.now())
  assert.match(told, /⚠️ It is not proven where it was built: .* about another archive/)
})

test('a forged statement proves nothing, and is told', async () => {
  const forged = structuredClone(proof.bundle)
  const { dsseEnvelope: envelope } = forged
  const payload = Buffer.from(envelope.payload, 'base64').toString('utf8')
  envelope.payload = Buffer.from(payload.replaceAll('ann/', 'eve/')).toString('base64')
  registry.put(place, page(forged))
  add({ signatures: proof.signatures, attestations: announced })
  await using house = await open()
  const installed = await installFrom(house, 'proven')
  assert.equal(installed.provenance, undefined)
  const told = describePackage(installed, source, Date.now())
  assert.match(told, /⚠️ It is not proven where it was built: .* is not signed by whom it says/)
})

test('a statement that is announced and not there is told, and so is a package without any', async () => {
  registry.put(place, {})
  add({ attestations: announced })
  await using house = await open()
  const installed = await installFrom(house, 'proven')
  assert.match(installed.unproven ?? '', /announces a provenance statement and does not have it/)
  registry.add({ name: 'plain', description: { bin: 'run.js' }, files: { 'run.js': '' } })
  await using another = await open()
  const told = describePackage(await installFrom(another, 'plain'), source, Date.now())
  assert.match(told, /Its archive is not signed\. It has no provenance statement\./)
})

test('a signature of a known key over something else refuses the package', async () => {
  const [first] = proof.signatures
  add({ signatures: [{ keyid: first?.keyid, sig: Buffer.alloc(70).toString('base64') }] })
  await using house = await open()
  const why = /the registry's signature is not of this archive/
  await refuses(house, installFrom(house, 'proven'), 'catalog.integrity', why)
})

test('a package published an hour ago is told to be young', async () => {
  const publishedAt = new Date(Date.now() - 3_600_000).toISOString()
  registry.add({ name: 'young', description: { bin: 'r.js' }, files: { 'r.js': '' }, publishedAt })
  await using house = await open()
  const told = describePackage(await installFrom(house, 'young'), source, Date.now())
  assert.match(told, /⚠️ It was published less than 3 days ago/)
})

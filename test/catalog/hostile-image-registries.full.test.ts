/**
 * Registries of images that lie, stall or lead elsewhere: each is told in one sentence, with bounded work, and leaves
 * nothing in the folder of packages. Real sandbox and proxy, a registry on loopback.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { digestOf, openImageRegistry } from '../fixtures/image-registry.ts'
import { countRefusals } from './count-refusals.ts'
import { busybox, installImage, openImageHouse } from './image-house.ts'
import { egressTo, refuses } from './package-house.ts'

const registry = await openImageRegistry()
after(() => registry[Symbol.asyncDispose]())
beforeEach(() => {
  Object.assign(registry, { realm: undefined, blobsAt: undefined, answer: undefined })
})

const CONFIG = { Entrypoint: ['/bin/busybox'] }
const good = registry.add('acme/good', '1.0', { layers: [[busybox()]], config: CONFIG })
const launch = { package: 'allowed.example/acme/good' } as const

/** Answers of the registry, each with the code and the sentence. */
const ANSWERS: Readonly<
  Record<string, readonly [NonNullable<typeof registry.answer>, string, RegExp]>
> = {
  'answers with HTML': [
    (_request, response) => (response.end('<html>sign in</html>'), true),
    'registry-unreachable',
    /does not answer like one/,
  ],
  'breaks off': [
    (request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      response.writeHead(200, { 'content-length': '1000000' }).write('half')
      setTimeout(() => response.destroy(), 50)
      return true
    },
    'registry-unreachable',
    /broke off/,
  ],
  'sends half and says that it is all': [
    (request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      response.end('{"half":')
      return true
    },
    'registry-unreachable',
    /broke off/,
  ],
  'falls silent': [() => true, 'registry-unreachable', /fell silent/],
  'wants a login': [
    (_request, response) => (
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(), true
    ),
    'registry-login',
    /does not give it to everybody/,
  ],
  'refuses its own token': [
    (request, response) => {
      if (request.url?.startsWith('/token')) return false
      const challenge = 'Bearer realm="https://allowed.example/token"'
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    },
    'registry-login',
    /does not give it to everybody/,
  ],
  'has no such image': [
    (_request, response) => (response.writeHead(404).end(), true),
    'no-such-package',
    /no such image/,
  ],
  'is out of order': [
    (_request, response) => (response.writeHead(503).end(), true),
    'registry-unreachable',
    /out of order/,
  ],
  'redirects in a circle': [
    (request, response) => (response.writeHead(302, { location: request.url }).end(), true),
    'registry-unreachable',
    /in a circle/,
  ],
  'redirects to plain http': [
    (_request, response) => (
      response.writeHead(302, { location: 'http://allowed.example/x' }).end(), true
    ),
    'bad-package',
    /not https/,
  ],
  'redirects to an address': [
    (_request, response) => (
      response.writeHead(302, { location: 'https://169.254.169.254/x' }).end(), true
    ),
    'unsafe-package',
    /which an install may not reach/,
  ],
  'sends tokens from an address': [
    (_request, response) => {
      const challenge = 'Bearer realm="https://127.0.0.1/token"'
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    },
    'unsafe-package',
    /which an install may not reach/,
  ],
  'sends other bytes than a layer has': [
    (request, response) => {
      const place = request.url ?? ''
      const blob = registry.blobs.get(place.slice(place.lastIndexOf('/') + 1))
      if (!blob || blob.length < 100_000) return false
      response.end(Buffer.from(blob).fill(0x41, blob.length - 10))
      return true
    },
    'integrity',
    /other bytes/,
  ],
}

const count = countRefusals('image registries', Object.keys(ANSWERS).length)
for (const [name, [answer, code, words]] of Object.entries(ANSWERS)) {
  test(`a registry that ${name} is told in one sentence`, async () => {
    registry.answer = answer
    await using house = await openImageHouse(registry, { silenceMs: 700 })
    await refuses(house, installImage(house, launch), `catalog.${code}`, words)
    count()
  })
}

test('a digest that differs is refused, however it comes about', async () => {
  const other = registry.add('acme/good', 'other', {
    layers: [[busybox(), { name: 'other', content: 'x' }]],
    config: CONFIG,
  })
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2 }))
  registry.put('acme/good', digestOf('nothing'), bytes)
  await using house = await openImageHouse(registry)
  const wanted = { ...launch, version: digestOf('nothing') }
  await refuses(house, installImage(house, wanted), 'catalog.integrity', /another image/)
  assert.notEqual(other, good)
})

test('a layer that unpacks to other bytes than the settings say is refused', async () => {
  const layer = gzipSync(Buffer.alloc(1024))
  registry.blobs.set(digestOf(layer), layer)
  const facts = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: CONFIG,
    rootfs: { diff_ids: [digestOf('others')] },
  }
  const config = Buffer.from(JSON.stringify(facts))
  registry.blobs.set(digestOf(config), config)
  const part = (bytes: Buffer, mediaType: string) => ({
    mediaType,
    size: bytes.length,
    digest: digestOf(bytes),
  })
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: part(config, 'application/vnd.oci.image.config.v1+json'),
    layers: [part(layer, 'application/vnd.oci.image.layer.v1.tar+gzip')],
  }
  registry.put('acme/it', '1.0', Buffer.from(JSON.stringify(manifest)))
  await using house = await openImageHouse(registry)
  // By tag it is resolved first, then asked for by its digest.
  registry.put('acme/it', digestOf(JSON.stringify(manifest)), Buffer.from(JSON.stringify(manifest)))
  await refuses(house, installImage(house), 'catalog.integrity', /unpacks to other bytes/)
})

test('a registry is reached only at a public address, and so is a host that it names', async () => {
  {
    const egress = egressTo(registry.port, { resolve: async () => ['10.0.0.7'] })
    await using house = await openImageHouse(registry, { egress })
    await refuses(house, installImage(house, launch), 'catalog.registry-setting', /special address/)
  }
  registry.blobsAt = 'other.example'
  const egress = egressTo(registry.port, {
    resolve: async (host) => [host === 'other.example' ? '10.0.0.7' : '127.0.0.1'],
  })
  await using house = await openImageHouse(registry, { egress })
  await refuses(house, installImage(house, launch), 'catalog.registry-setting', /special address/)
})

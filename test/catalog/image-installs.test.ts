/** Installs of container images: real sandbox, real proxy, a registry on loopback, a real shell in the image. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { readFacts } from '../../src/catalog/images/image-facts.ts'
import { openImageRegistry } from '../fixtures/image-registry.ts'
import { busybox, installImage, openImageHouse, REGISTRY, runImage } from './image-house.ts'
import { egressTo } from './package-house.ts'

const registry = await openImageRegistry()
after(() => registry[Symbol.asyncDispose]())
beforeEach(() => {
  Object.assign(registry, { realm: undefined, blobsAt: undefined, answer: undefined })
  registry.requests.length = 0
  registry.credentials.length = 0
})

const LAYERS = [
  [
    busybox(),
    { name: 'bin/sh', type: '2', target: 'busybox' },
    { name: 'usr/lib/words', content: 'from the first layer\n' },
    { name: 'lib', type: '2', target: '/usr/lib' },
    { name: 'old/gone', content: 'x' },
    { name: 'old/kept', content: 'y' },
    { name: 'cleared/before', content: 'z' },
    { name: 'etc/passwd', content: 'root:x:0:0::/root:/bin/sh\nann:x:1234:99::/:/bin/sh\n' },
    { name: 'bin/su', mode: 0o4755, content: 'set-id' },
    { name: 'dev/sda', type: '4' },
  ],
  [
    { name: 'old/.wh.gone' },
    { name: 'cleared/after', content: 'new' },
    { name: 'cleared/.wh..wh..opq' },
    { name: 'lib/through-a-link', content: 'inside' },
    { name: 'old/twin', type: '1', target: 'old/kept' },
    { name: `${'deep/'.repeat(60)}leaf`, content: 'long', isLong: true },
  ],
]
const CONFIG = {
  Entrypoint: ['/bin/sh', '-c'],
  Cmd: ['id -u; id -g; pwd; echo $COLOUR $SET; cat /lib/words'],
  Env: ['COLOUR=green', 'HTTPS_PROXY=http://elsewhere'],
  User: 'ann',
  WorkingDir: '/app/here',
  Labels: { 'io.modelcontextprotocol.server.name': 'io.example/it' },
}
const digest = registry.add('acme/it', '1.0', { layers: LAYERS, config: CONFIG, isListed: true })

test('an image is pulled by its tag, pinned by its digest, sealed, and runs as it says', async () => {
  await using house = await openImageHouse(registry)
  const it = await installImage(house)
  assert.partialDeepStrictEqual(it, {
    package: `${REGISTRY}/acme/it`,
    version: digest,
    integrity: digest,
    packages: 2,
    mcpName: 'io.example/it',
  })
  assert.deepEqual(house.list(), [`allowed-example-acme-it@sha256-${digest.slice(7, 39)}`])
  assert.match(JSON.stringify(house.events), new RegExp(digest))
  assert.equal(
    await runImage(house, it, { environment: { SET: 'by-the-definition' } }),
    '1234\n99\n/app/here\ngreen by-the-definition\nfrom the first layer\n',
  )
  await house.packages.check(it.folder)
})

test('layers replace, remove and link what lies below them, and carry no rights or devices', async () => {
  await using house = await openImageHouse(registry)
  const { folder, entry } = await installImage(house)
  const root = path.join(folder, 'rootfs')
  const text = (name: string) => readFileSync(path.join(root, name), 'utf8')
  assert.deepEqual(readdirSync(path.join(root, 'old')).sort(), ['kept', 'twin'])
  assert.deepEqual(readdirSync(path.join(root, 'cleared')), ['after'])
  assert.equal(text('usr/lib/through-a-link'), 'inside')
  assert.equal(text('old/twin'), 'y')
  assert.equal(text(`${'deep/'.repeat(60)}leaf`), 'long')
  assert.equal(lstatSync(path.join(root, 'bin/su')).mode & 0o7777, 0o755)
  assert.ok(!existsSync(path.join(root, 'dev/sda')))
  assert.equal(readFacts(entry).leftOut, 1)
})

for (const how of ['zstd', 'none'] as const) {
  test(`layers with the compression ${how} are unpacked`, async () => {
    registry.add('acme/it', how, { layers: [[busybox()]], config: CONFIG, how })
    await using house = await openImageHouse(registry)
    const { folder } = await installImage(house, { version: how }).catch((error: unknown) => {
      assert.match((error as Error).message, /user that it does not have/)
      return { folder: '' }
    })
    assert.equal(folder, '')
    registry.add('acme/it', how, { layers: [[busybox()]], config: { Cmd: ['/bin/busybox'] }, how })
    assert.partialDeepStrictEqual(await installImage(house, { version: how }), { packages: 1 })
  })
}

test('an installed image is used again without network or sandbox, and by another tag', async () => {
  await using house = await openImageHouse(registry)
  const first = await installImage(house)
  const none = { launch: () => Promise.reject(new Error('started a process')) }
  await using later = await openImageHouse(registry, { home: house.home, sandbox: none })
  const before = registry.requests.length
  assert.deepEqual(await installImage(later, { version: digest }), first)
  assert.equal(registry.requests.length, before)
})

test('one installed image shows different folders to different servers, at any path', async () => {
  const shown = mkdtempSync('/var/tmp/cordon-shown-')
  chmodSync(shown, 0o755)
  writeFileSync(path.join(shown, 'word'), 'mine\n')
  registry.add('acme/it', 'shown', {
    layers: [[busybox(), { name: 'srv/own', content: 'own\n' }]],
    config: {
      Entrypoint: ['/bin/busybox', 'sh', '-c'],
      Cmd: ['cat /srv/own /*/deep/er/word; touch /srv/new 2>/dev/null || echo read-only'],
    },
  })
  await using house = await openImageHouse(registry)
  try {
    const it = await installImage(house, { version: 'shown' })
    for (const place of ['/srv/deep/er', '/home/deep/er', '/new/deep/er']) {
      const again = await installImage(house, { version: 'shown', shownAt: { [shown]: place } })
      assert.equal(again.folder, it.folder)
      const said = await runImage(house, again, { shownAt: { [shown]: place } })
      assert.equal(said, 'own\nmine\nread-only\n', place)
    }
    await house.packages.check(it.folder)
  } finally {
    rmSync(shown, { recursive: true })
  }
})

test('a server begins in a folder that its image lacks, as with docker: it is made at the start', async () => {
  registry.add('acme/it', 'begun', {
    layers: [[busybox(), { name: 'srv/own', content: 'own\n' }]],
    config: {
      Entrypoint: ['/bin/busybox', 'sh', '-c'],
      Cmd: ['pwd; ls; cat /srv/own; touch new 2>/dev/null || echo read-only'],
    },
  })
  await using house = await openImageHouse(registry)
  const it = await installImage(house, { version: 'begun' })
  const deep = await runImage(house, it, { workingFolder: '/srv/deep/er' })
  assert.equal(deep, '/srv/deep/er\nown\nread-only\n')
  assert.equal(await runImage(house, it, { workingFolder: '/tmp/er' }), '/tmp/er\nown\n')
  await house.packages.check(it.folder)
})

test('a changed file, link or fact of an installed image is found', async () => {
  await using house = await openImageHouse(registry)
  const { folder } = await installImage(house)
  const link = path.join(folder, 'rootfs/lib')
  rmSync(link)
  symlinkSync('/etc', link)
  await assert.rejects(house.packages.check(folder), { code: 'catalog.tampered' })
})

test('a token is had by nobody in particular, and sent to the registry alone', async () => {
  registry.realm = 'https://tokens.wild.example/token'
  registry.blobsAt = 'other.example'
  const reached = new Set<string>()
  const egress = egressTo(registry.port, {
    resolve: async (host) => {
      reached.add(host)
      return ['127.0.0.1']
    },
  })
  await using house = await openImageHouse(registry, { egress })
  const { entry } = await installImage(house)
  const hosts = [REGISTRY, 'tokens.wild.example', 'other.example']
  assert.deepEqual([...reached].sort(), [...hosts].sort())
  assert.deepEqual(readFacts(entry).hosts, hosts)
  assert.ok(registry.credentials.length > 0)
  assert.ok(registry.credentials.every((one) => one.startsWith(`${REGISTRY} Bearer `)))
})

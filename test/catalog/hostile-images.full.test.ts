/**
 * Images that attack whoever unpacks them: each is refused in one sentence, with bounded work, and leaves nothing
 * in the folder of packages. Real sandbox and proxy, a registry on loopback.
 */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { LayerEntry } from '../fixtures/image-layer.ts'
import { type ImageSpec, openImageRegistry } from '../fixtures/image-registry.ts'
import { countRefusals } from './count-refusals.ts'
import { busybox, installImage, openImageHouse, runImage } from './image-house.ts'
import { refuses } from './package-house.ts'

const registry = await openImageRegistry()
const outside = mkdtempSync('/var/tmp/cordon-outside-image-')
const canary = path.join(outside, 'canary')
writeFileSync(canary, 'untouched')
chmodSync(outside, 0o777) // the user of a sandbox may write there
after(async () => {
  rmSync(outside, { recursive: true })
  await registry[Symbol.asyncDispose]()
})
beforeEach(() => {
  Object.assign(registry, { realm: undefined, blobsAt: undefined, answer: undefined })
})

const CONFIG = { Entrypoint: ['/bin/busybox'] }
const image = (layer: readonly LayerEntry[], more: Partial<ImageSpec> = {}): ImageSpec => ({
  layers: [[busybox()], layer],
  config: CONFIG,
  ...more,
})
const up = `${'../'.repeat(30)}${canary.slice(1)}`
const MIB = 2 ** 20

/** Faults of an image, each with the image, the code and the sentence. */
const IMAGES: Readonly<Record<string, readonly [ImageSpec, string, RegExp]>> = {
  'a name with ..': [
    image([{ name: up, content: 'x' }]),
    'unsafe-package',
    /leads out of the image/,
  ],
  'an absolute name': [image([{ name: canary, content: 'x' }]), 'unsafe-package', /leads out/],
  'a long name with ..': [
    image([{ name: `a/../../${canary}`, content: 'x', isLong: true }]),
    'unsafe-package',
    /leads out/,
  ],
  'a whiteout with ..': [image([{ name: 'a/.wh...' }]), 'unsafe-package', /removes what is not/],
  'a hard link to a file of this machine': [
    image([{ name: 'x', type: '1', target: canary }]),
    'unsafe-package',
    /leads out/,
  ],
  'a hard link out by ..': [
    image([{ name: 'x', type: '1', target: up }]),
    'unsafe-package',
    /leads out/,
  ],
  'a hard link to nothing': [
    image([{ name: 'x', type: '1', target: 'none' }]),
    'bad-package',
    /no file/,
  ],
  'links in a circle': [
    image([
      { name: 'a', type: '2', target: 'b' },
      { name: 'b', type: '2', target: 'a' },
      { name: 'a/x', content: 'x' },
    ]),
    'bad-package',
    /links run in a circle/,
  ],
  '10 GB of zeros in one file': [
    image([{ name: 'zeros', size: 8 * 2 ** 30 - 1 }]),
    'unsafe-package',
    /one of its files is larger than 512 MiB/,
  ],
  'a link in place of /etc': [
    image([{ name: 'etc', type: '2', target: '/x' }]),
    'bad-package',
    /\/etc/,
  ],
  'a user that it does not have': [
    image([], { config: { ...CONFIG, User: 'nobody-here' } }),
    'bad-package',
    /user that it does not have/,
  ],
  'no program': [image([], { config: {} }), 'bad-package', /names no program/],
  'another machine': [
    image([], { architecture: 's390x' }),
    'bad-package',
    /no version for this machine/,
  ],
  'an index without this machine': [
    image([], { architecture: 'mips', isListed: true }),
    'bad-package',
    /no version for this machine/,
  ],
  'a working folder with a NUL in its name': [
    image([], { config: { ...CONFIG, WorkingDir: '/a\0b' } }),
    'bad-package',
    /a NUL/,
  ],
  'a volume with a NUL in its name': [
    image([], { config: { ...CONFIG, Volumes: { '/a\0b': {} } } }),
    'bad-package',
    /a NUL/,
  ],
  'a working folder with a name that is too long': [
    image([], { config: { ...CONFIG, WorkingDir: `/${'a'.repeat(300)}` } }),
    'bad-package',
    /too long/,
  ],
  'a volume where a file is': [
    image([{ name: 'srv', content: 'x' }], { config: { ...CONFIG, Volumes: { '/srv/x': {} } } }),
    'bad-package',
    /a file where a folder is needed/,
  ],
  'a NUL in a setting': [
    image([], { config: { ...CONFIG, Env: ['A=b\0LD_PRELOAD=/x'] } }),
    'bad-package',
    /a NUL/,
  ],
  'a NUL in its program': [
    image([], { config: { Entrypoint: ['/bin/sh\0', '-c'] } }),
    'bad-package',
    /a NUL/,
  ],
  'settings of ten megabytes': [
    image([], {
      config: {
        ...CONFIG,
        Env: Array.from({ length: 5_000 }, (_, at) => `A${at}=${'x'.repeat(2_000)}`),
      },
    }),
    'bad-package',
    /too/,
  ],
  'a user with a NUL': [image([], { config: { ...CONFIG, User: '0\0' } }), 'bad-package', /a NUL/],
  'a hard link over the folder of its file': [
    image([
      { name: 'a/x', content: 'x' },
      { name: 'a', type: '1', target: 'a/x' },
    ]),
    'bad-package',
    /damaged/,
  ],
  'a link with a name of 60,000 letters': [
    image([{ name: 'x', type: '2', target: 'a'.repeat(60_000), isLong: true }]),
    'bad-package',
    /damaged/,
  ],
  'an unknown kind of entry': [image([{ name: 'x', type: 'S' }]), 'bad-package', /unknown kind/],
}

const count = countRefusals('images', Object.keys(IMAGES).length)
for (const [name, [spec, code, words]] of Object.entries(IMAGES)) {
  test(`an image with ${name} is refused, and nothing of it stays`, async () => {
    registry.add('acme/it', '1.0', spec)
    await using house = await openImageHouse(registry)
    await refuses(house, installImage(house), `catalog.${code}`, words)
    assert.ok(existsSync(canary))
    count()
  })
}

test('absolute links and links with .. stay inside the image', async () => {
  registry.add('acme/it', '1.0', {
    layers: [
      [
        busybox(),
        { name: 'out', type: '2', target: outside },
        { name: 'up', type: '2', target: `../../../..${outside}` },
      ],
      [
        { name: 'out/planted', content: 'x' },
        { name: 'up/planted', content: 'x' },
        { name: 'out/.wh.canary' },
      ],
    ],
    config: CONFIG,
  })
  await using house = await openImageHouse(registry)
  const { folder } = await installImage(house)
  assert.ok(existsSync(path.join(folder, 'rootfs', outside, 'planted')))
  assert.ok(!existsSync(path.join(outside, 'planted')))
  assert.ok(existsSync(canary))
})

test('zeros that unpack without end are given up while they are unpacked', async () => {
  const zeros = Array.from({ length: 6 }, (_, at) => ({
    name: `zeros-${at}`,
    content: Buffer.alloc(400 * MIB),
  }))
  registry.add('acme/it', '1.0', {
    layers: [[busybox()], ...zeros.map((one) => [one])],
    config: CONFIG,
  })
  await using house = await openImageHouse(registry)
  await refuses(house, installImage(house), 'catalog.unsafe-package', /larger than 2\.0 GiB/)
})

test('a volume behind a link is made inside the image, and no folder on this machine', async () => {
  const link = { name: 'data', type: '2', target: `/oldroot${outside}` }
  const nested = { name: 'srv/data', type: '2', target: `/oldroot${outside}` }
  registry.add('acme/it', '1.0', {
    layers: [[busybox(), { name: 'srv', type: '5' }, link, nested]],
    config: {
      Entrypoint: ['/bin/busybox', 'sh', '-c'],
      Cmd: ['echo started; ls /oldroot'],
      Volumes: { '/data/planted': {}, '/srv/data/planted-too': {} },
    },
  })
  await using house = await openImageHouse(registry)
  const it = await installImage(house)
  assert.match(await runImage(house, it), /^started$/m)
  assert.deepEqual(readdirSync(outside), ['canary'])
})

test('SANDBOX-1: an image has no library loaded into the start program of its sandbox', async () => {
  const preload = { name: 'etc/ld.so.preload', content: '/lib/evil.so\n' }
  registry.add('acme/it', '1.0', {
    layers: [[busybox(), preload], [{ name: 'lib/evil.so', content: 'no library' }]],
    config: { Entrypoint: ['/bin/busybox', 'echo', 'started'] },
  })
  await using house = await openImageHouse(registry)
  const it = await installImage(house)
  const list = path.join(it.folder, 'rootfs/etc/ld.so.preload')
  assert.ok(!existsSync(list))
  // As in an image that was installed before Cordon took the list out. The loader names what it cannot load.
  writeFileSync(list, preload.content)
  assert.equal(await runImage(house, it), 'started\n')
})

test('what an image starts in the background ends with its server', async () => {
  registry.add('acme/it', '1.0', {
    layers: [[busybox()]],
    config: {
      Entrypoint: ['/bin/busybox', 'sh', '-c'],
      Cmd: [
        'for i in 1 2 3; do (/bin/busybox setsid /bin/busybox sleep 1000 &) ; done; echo started; exit 0',
      ],
    },
  })
  await using house = await openImageHouse(registry)
  const it = await installImage(house)
  const sleepers = (): number =>
    readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(path.basename(it.folder))
      } catch {
        return false // not a process, or gone by now
      }
    }).length
  assert.match(await runImage(house, it), /^started$/m)
  assert.equal(sleepers(), 0)
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { filesOver, imageParts, placeInImage } from './image-parts.ts'

const root = mkdtempSync(path.join(tmpdir(), 'cordon-image-'))
after(() => rmSync(root, { recursive: true }))
for (const name of ['usr/bin', 'etc', 'proc', 'tmp', 'data', 'srv/here']) {
  mkdirSync(path.join(root, name), { recursive: true })
}
symlinkSync('usr/bin', path.join(root, 'bin'))
symlinkSync('/etc', path.join(root, 'srv/link'))
writeFileSync(path.join(root, 'server'), '')
writeFileSync(path.join(root, 'etc/passwd'), 'node:x:1000:1000::/:/bin/sh\n')
const image = {
  root,
  workingFolder: '/',
  user: { uid: 7, gid: 8 },
  environment: {},
  volumes: ['/data'],
  shownAt: {},
}

test('imageParts() mounts what is at the top, makes links anew, and leaves the sandbox its own folders', () => {
  const { mounts, links } = imageParts(image, ['/server'])
  assert.deepEqual(
    new Map(mounts.map(({ target, source }) => [target, source])),
    new Map(['etc', 'srv', 'usr'].map((name) => [`/${name}`, path.join(root, name)])),
  )
  assert.ok(mounts.every(({ writable }) => !writable))
  assert.deepEqual(links, ['--symlink', 'usr/bin', '/bin'])
})

test('imageParts() opens the folders around a declared one that the image lacks, and no other', () => {
  const shownAt = { '/a': '/srv/new/er', '/b': '/usr/bin' }
  const { mounts, links } = imageParts({ ...image, shownAt }, ['/a', '/b'])
  const targets = mounts.map(({ target }) => target).sort()
  assert.deepEqual(targets, ['/etc', '/server', '/srv/here', '/usr'])
  const made = ['--symlink', 'usr/bin', '/bin', '--symlink', '/etc', '/srv/link']
  assert.deepEqual(new Set(links), new Set(made))
})

test('placeInImage() takes a new path, or a folder of the image, and never a link', () => {
  const at = (target: string) => placeInImage({ ...image, shownAt: { '/x': target } }, '/x')
  for (const target of ['/projects', '/projects/deep/er', '/srv/here', '/srv/none/x', '/data/x']) {
    assert.equal(at(target), target)
  }
  for (const target of [
    '/server/x',
    '/srv/link',
    '/srv/link/x',
    '/bin',
    '/bin/x',
    '/proc',
    '/etc/x',
  ]) {
    assert.throws(() => at(target), { code: 'sandbox.path' }, target)
  }
  for (const target of ['/', '/a/../etc', '/opt/cordon/x', 'x', '/tmp']) {
    assert.throws(() => at(target), { code: 'sandbox.path' }, target)
  }
})

test('filesOver() adds the user of the server to those of the image', () => {
  const files = filesOver(image)
  assert.match(files['/etc/passwd'] ?? '', /^node:x:1000:.*\nmcp:x:7:8:/)
  assert.equal(files['/etc/group'], 'mcp:x:8:\n')
  const known = filesOver({ ...image, user: { uid: 1000, gid: 1000 } })
  assert.equal(known['/etc/passwd'], 'node:x:1000:1000::/:/bin/sh\n')
})

test('filesOver() leaves nothing in the list of libraries to load first, and mounts over no link', () => {
  const list = path.join(root, 'etc/ld.so.preload')
  assert.equal(filesOver(image)['/etc/ld.so.preload'], undefined)
  writeFileSync(list, '/evil.so')
  assert.equal(filesOver(image)['/etc/ld.so.preload'], '')
  rmSync(list)
  symlinkSync('/server', list)
  assert.throws(() => filesOver(image), { code: 'sandbox.path' })
  rmSync(list)
})

test('imageParts() refuses a volume that a link of the image leads to', () => {
  const to = (...volumes: string[]) => imageParts({ ...image, volumes }, [])
  for (const folder of ['/bin/x', '/srv/link', '/srv/link/deep']) {
    assert.throws(
      () => to(folder),
      { code: 'sandbox.path', message: /a link of its image/ },
      folder,
    )
  }
  to('/bin', '/srv/here', '/new/er', '/run/x')
})

test('imageParts() makes the folder to begin in where the image lacks it, and never over a link', () => {
  const made = (workingFolder: string) => {
    const parts = imageParts({ ...image, workingFolder, shownAt: { '/': '/shown' } }, ['/'])
    const { links, mounts } = parts
    return [links.includes('--dir') && links.at(-1), mounts.some(({ target }) => target === '/srv')]
  }
  assert.deepEqual(made('/new/er'), ['/new/er', true])
  assert.deepEqual(made('/srv/new/er'), ['/srv/new/er', false])
  const there = [
    '/',
    '/srv/here',
    '/srv/link/new',
    '/tmp/new',
    '/data/new',
    '/proc/new',
    '/shown/usr',
  ]
  for (const folder of there) assert.deepEqual(made(folder), [false, true], folder)
  const refused = { code: 'sandbox.path', message: /begins there/ }
  assert.throws(() => made('/server/new'), refused)
  assert.throws(() => made('/shown/none-of-that-name'), refused)
})

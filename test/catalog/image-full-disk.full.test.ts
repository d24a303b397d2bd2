/** Installs of images that run out of disk are refused in one sentence, and leave nothing. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { openImageRegistry } from '../fixtures/image-registry.ts'
import { busybox, installImage, openImageHouse } from './image-house.ts'
import { homeOnDisk } from './small-disk.ts'

const registry = await openImageRegistry()
after(() => registry[Symbol.asyncDispose]())

test('INSTALL-3: a disk that is full while a layer is fetched is one sentence, and leaves nothing', async (t: TestContext) => {
  const { home, isOwn } = homeOnDisk(5)
  if (!isOwn) return t.skip('mounting a small disk is not permitted')
  mkdirSync(path.join(home, 'packages'), { mode: 0o700 })
  const large = { name: 'large', content: randomBytes(8 * 2 ** 20) }
  const config = { Entrypoint: ['/bin/busybox'] }
  registry.add('acme/it', '1.0', { layers: [[busybox()], [large]], config })
  await using house = await openImageHouse(registry, { home })
  const installing = installImage(house)
  await assert.rejects(installing, { code: 'catalog.disk-full', message: /the disk is full$/ })
  assert.deepEqual(house.list(), [])
})

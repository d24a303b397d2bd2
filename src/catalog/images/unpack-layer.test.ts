import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { unpackLayer } from './unpack-layer.ts'

const folder = mkdtempSync('/var/tmp/cordon-unpack-')
after(() => rmSync(folder, { recursive: true }))

const LIMITS = { bytes: 2 ** 20, fileBytes: 2 ** 19, entries: 50 }

type Entry = readonly [name: string, size: number, type?: string, target?: string]

/** Headers by hand: each entry is a name with a size of zeros. */
function tarOf(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap(([name, size, type = '0', target = '']) => {
    const head = Buffer.alloc(512)
    head.write(name, 0)
    head.write('0000644\0', 100)
    head.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
    head.write('        ', 148)
    head.write(type, 156)
    head.write(target, 157)
    head.write('ustar\u000000', 257)
    const sum = head.reduce((all, byte) => all + byte, 0)
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [head, Buffer.alloc(Math.ceil(size / 512) * 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}

async function unpack(tar: Buffer, packed = gzipSync(tar)): Promise<readonly string[]> {
  const root = mkdtempSync(path.join(folder, 'root-'))
  const file = path.join(folder, 'layer')
  writeFileSync(file, packed)
  const diffId = `sha256:${createHash('sha256').update(tar).digest('hex')}`
  const done = { bytes: 0, entries: 0, leftOut: 0 }
  await unpackLayer(file, diffId, { root, limits: LIMITS, done })
  return readdirSync(root)
}

test('unpackLayer() writes the files of a layer', async () => {
  assert.deepEqual(
    await unpack(
      tarOf([
        ['a', 0],
        ['b', 513],
      ]),
    ),
    ['a', 'b'],
  )
})

test('unpackLayer() gives up at the first byte, file or entry too many', async () => {
  const many = Array.from({ length: 51 }, (_, at) => [`f${at}`, 0] as const)
  const large = [0, 1, 2].map((at) => [`f${at}`, 2 ** 19] as const)
  const folders = ['a/', 'b/'].map((part) => [`${part.repeat(30)}x`, 0] as const)
  // Each hard link leads over ten folders that it alone would make, back to the file `f`.
  const linked = [0, 1, 2, 3, 4].flatMap((at): Entry[] => [
    [`l${at}`, 0, '2', `${`${at}/`.repeat(10)}${'../'.repeat(10)}`],
    [`h${at}`, 0, '1', `l${at}/f`],
  ])
  const cases: readonly [readonly Entry[], RegExp][] = [
    [[['x', 2 ** 19 + 1]], /one of its files is larger/],
    [large, /larger than 0\.0 GiB when it is unpacked/],
    [many, /more than 50 files/],
    [folders, /more than 50 files/],
    [[['f', 0], ...linked], /more than 50 files/],
  ]
  for (const [entries, words] of cases) {
    await assert.rejects(unpack(tarOf(entries)), { message: words })
  }
})

test('unpackLayer() gives up on bytes behind the end of the archive too', async () => {
  const tar = Buffer.concat([tarOf([['a', 1]]), Buffer.alloc(3 * 2 ** 20)])
  await assert.rejects(unpack(tar), { message: /when it is unpacked/ })
})

test('unpackLayer() refuses a damaged archive', async () => {
  const whole = tarOf([['a', 600]])
  const changed = Buffer.from(whole)
  changed[3] = 0x78
  for (const tar of [
    changed,
    whole.subarray(0, 700),
    Buffer.from('no archive at all'.repeat(40)),
  ]) {
    await assert.rejects(unpack(tar), { message: /damaged/ })
  }
})

test('unpackLayer() refuses a layer whose compression is damaged or cut off', async () => {
  const tar = tarOf([['a', 60_000]])
  const changed = gzipSync(tar)
  changed.fill(0xff, 12, 20)
  for (const packed of [changed, gzipSync(tar).subarray(0, 40)]) {
    await assert.rejects(unpack(tar, packed), { message: /damaged/ })
  }
})

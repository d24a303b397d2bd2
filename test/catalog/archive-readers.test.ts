/**
 * Archives changed at random, read by Cordon and by the reader that npm unpacks with (node-tar, as it came with npm): an
 * archive that passes holds no entry that node-tar would put elsewhere, and not one that Cordon did not see.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Unfit } from '../../src/catalog/install/unfit.ts'
import { checkArchive } from '../../src/catalog/proof/check-archive.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { NPM } from './package-house.ts'
import { sealHeader, tarEntry, type TarEntry } from './stand-in-registry.ts'

interface Seen {
  readonly path: string
  readonly type: string
  readonly linkpath?: string
  readonly size: number
}
interface NodeTar {
  list(options: { file: string; sync: true; onReadEntry(entry: Seen): void }): void
}
const nodeTar = createRequire(NPM)('tar') as NodeTar

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-readers-'))
const file = path.join(folder, 'one.tgz')
after(() => rmSync(folder, { recursive: true }))

const MARK = 'evil'
/** No other entry has content of this length. */
const LAST = 'x'.repeat(77)
const pax = (record: string): string => `${record.length + 4} ${record}\n`
const hidden = tarEntry({ name: `package/../../${MARK}` }).toString('latin1')
const TEXTS = [
  '',
  hidden,
  pax(`path=package/../${MARK}`),
  pax('path=package/good'),
  pax('path=package/lib/'),
  pax('size=0'),
  pax('size=512'),
  pax(`linkpath=../../../${MARK}`),
  `package/a\0\n/../../${MARK}`,
  `package/good\0`,
]
const NAMES = ['package/a', 'package/lib/', '', 'package/b\0x', `package/c\0\n/../../${MARK}`]
const TYPES = ['0', '5', '7', '1', '2', 'x', 'g', 'L', 'K', '\0', 'N', 'X', 'D', 'V']
const LINKS = ['', '', '', 'a', `../../${MARK}`]
const BYTES = [0, 0x09, 0x0a, 0x20, 0x2f, 0x2e, 0x30, 0x31, 0x35, 0x37, 0x4c, 0x78, 0x80, 0xff]
/** The fields of a header: its name, size, sum, type, link, magic and prefix. */
const PLACES = [0, 9, 99, 124, 134, 135, 148, 154, 155, 156, 157, 257, 262, 263, 345, 475]

/** The same numbers in every run (mulberry32), so that a failure can be looked at. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

function madeWith(dice: (sides: number) => number): Buffer {
  const one = <T>(list: readonly T[]): T => list[dice(list.length)] as T
  const blocks = Array.from({ length: 1 + dice(2) }, () => {
    const entry: TarEntry = {
      name: one(NAMES),
      type: one(TYPES),
      link: one(LINKS),
      text: one(TEXTS),
    }
    const bytes = tarEntry(entry)
    for (let left = dice(2); left > 0; left -= 1) bytes[one(PLACES)] = one(BYTES)
    return dice(8) === 0 ? bytes : sealHeader(bytes)
  })
  const last = tarEntry({ name: 'package/last', text: LAST })
  return Buffer.concat([...blocks, last, Buffer.alloc(1024)])
}

async function passes(): Promise<boolean> {
  return await checkArchive(file).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Unfit) return false
      throw error
    },
  )
}

function leaves({ path: name, type, linkpath = '' }: Seen): boolean {
  if (name.startsWith('/') || name.split('/').includes('..')) return true
  if (!type.endsWith('Link')) return false
  const from = type === 'Link' ? '' : path.posix.dirname(name)
  return linkpath.startsWith('/') || path.posix.join(from, linkpath).startsWith('..')
}

test('INSTALL-1: what Cordon lets through, npm does not read in another way', async () => {
  const dice = createDice(20)
  let passed = 0
  const all = rounds(20_000, 400)
  for (let round = 0; round < all; round += 1) {
    const bytes = madeWith(dice)
    writeFileSync(file, gzipSync(bytes, { level: 1 }))
    if (!(await passes())) continue
    passed += 1
    const seen: Seen[] = []
    nodeTar.list({ file, sync: true, onReadEntry: (entry) => void seen.push(entry) })
    const shown = `round ${round}: ${JSON.stringify(bytes.toString('latin1').replace(/\0+/g, '.'))}`
    assert.deepEqual(
      seen.filter(leaves).map((entry) => entry.path),
      [],
      shown,
    )
    assert.equal(seen.at(-1)?.size, LAST.length, shown) // a note before it may have named it otherwise
  }
  console.log(`archives read by both: ${passed} of ${all} passed`)
  assert.ok(passed > all / 50, `only ${passed} of ${all} passed, which compares nothing`)
})

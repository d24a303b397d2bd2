import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pinPath } from './pin-path.ts'

const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'cordon-pin-')))
const at = (...names: readonly string[]): string => path.join(top, ...names)
mkdirSync(at('real'))
writeFileSync(at('real', 'file'), 'held')
symlinkSync('real', at('link'))
symlinkSync(at('loop'), at('loop'))
after(() => rmSync(top, { recursive: true }))

test('pinPath() tells the path without links, and the folders in which it followed one', () => {
  using straight = pinPath(at('real', 'file'))
  using linked = pinPath(at('link', 'file'))
  const { dev, ino } = statSync(at('real', 'file'), { bigint: true })
  for (const pin of [straight, linked]) {
    assert.equal(pin.path, at('real', 'file'))
    assert.equal(pin.identity, `${dev}:${ino}`)
  }
  assert.deepEqual([straight.linkFolders, linked.linkFolders], [[], [top]])
})

test('pinPath() leads to the file that was judged after another took its name', () => {
  using pin = pinPath(at('real', 'file'))
  renameSync(at('real', 'file'), at('real', 'moved'))
  writeFileSync(at('real', 'file'), 'another')
  assert.equal(readFileSync(pin.heldAt, 'utf8'), 'held')
})

test('pinPath() refuses what does not exist, and a link that leads to itself', () => {
  assert.throws(() => pinPath(at('missing')), { code: 'ENOENT' })
  assert.throws(() => pinPath(at('loop')), { code: 'ELOOP' })
})

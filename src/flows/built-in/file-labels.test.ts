import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { FILE_LABELS, NO_MARKS, parseMarkedFolders, placeLabel } from './file-labels.ts'

let top = ''
before(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'cordon-marks-')))
  await mkdir(join(top, 'public'))
  await symlink(join(top, 'public'), join(top, 'link'))
})
after(() => rm(top, { recursive: true, force: true }))

test('an unmarked file is anybody’s, and sensitive', async () => {
  assert.deepEqual(await placeLabel('/work/a.txt', NO_MARKS), FILE_LABELS)
})

test('a mark holds for everything below its folder, also through a link, and for nothing beside it', async () => {
  const at = async (file: string, folder: string) => {
    const marks = { internal: [join(top, folder)], own: [] }
    return (await placeLabel(join(top, file), marks)).level
  }
  assert.equal(await at('public/deep/a.txt', 'public'), 'internal')
  assert.equal(await at('public/a.txt', 'link'), 'internal')
  assert.equal(await at('publicity/a.txt', 'public'), 'sensitive')
  assert.equal(await at('a.txt', 'public'), 'sensitive')
  assert.equal(await at('gone/a.txt', 'gone'), 'sensitive')
})

test('a folder of the owner’s own words says nothing about confidentiality', async () => {
  const label = await placeLabel(join(top, 'public', 'a'), { internal: [], own: [top] })
  assert.deepEqual(label, { ...FILE_LABELS, integrity: 'user' })
})

test('parseMarkedFolders() understands ~, and refuses everything else that is not a whole path', () => {
  const marks = parseMarkedFolders({ internal: ['~/public', '/srv'], own: ['~'] }, '/home/ann')
  assert.deepEqual(marks, { internal: ['/home/ann/public', '/srv'], own: ['/home/ann'] })
  assert.deepEqual(parseMarkedFolders(undefined, '/home/ann'), NO_MARKS)
  const bad = [{ internal: ['public'] }, { own: ['~bob'] }, { intern: [] }, { own: '~/x' }, [], 7]
  for (const table of bad) {
    assert.throws(
      () => parseMarkedFolders(table, '/home/ann'),
      (error) => error instanceof CordonError && error.code === 'flows.file-marks',
      JSON.stringify(table),
    )
  }
})

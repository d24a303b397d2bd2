import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { finishTree } from './finish-tree.ts'
import { listStored, removeStored } from './stored-packages.ts'

const root = mkdtempSync(path.join(tmpdir(), 'cordon-stored-'))
after(() => rmSync(root, { recursive: true }))

test('listStored() knows finished folders, damaged ones, and no others', async () => {
  for (const name of ['a@1.0.0', 'b@1.0.0', '.part-x']) mkdirSync(path.join(root, name))
  writeFileSync(path.join(root, 'a@1.0.0/run.js'), '12345')
  writeFileSync(path.join(root, 'b@1.0.0/run.js'), '123')
  writeFileSync(path.join(root, 'note'), '')
  symlinkSync('/etc', path.join(root, 'link@1.0.0'))
  const facts = { package: '@x/a', version: '1.0.0', integrity: 'sha512-x', packages: 1 }
  await finishTree(path.join(root, 'a@1.0.0'), () => ({ ...facts, refusedScripts: [] }))
  assert.deepEqual(await listStored(root), [
    { name: 'a@1.0.0', package: '@x/a@1.0.0', bytes: 5 },
    { name: 'b@1.0.0', bytes: 3 },
  ])
})

test('removeStored() removes a folder of the list, and follows no other name', async () => {
  const outside = path.join(root, '..', `${path.basename(root)}-outside`)
  mkdirSync(outside)
  after(() => rmSync(outside, { recursive: true }))
  for (const name of [`../${path.basename(outside)}`, '.part-x', 'link@1.0.0', '', '.']) {
    assert.equal(await removeStored(root, name), false, name)
  }
  assert.equal(await removeStored(root, 'a@1.0.0'), true)
  assert.deepEqual(readdirSync(root).sort(), ['.part-x', 'b@1.0.0', 'link@1.0.0', 'note'])
  assert.deepEqual(readdirSync(outside), [])
})

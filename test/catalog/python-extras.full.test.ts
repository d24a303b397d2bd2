/** Extras of a Python package: they bring packages along, and are part of what is installed. Real sandbox and python3. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { openPythonIndex } from '../fixtures/python-index.ts'
import { installPython, openPythonHouse } from './python-house.ts'

const index = await openPythonIndex()
after(() => index[Symbol.asyncDispose]())
const files = { 'small/__init__.py': 'def main():\n    pass\n' }
index.add({ name: 'words', files: { 'words.py': '' } })
index.add({
  name: 'small',
  files,
  programs: { small: 'small:main' },
  requires: ['words ; extra == "cli"'],
})

test('the same version with and without an extra are two installs, and each is used again', async () => {
  await using house = await openPythonHouse(index)
  const plain = await installPython(house, 'small')
  assert.ok(!existsSync(path.join(plain.folder, 'site/words.py')))
  const more = await installPython(house, 'small', { extras: ['CLI', 'cli'] })
  assert.ok(existsSync(path.join(more.folder, 'site/words.py')), 'the extra brought nothing along')
  assert.deepEqual(house.list(), ['it@1.0', 'it@1.0_cli'])
  const asked = index.requests.length
  assert.equal((await installPython(house, 'small')).folder, plain.folder)
  assert.equal((await installPython(house, 'small', { extras: ['cli'] })).folder, more.folder)
  assert.equal(index.requests.length, asked)
})

test('an installed package knows its extras, so that an upgrade keeps them', async () => {
  await using house = await openPythonHouse(index)
  const { entry } = await installPython(house, 'small', { extras: ['cli'] })
  const found = await house.packages.launchAt(entry)
  assert.equal(found?.slug, 'it')
  assert.deepEqual(found.launch.kind === 'pypi' && found.launch.extras, ['cli'])
  const many = Array.from({ length: 40 }, (_, at) => `extra-number-${at}`)
  const { folder } = await installPython(house, 'small', { extras: many })
  assert.match(path.basename(folder), /^it@1\.0_[0-9a-f]{60}$/)
})

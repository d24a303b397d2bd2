import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { findProgram } from './find-program.ts'

const settings = { writePaths: [] }
const places = { cordonHome: '/home/ann/.cordon', userHome: '/home/ann' }

test('findProgram() takes any argument: what cannot be a file is only a word', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const loop = path.join(folder, 'loop')
  symlinkSync(loop, loop)
  const plain = path.join(folder, 'plain')
  writeFileSync(plain, '')
  const odd = ['/a\0b', `/${'x'.repeat(300)}`, `/${'x/'.repeat(5000)}`, loop, `${plain}/in-a-file`]
  assert.deepEqual(findProgram({ command: 'sh', args: odd, settings }, '/node', places).mounts, [])
  assert.throws(() => findProgram({ command: '/a\0b', args: [], settings }, '/node', places), {
    code: 'sandbox.command',
  })
})

test('findProgram() shows the package of the script, and of a file that the script works on the file alone', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const at = (...names: readonly string[]) => path.join(folder, ...names)
  for (const project of ['server', 'work']) {
    mkdirSync(at(project))
    for (const name of ['package.json', '.env', 'index.js']) writeFileSync(at(project, name), '')
  }
  const args = [at('server', 'index.js'), at('work', 'index.js')]
  const { mounts } = findProgram({ command: 'node', args, settings }, '/node', places)
  assert.deepEqual(
    mounts.map(({ target }) => target),
    [at('server'), at('work', 'index.js')],
  )
})

test('findProgram() takes no notice of a package.json that another user planted above the program', (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can make a file of another user')
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const script = path.join(folder, 'index.js')
  const mark = path.join(folder, 'package.json')
  for (const file of [script, mark]) writeFileSync(file, '')
  const shown = () =>
    findProgram({ command: 'node', args: [script], settings }, '/node', places).mounts[0]?.target
  assert.equal(shown(), folder)
  chownSync(mark, 1002, 1002)
  assert.equal(shown(), script)
})

test('findProgram() takes no notice of a mark in a folder that others may write, or above one that a server may', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const inner = path.join(folder, 'inner')
  mkdirSync(inner)
  const script = path.join(inner, 'index.js')
  writeFileSync(script, '')
  writeFileSync(path.join(folder, 'package.json'), '')
  const shown = (written: readonly string[] = []) =>
    findProgram({ command: 'node', args: [script], settings }, '/node', {
      ...places,
      writableFolders: () => written,
    }).mounts[0]?.target
  assert.equal(shown(), folder)
  assert.equal(shown([inner]), script)
  chmodSync(folder, 0o1777)
  assert.equal(shown(), script)
})

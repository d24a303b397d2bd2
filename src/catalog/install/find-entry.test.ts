import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { chooseProgram, findEntry } from './find-entry.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-entry-'))
after(() => rmSync(folder, { recursive: true }))
const home = path.join(folder, 'package')
mkdirSync(path.join(home, 'lib'), { recursive: true })
writeFileSync(path.join(home, 'run.js'), '')
writeFileSync(path.join(folder, 'secret.js'), '')
symlinkSync('../secret.js', path.join(home, 'link.js'))
symlinkSync('run.js', path.join(home, 'inner.js'))

function describe(bin: unknown): void {
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ name: '@a/tool', bin }))
}

test('findEntry() returns a file inside the package', async () => {
  for (const bin of ['run.js', './run.js', { tool: 'lib/../run.js' }, 'inner.js']) {
    describe(bin)
    assert.equal(await findEntry(home, undefined), path.join(home, 'run.js'))
  }
})

test('findEntry() refuses what is outside, missing, or not a file', async () => {
  const wrong = {
    '../secret.js': /lies outside/,
    'link.js': /lies outside/,
    '/etc/passwd': /is missing/,
    lib: /is not a file/,
    'none.js': /is missing/,
    '.': /lies outside/,
  }
  for (const [bin, message] of Object.entries(wrong)) {
    describe(bin)
    await assert.rejects(findEntry(home, undefined), { name: 'Unfit', message })
  }
})

test('chooseProgram() takes the one that is asked for, the only one, or the one named like the package', () => {
  const several = { name: '@a/tool', bin: { tool: 'a.js', other: 'b.js' } }
  assert.equal(chooseProgram(several, 'other'), 'b.js')
  assert.equal(chooseProgram(several, undefined), 'a.js')
  assert.equal(chooseProgram({ name: 'x', bin: { y: 'c.js' } }, undefined), 'c.js')
  assert.equal(chooseProgram({ name: 'x', bin: { y: 'c.js', z: 'c.js' } }, undefined), 'c.js')
  assert.equal(chooseProgram({ name: '@a/tool', bin: 'd.js' }, 'tool'), 'd.js')
})

test('chooseProgram() does not guess', () => {
  const several = { name: 'x', bin: { a: 'a.js', b: 'b.js' } }
  assert.throws(() => chooseProgram(several, undefined), /several programs: \["a","b"\]/)
  assert.throws(() => chooseProgram(several, 'c'), /no program "c" but \["a","b"\]/)
  assert.throws(() => chooseProgram(several, 'toString'), /no program "toString"/)
  assert.throws(() => chooseProgram({ name: 'x' }, undefined), /it has no program/)
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { findProgram } from './find-program.ts'

const places = { cordonHome: '/home/ann/.cordon', userHome: '/home/ann' }

test('findProgram() takes any argument: what cannot be a file is only a word', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const loop = path.join(folder, 'loop')
  symlinkSync(loop, loop)
  const plain = path.join(folder, 'plain')
  writeFileSync(plain, '')
  const odd = ['/a\0b', `/${'x'.repeat(300)}`, `/${'x/'.repeat(5000)}`, loop, `${plain}/in-a-file`]
  assert.deepEqual(findProgram({ command: 'sh', args: odd }, '/node', places).mounts, [])
  assert.throws(() => findProgram({ command: '/a\0b', args: [] }, '/node', places), {
    code: 'sandbox.command',
  })
})

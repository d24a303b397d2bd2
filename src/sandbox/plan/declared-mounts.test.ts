import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pinByName } from '../../kernel/test-pin-path.ts'
import { programMounts } from './declared-mounts.ts'

const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'cordon-mounts-')))
const at = (...names: readonly string[]): string => path.join(top, ...names)
for (const folder of ['home/.ssh', 'work', 'real', 'tools'])
  mkdirSync(at(folder), { recursive: true })
symlinkSync(at('home', '.ssh'), at('tools', 'keys'))
symlinkSync(at('real'), at('work', 'planted'))
symlinkSync(at('real'), at('tools', 'linked'))
after(() => rmSync(top, { recursive: true }))

const places = {
  cordonHome: at('home', '.cordon'),
  userHome: at('home'),
  writableFolders: () => [at('work')],
  pinPath: pinByName,
}

/** As the program was found, before its folder was swapped for a link. */
function found(target: string) {
  return [{ source: target, target, writable: false }]
}

test('programMounts() mounts the folder that it holds, by its real path', () => {
  const [mount] = programMounts(found(at('tools', 'linked')), places, (pin) => pin)
  assert.equal(mount?.source, at('real'))
  assert.equal(mount.target, at('tools', 'linked'))
})

test('SANDBOX-1: programMounts() refuses a program whose folder has become a link since it was found', () => {
  for (const target of [at('tools', 'keys'), at('work', 'planted'), at('tools', 'gone')]) {
    assert.throws(() => programMounts(found(target), places, (pin) => pin), {
      code: 'sandbox.path',
    })
  }
})

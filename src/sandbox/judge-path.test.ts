import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { createPathJudge } from './judge-path.ts'

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'cordon-judge-')))
after(() => rmSync(base, { recursive: true }))
for (const folder of ['ann/.cordon/data/memory', 'ann/notes', 'ann/.ssh']) {
  mkdirSync(path.join(base, folder), { recursive: true })
}
symlinkSync(path.join(base, 'ann/.ssh'), path.join(base, 'ann/link'))
const home = path.join(base, 'ann')
const places = { cordonHome: path.join(home, '.cordon'), userHome: home }
const judge = createPathJudge(places)

test('createPathJudge() lets a folder of the home pass, for reading and for writing', () => {
  chmodSync(path.join(home, 'notes'), 0o777)
  assert.equal(judge(path.join(home, 'notes'), 'read'), undefined)
  assert.equal(judge(path.join(home, 'notes'), 'write'), undefined)
})

test("createPathJudge() refuses the machine, the home, Cordon's home and what holds it, with the reason", () => {
  for (const [wanted, reason] of [
    ['/', /whole machine/],
    [home, /whole home folder/],
    [path.join(home, '.cordon'), /lies in Cordon's own home/],
    [path.join(home, '.cordon/data/memory'), /lies in Cordon's own home/],
    [base, /holds Cordon's own home/],
    [path.join(home, 'link'), /\.ssh/],
    [path.join(home, 'gone'), /no such file or folder/],
    [path.join(home, 'gone/.ssh'), /\.ssh/],
    ['notes', /plain absolute path/],
    [`${home}/notes/../notes`, /plain absolute path/],
  ] as const) {
    assert.match(judge(wanted, 'read') ?? '', reason, wanted)
    assert.match(judge(wanted, 'write') ?? '', reason, wanted)
  }
})

test('createPathJudge() says what an unprivileged server lacks where Cordon is root, with the command', () => {
  const asRoot = createPathJudge(places, { uid: 65534, gid: 65534 })
  const plans = path.join(home, 'plans')
  mkdirSync(plans)
  chmodSync(plans, 0o755)
  assert.equal(asRoot(plans, 'read'), undefined)
  assert.match(asRoot(plans, 'write') ?? '', new RegExp(`chmod -R o\\+rwX ${plans}\\)$`))
  chmodSync(plans, 0o700)
  assert.match(asRoot(plans, 'read') ?? '', /others lack the rights \(chmod -R o\+rX /)
  chmodSync(plans, 0o777)
  assert.equal(asRoot(plans, 'write'), undefined)
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { comparePackages } from './compare-packages.ts'
import { finishTree } from './finish-tree.ts'

const root = mkdtempSync(path.join(tmpdir(), 'cordon-compared-'))
after(() => rmSync(root, { recursive: true }))

interface Content {
  readonly text: string | Buffer
  readonly mode?: number
}
const program = (text: string | Buffer): Content => ({ text, mode: 0o755 })

async function made(name: string, files: Readonly<Record<string, Content>>): Promise<string> {
  const folder = path.join(root, name)
  for (const [file, { text, mode = 0o644 }] of Object.entries(files)) {
    const full = path.join(folder, 'rootfs', file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text, { mode })
  }
  symlinkSync('/etc/passwd', path.join(folder, 'rootfs/link.sh'))
  const facts = { package: 'it', version: name, integrity: 'x', packages: 1 }
  const scripts = name === 'old' ? { refusedScripts: [], ranScripts: ['it'] } : {}
  await finishTree(folder, () => ({ ...facts, refusedScripts: ['it', 'more'], ...scripts }))
  return folder
}

test('comparePackages() reads scripts and programs for hosts, and counts the code that it passed over', async () => {
  const old = await made('old', { 'bin/run': program('#!/bin/sh\n'), 'bin/big': program('x') })
  const binary = Buffer.concat([Buffer.alloc(99), Buffer.from('https://compiled.test/in\0')])
  const newer = await made('newer', {
    'bin/run': program('#!/bin/sh\ncurl https://shell.test/in\n'),
    'bin/tool': program(binary),
    'bin/big': program(Buffer.alloc(9 * 2 ** 20)),
    'lib/part.so.1': { text: 'https://library.test' },
    'share/readme.md': { text: 'https://words.test' },
  })
  const { hosts, unread } = await comparePackages(old, newer)
  assert.deepEqual(hosts.added, ['compiled.test', 'library.test', 'shell.test'])
  assert.equal(unread, 1)
})

test('comparePackages() counts a package with scripts, whether those ran or were refused', async () => {
  const [old, newer] = [path.join(root, 'old'), path.join(root, 'newer')]
  assert.deepEqual((await comparePackages(old, newer)).scripts, { added: ['more'], removed: [] })
})

/** Opening a home: the folders it creates, the homes it refuses, the permissions it repairs. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { HOME_FOLDERS, homePaths } from './home-paths.ts'
import { openHome } from './open-home.ts'

let root: string
let home: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cordon-home-'))
  home = join(root, 'home')
})
afterEach(() => rmSync(root, { recursive: true }))

const modeOf = (path: string): number => statSync(path).mode & 0o777

function isUntrusted(error: unknown): boolean {
  assert.ok(error instanceof CordonError)
  assert.equal(error.code, 'home.untrusted')
  assert.equal(error.exit, 3)
  return true
}

test('HOME-1: openHome() creates a private home with all its folders, under any umask', async () => {
  const before = process.umask(0)
  try {
    await using opened = await openHome(join(home, 'nested'))
    assert.equal(opened.path, join(home, 'nested'))
    assert.deepEqual(opened.paths, homePaths(opened.path))
    assert.deepEqual(readdirSync(opened.path), [...HOME_FOLDERS].sort())
    for (const path of [home, opened.path, ...HOME_FOLDERS.map((name) => opened.paths[name])]) {
      assert.equal(modeOf(path), 0o700, path)
    }
    for (const name of readdirSync(opened.paths.run)) {
      assert.equal(modeOf(join(opened.paths.run, name)), 0o600, name)
    }
    assert.deepEqual(readdirSync(opened.paths.run).sort(), ['cordon.lock', 'writer.lock'])
  } finally {
    process.umask(before)
  }
})

test('openHome() refuses a home in use, and opens it again once that is over', async () => {
  {
    await using _first = await openHome(home)
    await assert.rejects(openHome(home), { code: 'home.locked' })
  }
  await using _second = await openHome(home)
})

test('openHome() makes a home private that others could read, and never loosens one', async () => {
  mkdirSync(join(home, 'vault'), { recursive: true, mode: 0o755 })
  chmodSync(home, 0o755)
  await using opened = await openHome(home)
  assert.equal(modeOf(home), 0o700)
  assert.equal(modeOf(opened.paths.vault), 0o700)
})

test('HOME-1: openHome() refuses a home or a folder in it that others can write, and takes no lock', async () => {
  for (const name of ['.', 'mcp', 'run']) {
    const path = join(home, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    for (const mode of [0o770, 0o702, 0o1777]) {
      chmodSync(path, mode)
      await assert.rejects(openHome(home), isUntrusted)
      assert.equal(statSync(path).mode & 0o1777, mode)
    }
    chmodSync(path, 0o700)
  }
  assert.deepEqual(readdirSync(join(home, 'run')), [])
})

test('openHome() refuses a home of another user, also as root', {
  skip: process.geteuid?.() === 0 ? false : 'only root can give a folder away',
}, async () => {
  mkdirSync(home, { mode: 0o700 })
  chownSync(home, 65534, 65534)
  await assert.rejects(openHome(home), isUntrusted)
  assert.deepEqual(readdirSync(home), [])
})

test('openHome() refuses what is not a folder', async () => {
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
  for (const name of ['file', 'file/below', 'dangling', 'dangling/below']) {
    await assert.rejects(openHome(join(root, name)), isUntrusted, name)
  }
})

test('openHome() follows a symbolic link to the home, and says where it leads', async () => {
  mkdirSync(join(root, 'real'))
  symlinkSync(join(root, 'real'), home)
  await using opened = await openHome(home)
  assert.equal(opened.path, join(root, 'real'))
  await assert.rejects(openHome(join(root, 'real')), { code: 'home.locked' })
})

test('openHome() removes what a killed writer left unfinished', async () => {
  await (await openHome(home))[Symbol.asyncDispose]()
  const leftover = join(home, 'vault', '.cordon-0123456789abcdef.tmp')
  writeFileSync(leftover, 'half')
  await using opened = await openHome(home)
  assert.deepEqual(readdirSync(opened.paths.vault), [])
})

test('a closed home writes no more', async () => {
  const opened = await openHome(home)
  await opened[Symbol.asyncDispose]()
  await assert.rejects(opened.files.write(join(home, 'late'), 'x'), /closed/)
  await opened[Symbol.asyncDispose]()
})

/** Rotation: every record under a new key, and no secret lost wherever the rotation is interrupted. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Header } from './header.ts'
import { recordId } from './record.ts'
import {
  createTestHome,
  createTestKeychain,
  dyingFiles,
  lend,
  ME,
  refusal,
  type TestHome,
} from './test-vault.ts'

const NAMES = ['a', 'b', 'c']

async function fill(home: TestHome): Promise<void> {
  await using vault = await home.open()
  await vault.init('keyfile')
  for (const name of NAMES) await vault.set(ME, name, Buffer.from(`value-${name}`))
}

function headerOf(home: TestHome): Header {
  return JSON.parse(readFileSync(join(home.vaultFolder, 'header.json'), 'utf8')) as Header
}

const recordPath = (home: TestHome, name: string): string =>
  join(home.vaultFolder, 'records', `${recordId(ME, name)}.json`)

test('rotate() encrypts every record anew and drops the old key', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  const before = headerOf(home)
  const records = NAMES.map((name) => readFileSync(recordPath(home, name), 'utf8'))
  const listed = await vault.list(ME)
  assert.deepEqual(await vault.rotate(), { records: 3 })
  const after = headerOf(home)
  assert.notEqual(after.activeKey, before.activeKey)
  assert.deepEqual(
    after.keys.map((key) => key.id),
    [after.activeKey],
  )
  for (const [i, name] of NAMES.entries()) {
    const record = JSON.parse(readFileSync(recordPath(home, name), 'utf8'))
    assert.equal(record.key, after.activeKey)
    assert.notEqual(record.ciphertext, JSON.parse(records[i] as string).ciphertext)
    assert.equal(await lend(vault, name), `value-${name}`)
  }
  assert.deepEqual(await vault.list(ME), listed, 'times are kept')
})

test('an old record put back after rotate() is damaged, not lent', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  const old = readFileSync(recordPath(home, 'a'))
  await vault.rotate()
  writeFileSync(recordPath(home, 'a'), old)
  await assert.rejects(lend(vault, 'a'), refusal('vault.damaged'))
})

test('rotate() with a passphrase moves away from the key file and removes it', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  await vault.rotate('correct horse')
  assert.equal(existsSync(join(home.vaultFolder, 'key')), false)
  const status = await vault.status()
  assert.deepEqual([status.keySource, status.warnings], ['passphrase', []])
  await using later = await home.open()
  assert.equal((await later.status()).state, 'locked')
  await later.unlock('correct horse')
  assert.equal(await lend(later, 'b'), 'value-b')
})

test('rotate() with a passphrase moves away from the keychain and clears its entry', async () => {
  using home = createTestHome()
  const entries = new Map<string, Buffer>()
  await using vault = await home.open({ keychain: createTestKeychain(entries) })
  await vault.init('keychain')
  await vault.rotate('correct horse')
  assert.equal(entries.size, 0)
  await vault.rotate('another horse')
  await vault.lock()
  await assert.rejects(vault.unlock('correct horse'), refusal('vault.passphrase'))
  assert.equal((await vault.unlock('another horse')).state, 'unlocked')
})

test('VAULT-6: rotate() cut off at any write loses nothing, and the next unlock finishes it', async () => {
  for (const passphrase of [undefined, 'correct horse']) {
    for (let writes = 0, done = false; !done; writes += 1) {
      using home = createTestHome()
      await fill(home)
      const dying = await home.open({ files: dyingFiles(home.files, writes) })
      done = await dying.rotate(passphrase).then(
        () => true,
        () => false,
      )
      await using vault = await home.open()
      if ((await vault.status()).state === 'locked') await vault.unlock('correct horse')
      for (const name of NAMES) assert.equal(await lend(vault, name), `value-${name}`)
      const header = headerOf(home)
      assert.deepEqual([header.keys.length, header.retired], [1, undefined], `${writes} writes`)
      const keyFile = existsSync(join(home.vaultFolder, 'key'))
      assert.equal(keyFile, header.keySource === 'keyfile', `${writes} writes`)
    }
  }
})

test('a rotation that failed can be run again in the same process, also to another passphrase', async () => {
  using home = createTestHome()
  await fill(home)
  let broken = true
  const files = {
    ...home.files,
    write: async (path: string, content: string | Uint8Array): Promise<void> => {
      if (broken && path === recordPath(home, 'b')) throw new Error('disk full')
      await home.files.write(path, content)
    },
  }
  await using vault = await home.open({ files })
  await assert.rejects(vault.rotate('correct horse'), /disk full/)
  for (const name of NAMES) assert.equal(await lend(vault, name), `value-${name}`)
  broken = false
  assert.deepEqual(await vault.rotate('another horse'), { records: 3 })
  assert.equal(headerOf(home).keys.length, 1)
  assert.equal(existsSync(join(home.vaultFolder, 'key')), false, 'the key file is not forgotten')
})

test('set() and init() cut off at any write leave the old state or the new one', async () => {
  for (let writes = 0, done = false; !done; writes += 1) {
    using home = createTestHome()
    const dying = await home.open({ files: dyingFiles(home.files, writes) })
    done = await dying.init('keyfile').then(
      () => true,
      () => false,
    )
    await using vault = await home.open()
    if ((await vault.status()).state === 'absent') await vault.init('keyfile')
    await vault.set(ME, 'a', Buffer.from('value-old'))
    const cut = await home.open({ files: dyingFiles(home.files, 0) })
    await assert.rejects(cut.set(ME, 'a', Buffer.from('value-new')), /killed/)
    assert.equal(await lend(await home.open(), 'a'), 'value-old')
  }
})

test('rotate() leaves a damaged record as it is and keeps the key it may need', async () => {
  using home = createTestHome()
  await fill(home)
  const path = recordPath(home, 'b')
  const whole = readFileSync(path)
  truncateSync(path, 100)
  await using vault = await home.open()
  assert.deepEqual(await vault.rotate(), { records: 2 })
  assert.deepEqual(await vault.rotate('correct horse'), { records: 2 })
  assert.deepEqual(readFileSync(path), whole.subarray(0, 100))
  assert.equal(headerOf(home).keys.length, 3)
  assert.equal(existsSync(join(home.vaultFolder, 'key')), false)

  writeFileSync(path, whole) // The owner restores it from a backup.
  await using later = await home.open()
  await later.unlock('correct horse')
  assert.equal(await lend(later, 'b'), 'value-b')
  assert.equal(headerOf(home).keys.length, 1, 'unlocking finished the rotation')
})

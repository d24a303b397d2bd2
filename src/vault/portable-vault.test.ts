import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeySource } from '../kernel/vault-status.ts'
import { never } from '../kernel/test-never.ts'
import { join } from 'node:path'
import { createTestHome, createTestKeychain, ME, NO_KEYCHAIN, type TestHome } from './test-vault.ts'

const PASSPHRASE = 'correct horse battery'
const VALUE = 'the value of the token'

async function fill(home: TestHome, source: KeySource, keychain = createTestKeychain()) {
  const vault = await home.open({ keychain })
  await vault.init(source, source === 'passphrase' ? PASSPHRASE : undefined)
  await vault.set(ME, 'mail_token', Buffer.from(VALUE))
  return vault
}

/** A machine without a keychain, on which only these files exist. */
async function openElsewhere(files: readonly { name: string; content: Uint8Array }[]) {
  const home = createTestHome()
  for (const { name, content } of files)
    await home.files.write(join(home.vaultFolder, name), content)
  return { home, vault: await home.open({ keychain: NO_KEYCHAIN }) }
}

for (const source of ['keyfile', 'passphrase', 'keychain'] as const) {
  test(`portable() gives a vault with a ${source} that opens on another machine`, async () => {
    using home = createTestHome()
    await using vault = await fill(home, source)
    const { key, files } = await vault.portable()
    assert.equal(key, source)
    const elsewhere = await openElsewhere(files)
    using _home = elsewhere.home
    await using copy = elsewhere.vault
    if (source === 'passphrase') await copy.unlock(PASSPHRASE)
    await using lease = await copy.lease(ME, { a: { scheme: 'vault', name: 'mail_token' } }, never)
    assert.equal(lease.value('a').toString(), VALUE)
    for (const { content } of files) assert.equal(Buffer.from(content).includes(VALUE), false)
  })
}

test('portable() leaves the vault itself as it was, and refuses one whose keychain is closed', async () => {
  using home = createTestHome()
  const keychain = createTestKeychain()
  await using vault = await fill(home, 'keychain', keychain)
  const before = await home.paths()
  await vault.portable()
  assert.deepEqual(await home.paths(), before)
  assert.equal((await vault.status()).keySource, 'keychain')
  await using locked = await home.open({ keychain: NO_KEYCHAIN })
  await assert.rejects(locked.portable(), { code: 'vault.locked', exit: 4 })
})

test('portable() gives nothing where there is no vault, and the records of a damaged one', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  assert.deepEqual(await vault.portable(), { key: null, files: [] })
  using other = createTestHome()
  await using damaged = await fill(other, 'keyfile')
  await other.files.write(join(other.vaultFolder, 'header.json'), '{')
  const { key, files } = await damaged.portable()
  assert.equal(key, null)
  assert.equal(files.length, 3)
})

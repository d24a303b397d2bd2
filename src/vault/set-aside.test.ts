/** A forgotten passphrase: the vault is set aside whole, a new one takes its place, and the old one can be put back. */
import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestHome, lend, ME, NO_KEYCHAIN, refusal } from './test-vault.ts'

const FORGOTTEN = 'correct horse'

test('VAULT-5: setAside() keeps every file, makes room for a new vault, and the old one opens once it is put back', async () => {
  using home = createTestHome()
  const first = await home.open()
  await first.init('passphrase', FORGOTTEN)
  await first.set(ME, 'gitlab', Buffer.from('value-1'))
  await using vault = await home.open()
  const { folder } = await vault.setAside()
  assert.equal(home.events.at(-1)?.kind, 'vault.set-aside')
  assert.deepEqual(
    [(await vault.status()).state, await vault.list(ME), existsSync(join(folder, 'header.json'))],
    ['absent', [], true],
  )
  await vault.init('passphrase', 'another horse')
  await vault.set(ME, 'gitlab', Buffer.from('value-2'))
  assert.equal(await lend(vault, 'gitlab'), 'value-2')
  rmSync(home.vaultFolder, { recursive: true })
  renameSync(folder, home.vaultFolder)
  await using restored = await home.open()
  await restored.unlock(FORGOTTEN)
  assert.equal(await lend(restored, 'gitlab'), 'value-1')
})

test('an unlocked vault is locked by it, a damaged one has this way out, and none is refused', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await assert.rejects(vault.setAside(), refusal('vault.absent'))
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from('value-1'))
  await vault.setAside()
  await assert.rejects(lend(vault, 'gitlab'), refusal('vault.absent'))
  await vault.init('keyfile')
  writeFileSync(join(home.vaultFolder, 'header.json'), '{')
  home.clock.now += 1
  await vault.setAside()
  assert.equal((await vault.status()).state, 'absent')
})

test('sources() names the keychain only where it works', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  assert.deepEqual(await vault.sources(), ['keychain', 'passphrase', 'keyfile'])
  await using without = await home.open({ keychain: NO_KEYCHAIN })
  assert.deepEqual(await without.sources(), ['passphrase', 'keyfile'])
})

/** The doctor's findings about the vault and the keychain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestHome, createTestKeychain, NO_KEYCHAIN } from './test-vault.ts'
import { vaultChecks } from './vault-checks.ts'

test('vaultChecks() names the remedy for a missing vault and a missing keychain', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  assert.deepEqual(await vaultChecks(await vault.status(), NO_KEYCHAIN), [
    { name: 'vault', verdict: 'warn', finding: 'Not set up yet', remedy: 'cordon vault init' },
    {
      name: 'keychain',
      verdict: 'warn',
      finding: 'Cannot use the OS keychain',
      remedy: 'Give the vault a passphrase: `cordon vault init --key passphrase`',
    },
  ])
})

test('vaultChecks() is content with a keychain vault, and alarmed when its keychain goes', async () => {
  using home = createTestHome()
  const keychain = createTestKeychain()
  await using vault = await home.open({ keychain })
  await vault.init('keychain')
  const verdicts = (checks: Awaited<ReturnType<typeof vaultChecks>>): readonly string[] =>
    checks.map((check) => check.verdict)
  assert.deepEqual(verdicts(await vaultChecks(await vault.status(), keychain)), ['ok', 'ok'])
  assert.deepEqual(verdicts(await vaultChecks(await vault.status(), NO_KEYCHAIN)), ['ok', 'fail'])
})

test('vaultChecks() does not miss a keychain that a passphrase makes needless', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', 'correct horse')
  const [, keychain] = await vaultChecks(await vault.status(), NO_KEYCHAIN)
  assert.equal(keychain?.verdict, 'ok')
})

test('vaultChecks() repeats the warning about a key file', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  const [check] = await vaultChecks(await vault.status(), createTestKeychain())
  assert.equal(check?.verdict, 'warn')
  assert.match(check?.finding ?? '', /ANYONE WHO CAN READ THIS HOME/)
})

test('vaultChecks() looks at the keychain alone while nobody has the vault open', async () => {
  const checks = await vaultChecks(undefined, NO_KEYCHAIN)
  assert.deepEqual(
    checks.map(({ name, verdict }) => [name, verdict]),
    [['keychain', 'warn']],
  )
})

/** Passphrases, rate-limited guesses and key files; a locked vault holds no key. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CordonError } from '../kernel/error.ts'
import { never } from '../kernel/test-never.ts'
import { NO_KEYCHAIN, createTestHome, createTestKeychain, lend, ME, refusal } from './test-vault.ts'

const RIGHT = 'correct horse'
const WRONG = 'wrong horse'

test('a passphrase vault opens locked: names can be seen, values cannot be lent or stored', async () => {
  using home = createTestHome()
  const first = await home.open()
  await first.init('passphrase', RIGHT)
  await first.set(ME, 'gitlab', Buffer.from('value-1'))
  await using vault = await home.open()
  assert.deepEqual(await vault.status(), {
    state: 'locked',
    keySource: 'passphrase',
    secrets: 1,
    warnings: [],
  })
  assert.equal(await vault.has(ME, 'gitlab'), true)
  assert.equal((await vault.list(ME))[0]?.name, 'gitlab')
  await assert.rejects(lend(vault, 'gitlab'), {
    ...refusal('vault.locked'),
    exit: 4,
    message: 'Cannot lend secret "gitlab"',
    hint: 'Run `cordon vault unlock`, then try again',
  })
  await assert.rejects(vault.set(ME, 'b', Buffer.from('value')), refusal('vault.locked'))
  await assert.rejects(vault.rotate(), refusal('vault.locked'))
  assert.equal((await vault.unlock(RIGHT)).state, 'unlocked')
  assert.equal(await lend(vault, 'gitlab'), 'value-1')
})

test('unlock() accepts the same passphrase in another Unicode spelling', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', 'Schlüssel über alles'.normalize('NFC'))
  await vault.lock()
  assert.equal((await vault.unlock('Schlüssel über alles'.normalize('NFD'))).state, 'unlocked')
})

test('init() and rotate() refuse a passphrase under eight characters', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await assert.rejects(vault.init('passphrase', 'sevench'), {
    ...refusal('vault.weak-passphrase'),
    exit: 2,
  })
  await assert.rejects(vault.init('passphrase', '🐎🐎🐎🐎'), refusal('vault.weak-passphrase'))
  assert.deepEqual([(await vault.status()).state, home.events], ['absent', []])
  await vault.init('passphrase', 'eight ch')
  await assert.rejects(vault.rotate(''), refusal('vault.weak-passphrase'))
})

test('a passphrase is demanded where there is one, and refused where there is none', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await assert.rejects(vault.init('passphrase'), refusal('vault.passphrase-missing'))
  await assert.rejects(vault.init('keyfile', RIGHT), refusal('vault.no-passphrase'))
  await vault.init('keyfile')
  await assert.rejects(vault.unlock(RIGHT), refusal('vault.no-passphrase'))

  using other = createTestHome()
  await using locked = await other.open()
  await locked.init('passphrase', RIGHT)
  await assert.rejects(locked.unlock(), refusal('vault.passphrase-missing'))
})

test('unlock() never says yes to a wrong passphrase, also not while unlocked', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', RIGHT)
  await assert.rejects(vault.unlock(WRONG), { ...refusal('vault.passphrase'), exit: 4 })
  assert.equal((await vault.status()).state, 'unlocked')
  await vault.lock()
  await assert.rejects(vault.unlock(WRONG), refusal('vault.passphrase'))
  await assert.rejects(vault.unlock(''), refusal('vault.passphrase'))
  assert.equal((await vault.status()).state, 'locked')
})

test('VAULT-4: a wrong passphrase and an altered header get the very same answer', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', RIGHT)
  await vault.lock()
  const wrong = await refusalOf(vault.unlock(WRONG))
  await vault.unlock(RIGHT)
  await vault.lock()
  const path = join(home.vaultFolder, 'header.json')
  const header = JSON.parse(readFileSync(path, 'utf8'))
  header.kdf.salt = Buffer.alloc(16).toString('base64')
  writeFileSync(path, JSON.stringify(header))
  assert.deepEqual(await refusalOf(vault.unlock(RIGHT)), wrong)
})

test('after three wrong passphrases each next guess waits twice as long, up to five minutes', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', RIGHT)
  await vault.lock()
  for (let i = 0; i < 3; i += 1) {
    await assert.rejects(vault.unlock(WRONG), refusal('vault.passphrase'))
  }
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    await assert.rejects(vault.unlock(RIGHT), {
      ...refusal('vault.wait'),
      exit: 4,
      message: `Cannot try another passphrase for ${seconds} s`,
    })
    home.clock.now += seconds * 1000 - 1
    await assert.rejects(vault.unlock(RIGHT), refusal('vault.wait'))
    home.clock.now += 1
    await assert.rejects(vault.unlock(WRONG), refusal('vault.passphrase'))
  }
  home.clock.now += 300_000
  assert.equal((await vault.unlock(RIGHT)).state, 'unlocked')
  await vault.lock()
  await assert.rejects(vault.unlock(WRONG), refusal('vault.passphrase'))
  assert.equal((await vault.unlock(RIGHT)).state, 'unlocked', 'success starts the count anew')
})

test('VAULT-4: neither a restart nor a kill in the middle of a guess gives a guess for free', async () => {
  using home = createTestHome()
  await (await home.open()).init('passphrase', RIGHT)
  const killed = async (): Promise<never> => {
    throw new Error('killed')
  }
  for (let i = 0; i < 3; i += 1) {
    // The process dies while it records the wrong guess, before it answers.
    const vault = await home.open({ audit: { appendDurable: killed } })
    await assert.rejects(vault.unlock(WRONG), /killed/)
  }
  await assert.rejects((await home.open()).unlock(RIGHT), refusal('vault.wait'))
})

test('guesses that are made at once are taken one at a time and all counted', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', RIGHT)
  await vault.lock()
  const guesses = Array.from({ length: 8 }, () => refusalOf(vault.unlock(WRONG)))
  const codes = (await Promise.all(guesses)).map((refused) => refused.code)
  assert.deepEqual(codes.slice(0, 3), Array(3).fill('vault.passphrase'))
  assert.deepEqual(codes.slice(3), Array(5).fill('vault.wait'))
})

test('a clock set back or a damaged count delays the owner, but does not shut them out', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', RIGHT)
  for (let i = 0; i < 4; i += 1) {
    await assert.rejects(vault.unlock(WRONG), refusal('vault.passphrase'))
    home.clock.now += 1000
  }
  home.clock.now -= 365 * 24 * 3600 * 1000
  await assert.rejects(vault.unlock(RIGHT), refusal('vault.wait'))
  home.clock.now += 2000
  assert.equal((await vault.unlock(RIGHT)).state, 'unlocked')

  writeFileSync(join(home.vaultFolder, 'attempts.json'), '{"failures":-5')
  await assert.rejects(vault.unlock(RIGHT), refusal('vault.wait'))
  home.clock.now += 1000
  assert.equal((await vault.unlock(RIGHT)).state, 'unlocked')
})

test('a key file vault unlocks by itself, and stays locked once it was locked', async () => {
  using home = createTestHome()
  await (await home.open()).init('keyfile')
  await using vault = await home.open()
  assert.equal((await vault.status()).state, 'unlocked')
  assert.equal((await vault.lock()).state, 'locked')
  await assert.rejects(lend(vault, 'a'), refusal('vault.locked'))
  assert.equal((await vault.unlock()).state, 'unlocked')
})

test('a key file that others could read, or that is not ours, is not used', async () => {
  using home = createTestHome()
  await (await home.open()).init('keyfile')
  const key = join(home.vaultFolder, 'key')
  for (const mode of [0o640, 0o604, 0o620, 0o644]) {
    chmodSync(key, mode)
    await using vault = await home.open()
    const status = await vault.status()
    assert.equal(status.state, 'locked')
    assert.match(status.warnings.join(), /Cannot trust the key file.*chmod 600/)
    await assert.rejects(vault.unlock(), { ...refusal('vault.key-file'), exit: 5 })
  }
  chmodSync(key, 0o400)
  assert.equal((await (await home.open()).status()).state, 'unlocked')
  if (process.getuid?.() !== 0) return // Only root can change a file's owner.
  chownSync(key, 12_345, 12_345)
  await assert.rejects((await home.open()).unlock(), /belongs to someone else/)
})

test('a key file that is gone, short or foreign is told, and the vault is not reset', async () => {
  using home = createTestHome()
  const key = join(home.vaultFolder, 'key')
  await (await home.open()).init('keyfile')
  writeFileSync(key, Buffer.alloc(32, 1))
  await assert.rejects((await home.open()).unlock(), refusal('vault.key'))
  truncateSync(key, 31)
  await assert.rejects((await home.open()).unlock(), refusal('vault.key'))
  rmSync(key)
  await assert.rejects((await home.open()).unlock(), { ...refusal('vault.key'), exit: 5 })
  await assert.rejects((await home.open()).init('keyfile'), refusal('vault.exists'))
})

test('a keychain vault unlocks by itself, and says why where the keychain has gone', async () => {
  using home = createTestHome()
  const entries = new Map<string, Buffer>()
  const keychain = createTestKeychain(entries)
  const first = await home.open({ keychain })
  await first.init('keychain')
  await first.set(ME, 'a', Buffer.from('value-1'))
  assert.equal(await lend(await home.open({ keychain }), 'a'), 'value-1')
  assert.equal(entries.size, 1)

  await using without = await home.open({ keychain: NO_KEYCHAIN })
  const status = await without.status()
  assert.deepEqual([status.state, status.keySource], ['locked', 'keychain'])
  assert.match(status.warnings.join(), /Plug one in/)

  entries.clear()
  await assert.rejects((await home.open({ keychain })).unlock(), refusal('vault.key'))
})

test('two homes never share an entry of the keychain', async () => {
  using one = createTestHome()
  using two = createTestHome()
  const entries = new Map<string, Buffer>()
  const keychain = createTestKeychain(entries)
  await (await one.open({ keychain })).init('keychain')
  await (await two.open({ keychain })).init('keychain')
  assert.equal(entries.size, 2)
  assert.equal((await (await one.open({ keychain })).status()).state, 'unlocked')
})

test('lock() makes the redactor forget all that is not lent any more', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'returned', Buffer.from('value-returned'))
  await vault.set(ME, 'held', Buffer.from('value-held'))
  await lend(vault, 'returned')
  const ref = { scheme: 'vault', name: 'held' } as const
  await using lease = await vault.lease(ME, { it: ref }, never)
  assert.equal(home.redactor.redact('value-returned value-held'), '[redacted] [redacted]')
  await vault.lock()
  assert.equal(home.redactor.redact('value-returned value-held'), 'value-returned [redacted]')
  assert.equal(lease.value('it').toString(), 'value-held')
})

async function refusalOf(work: Promise<unknown>): Promise<Partial<CordonError>> {
  const error = await work.then(
    () => assert.fail('not refused'),
    (error: unknown) => error as CordonError,
  )
  const { code, message, hint, exit } = error
  return { code, message, hint, exit }
}

/** The vault as its users see it: a stored value comes out by lease, and in no other way. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CordonError } from '../kernel/error.ts'
import { parsePrincipalId } from '../kernel/principal.ts'
import { never } from '../kernel/test-never.ts'
import { spellings } from '../text/spellings.ts'
import { createTestHome, lend, ME, NO_KEYCHAIN, refusal } from './test-vault.ts'

const CANARY = 'canary-7f3a "quoted" ü/+?'

test('a secret of any bytes comes back as it was set, also after a restart', async () => {
  using home = createTestHome()
  const first = await home.open()
  await first.init('keyfile')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      await first.set(ME, 'any', bytes)
      await using second = await home.open()
      const ref = { scheme: 'vault', name: 'any' } as const
      await using lease = await second.lease(ME, { it: ref }, never)
      assert.deepEqual(lease.value('it'), Buffer.from(bytes))
    }),
    { numRuns: 25 },
  )
})

test('openVault() reports a vault that was never made as absent, and refuses to use it', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  assert.deepEqual(await vault.status(), { state: 'absent', secrets: 0, warnings: [] })
  await assert.rejects(vault.set(ME, 'a', Buffer.from('value')), refusal('vault.absent'))
  await assert.rejects(vault.unlock(), refusal('vault.absent'))
  await assert.rejects(vault.rotate(), refusal('vault.absent'))
  await assert.rejects(lend(vault, 'a'), refusal('vault.absent'))
  assert.deepEqual(await vault.list(ME), [])
  assert.equal((await vault.lock()).state, 'absent')
})

test('init() never replaces a vault that exists', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'kept', Buffer.from('value-1'))
  await assert.rejects(vault.init('passphrase', 'long enough'), refusal('vault.exists'))
  await vault.lock()
  await assert.rejects(vault.init('keyfile'), refusal('vault.exists'))
  await vault.unlock()
  assert.equal(await lend(vault, 'kept'), 'value-1')
})

test('init() without a source takes the keychain, or a key file where there is none', async () => {
  using withKeychain = createTestHome()
  await using first = await withKeychain.open()
  assert.equal((await first.init(undefined)).keySource, 'keychain')

  using without = createTestHome()
  await using second = await without.open({ keychain: NO_KEYCHAIN })
  const status = await second.init(undefined)
  assert.equal(status.keySource, 'keyfile')
  assert.match(status.warnings.join(), /ANYONE WHO CAN READ THIS HOME CAN READ EVERY SECRET/)
  assert.match(status.warnings.join(), /cordon vault rotate --passphrase/)
})

test('init() takes a passphrase that is given over a keychain that works', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  assert.equal((await vault.init(undefined, 'long enough')).keySource, 'passphrase')
})

test('init() refuses a keychain that is not there, and leaves no vault behind', async () => {
  using home = createTestHome()
  await using vault = await home.open({ keychain: NO_KEYCHAIN })
  await assert.rejects(vault.init('keychain'), refusal('vault.keychain'))
  assert.equal((await vault.status()).state, 'absent')
})

test('secrets of one principal are not seen by another', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  const other = parsePrincipalId('principal:telegram:peer:1')
  await vault.set(ME, 'shared-name', Buffer.from('mine-1'))
  await vault.set(other, 'shared-name', Buffer.from('theirs'))
  await vault.set(ME, 'only-mine', Buffer.from('mine-2'))
  assert.equal(await lend(vault, 'shared-name'), 'mine-1')
  assert.equal(await lend(vault, 'shared-name', other), 'theirs')
  await assert.rejects(lend(vault, 'only-mine', other), refusal('vault.missing'))
  assert.deepEqual(
    (await vault.list(other)).map((secret) => secret.name),
    ['shared-name'],
  )
})

test('set() and remove() say what they replaced and removed, and keep the time of creation', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  assert.deepEqual(await vault.set(ME, 'b', Buffer.from('value-1')), { replaced: false })
  home.clock.now += 60_000
  assert.deepEqual(await vault.set(ME, 'b', Buffer.from('value-2')), { replaced: true })
  await vault.set(ME, 'a', Buffer.from('value-3'))
  const created = '2026-01-02T03:04:05.678Z'
  const updated = '2026-01-02T03:05:05.678Z'
  assert.deepEqual(await vault.list(ME), [
    { name: 'a', createdAt: updated, updatedAt: updated, damaged: false },
    { name: 'b', createdAt: created, updatedAt: updated, damaged: false },
  ])
  assert.deepEqual(await vault.remove(ME, 'b'), { removed: true })
  assert.deepEqual(await vault.remove(ME, 'b'), { removed: false })
  assert.equal(await vault.has(ME, 'b'), false)
  await assert.rejects(lend(vault, 'b'), refusal('vault.missing'))
})

test('names and values outside the rules are refused before anything is written', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  for (const name of ['', '../etc', 'a b', 'a\n', '-a', 'ä', 'x'.repeat(129)]) {
    await assert.rejects(vault.set(ME, name, Buffer.from('value')), refusal('vault.name'))
    await assert.rejects(vault.has(ME, name), refusal('vault.name'))
    await assert.rejects(vault.remove(ME, name), refusal('vault.name'))
  }
  await assert.rejects(vault.set(ME, 'a', Buffer.alloc(0)), refusal('vault.value'))
  await assert.rejects(vault.set(ME, 'a', Buffer.alloc(65_537)), refusal('vault.value'))
  await vault.set(ME, 'a', Buffer.alloc(65_536, 'x'))
  assert.equal((await lend(vault, 'a')).length, 65_536)
  assert.equal(home.events.filter((event) => event.kind === 'vault.set').length, 1)
})

test('sets that are asked for at once happen one after the other', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  const values = Array.from({ length: 20 }, (_, i) => `value-${i}`)
  const answers = await Promise.all(values.map((v) => vault.set(ME, 'one', Buffer.from(v))))
  assert.equal(answers.filter((answer) => !answer.replaced).length, 1)
  assert.equal(await lend(vault, 'one'), 'value-19')
})

test('list() reports no damage while the key is rotated', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  for (let i = 0; i < 10; i += 1) await vault.set(ME, `s-${i}`, Buffer.from(`value-${i}`))
  const looking = new AbortController()
  const look = async (): Promise<number> => {
    let damaged = 0
    while (!looking.signal.aborted) {
      damaged += (await vault.list(ME)).filter((secret) => secret.damaged).length
    }
    return damaged
  }
  const looked = look()
  for (let i = 0; i < 10; i += 1) {
    await vault.rotate()
    await vault.lock()
    await vault.unlock()
  }
  looking.abort()
  assert.equal(await looked, 0)
})

test('every credential operation is in the audit log by name, and no value ever is', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', 'correct horse')
  await vault.set(ME, 'gitlab', Buffer.from(CANARY))
  await lend(vault, 'gitlab')
  await vault.rotate()
  await vault.remove(ME, 'gitlab')
  await vault.lock()
  await assert.rejects(vault.unlock('wrong horse'))
  await vault.unlock('correct horse')
  assert.deepEqual(
    home.events.map((event) => [event.kind, event.subject]),
    [
      ['vault.init', 'vault'],
      ['vault.set', 'gitlab'],
      ['vault.lend', 'gitlab'],
      ['vault.rotate', 'vault'],
      ['vault.remove', 'gitlab'],
      ['vault.lock', 'vault'],
      ['vault.refused', 'vault'],
      ['vault.unlock', 'vault'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(home.events), /canary|horse/)
})

test('nothing is changed or lent when the audit log cannot be written', async () => {
  using home = createTestHome()
  let full = false
  const appendDurable = async (): Promise<never> => {
    if (full) throw new Error('disk full')
    return {} as never
  }
  await using vault = await home.open({ audit: { appendDurable } })
  await vault.init('keyfile')
  await vault.set(ME, 'a', Buffer.from('value-1'))
  full = true
  await assert.rejects(vault.set(ME, 'a', Buffer.from('value-2')))
  await assert.rejects(vault.remove(ME, 'a'))
  await assert.rejects(vault.rotate())
  await assert.rejects(lend(vault, 'a'))
  full = false
  assert.equal(await lend(vault, 'a'), 'value-1')
  full = true
  await assert.rejects(vault.lock())
  assert.equal((await vault.status()).state, 'locked', 'locking alone does not wait for the log')
  await assert.rejects(vault.unlock())
  assert.equal((await vault.status()).state, 'locked')
})

test('a value is known to the redactor from the moment it is set', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from(CANARY))
  assert.equal(home.redactor.redact(`set ${CANARY}`), 'set [redacted]')
})

test('VAULT-1: no file of the vault holds a secret in any spelling', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from(CANARY))
  await lend(vault, 'gitlab')
  await vault.rotate('correct horse')
  const paths = await home.paths()
  assert.equal(paths.length, 2, 'header and record; the key file is gone')
  for (const path of paths) {
    const content = await readFile(path)
    for (const spelling of spellings(Buffer.from(CANARY))) {
      assert.equal(content.includes(spelling), false)
    }
  }
})

test('no refusal repeats a value or a passphrase', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', 'correct horse')
  await vault.lock()
  const refusals = await Promise.allSettled([
    vault.set(ME, 'gitlab', Buffer.from(CANARY)),
    vault.set(ME, CANARY, Buffer.from(CANARY)),
    vault.unlock('canary horse'),
    vault.init('keyfile', 'canary horse'),
    vault.rotate('canary'),
  ])
  for (const result of refusals) {
    assert.equal(result.status, 'rejected')
    const error = result.reason as CordonError
    assert.doesNotMatch(`${error.message} ${error.hint}`, /canary|horse/)
    assert.match(error.message, /^Cannot .*[^.]$/)
  }
})

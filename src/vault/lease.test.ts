/** Leases: every kind of reference, all or none, redacted before they are handed over, wiped when they end. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Lease, Vault } from '../kernel/ports.ts'
import { parseSecretRef } from '../kernel/secret-ref.ts'
import { never } from '../kernel/test-never.ts'
import { createTestHome, lend, ME, NOW, refusal } from './test-vault.ts'

function lease(vault: Vault, ...refs: readonly string[]): Promise<Lease> {
  return vault.lease(ME, Object.fromEntries(refs.map((ref) => [ref, parseSecretRef(ref)])), never)
}

async function read(vault: Vault, ref: string): Promise<string> {
  await using lent = await lease(vault, ref)
  return lent.value(ref).toString()
}

test('a lease holds every reference under its key and is recorded once, by names', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { TOKEN: 'value-env' } })
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from('value-vault'))
  await using lent = await lease(vault, 'vault:gitlab', 'env:TOKEN')
  assert.equal(lent.value('vault:gitlab').toString(), 'value-vault')
  assert.equal(lent.value('env:TOKEN').toString(), 'value-env')
  assert.throws(() => lent.value('other'), TypeError)
  assert.deepEqual(
    home.events.filter((event) => event.kind === 'vault.lend'),
    [
      {
        kind: 'vault.lend',
        principal: ME,
        subject: 'gitlab, TOKEN',
        details: { refs: ['vault:gitlab', 'env:TOKEN'] },
      },
    ],
  )
})

test('VAULT-3: the values are wiped when the lease ends, and cannot be asked for any more', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from('value-vault'))
  const lent = await lease(vault, 'vault:gitlab')
  const bytes = lent.value('vault:gitlab')
  await lent[Symbol.asyncDispose]()
  assert.deepEqual(bytes, Buffer.alloc('value-vault'.length))
  assert.throws(() => lent.value('vault:gitlab'), TypeError)
  assert.equal(await lend(vault, 'gitlab'), 'value-vault', 'the vault still has it')
})

test('a value is known to the redactor by the time the lease is handed over', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { TOKEN: 'value-env' } })
  assert.equal(home.redactor.redact('value-env'), 'value-env')
  await using _lent = await lease(vault, 'env:TOKEN')
  assert.equal(home.redactor.redact('got value-env'), 'got [redacted]')
})

test('one reference that fails fails them all, and nothing is recorded as lent', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { TOKEN: 'value-env' } })
  await vault.init('keyfile')
  await assert.rejects(lease(vault, 'env:TOKEN', 'vault:gitlab'), {
    ...refusal('vault.missing'),
    exit: 5,
    message: 'Cannot lend secret "gitlab"',
    hint: 'Run `cordon vault set gitlab`, then try again',
  })
  await assert.rejects(lease(vault, 'oauth:notes'), {
    ...refusal('vault.missing'),
    hint: 'Sign in again with `cordon connect notes`',
  })
  assert.equal(
    home.events.some((event) => event.kind === 'vault.lend'),
    false,
  )
})

test('a lease that is not wanted any more is not given', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { TOKEN: 'value-env' } })
  const refs = { it: parseSecretRef('env:TOKEN') }
  await assert.rejects(vault.lease(ME, refs, AbortSignal.abort()), { name: 'AbortError' })
})

test('a lease that was on its way when the vault was locked does not arrive', async () => {
  using home = createTestHome()
  const gate = Promise.withResolvers<void>()
  const appendDurable = async (event: { kind: string }): Promise<never> => {
    if (event.kind === 'vault.lend') await gate.promise
    return {} as never
  }
  await using vault = await home.open({ audit: { appendDurable } })
  await vault.init('keyfile')
  await vault.set(ME, 'gitlab', Buffer.from('value-vault'))
  const lent = lease(vault, 'vault:gitlab')
  const refused = assert.rejects(lent, refusal('vault.locked'))
  await vault.lock()
  gate.resolve()
  await refused
  assert.equal(home.redactor.redact('value-vault'), 'value-vault', 'nothing of it stays behind')
})

test('an environment variable that is unset or empty counts as missing', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { EMPTY: '', SET: 'value-env' } })
  assert.equal(await read(vault, 'env:SET'), 'value-env')
  await assert.rejects(read(vault, 'env:EMPTY'), refusal('vault.missing'))
  await assert.rejects(read(vault, 'env:UNSET'), refusal('vault.missing'))
  await assert.rejects(read(vault, 'env:constructor'), refusal('vault.missing'))
})

test('a file is read at use, without the white space around it', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  const path = join(home.folder, 'token')
  writeFileSync(path, ' \n value in file\r\n', { mode: 0o600 })
  assert.equal(await read(vault, `file:${path}`), 'value in file')
  assert.equal(await read(vault, 'file:~/token'), 'value in file')
  writeFileSync(path, 'newer')
  assert.equal(await read(vault, 'file:~/token'), 'newer')
  assert.deepEqual(home.warnings, [])
})

test('a file that others can read is lent with a warning', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  writeFileSync(join(home.folder, 'token'), 'value-file', { mode: 0o600 })
  chmodSync(join(home.folder, 'token'), 0o644)
  assert.equal(await read(vault, 'file:~/token'), 'value-file')
  assert.deepEqual(home.warnings, [
    { message: 'Others on this machine can read a secret file', fields: { path: '~/token' } },
  ])
})

test('a file: reference to anything but a plain file of a sane size is refused without hanging', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  execFileSync('/usr/bin/mkfifo', [join(home.folder, 'fifo')])
  mkdirSync(join(home.folder, 'folder'))
  writeFileSync(join(home.folder, 'large'), Buffer.alloc(65_537, 'x'), { mode: 0o600 })
  writeFileSync(join(home.folder, 'blank'), ' \n\t', { mode: 0o600 })
  symlinkSync('/dev/zero', join(home.folder, 'zero'))
  for (const name of ['fifo', 'folder', 'large', 'blank', 'zero', 'absent', 'folder/absent']) {
    await assert.rejects(read(vault, `file:~/${name}`), { ...refusal('vault.file'), exit: 5 }, name)
  }
})

test("the vault's own files are not lent, also not through a link", async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  symlinkSync(join(home.vaultFolder, 'key'), join(home.folder, 'link'))
  symlinkSync(home.vaultFolder, join(home.folder, 'linked-folder'))
  for (const path of [join(home.vaultFolder, 'key'), '~/link', '~/linked-folder/header.json']) {
    await assert.rejects(read(vault, `file:${path}`), /it belongs to the vault/)
  }
  writeFileSync(join(home.folder, 'vault-notes'), 'value-file', { mode: 0o600 })
  assert.equal(await read(vault, 'file:~/vault-notes'), 'value-file', 'only the folder itself')
})

test('an oauth reference lends the access token, and nothing once it has expired', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('keyfile')
  const store = (token: unknown): Promise<unknown> =>
    vault.set(ME, 'oauth/github', Buffer.from(JSON.stringify(token)))
  const expires_at = new Date(NOW + 1000).toISOString()
  await store({ access_token: 'value-access', refresh_token: 'value-refresh', expires_at })
  assert.equal(await read(vault, 'oauth:github'), 'value-access')
  home.clock.now += 1000
  await assert.rejects(read(vault, 'oauth:github'), { ...refusal('vault.expired'), exit: 5 })
  await store({ access_token: 'value-forever', provider: 'github', scope: 'repo' })
  assert.equal(await read(vault, 'oauth:github'), 'value-forever')
  await store({ token: 'value' })
  await assert.rejects(read(vault, 'oauth:github'), refusal('vault.damaged'))
  await assert.rejects(read(vault, 'oauth:other'), refusal('vault.missing'))
})

test('resolves() tells what a lease would find, and reads no value', async () => {
  using home = createTestHome()
  await using vault = await home.open({ environment: { SET: 'value-env', EMPTY: '' } })
  await vault.init('passphrase', 'correct horse')
  await vault.set(ME, 'gitlab', Buffer.from('value-vault'))
  await vault.set(ME, 'oauth/github', Buffer.from('{}'))
  writeFileSync(join(home.folder, 'token'), 'value-file', { mode: 0o600 })
  const present = async (): Promise<unknown> => {
    const refs = ['vault:gitlab', 'oauth:github', 'env:SET', 'file:~/token']
    return await Promise.all(refs.map((ref) => vault.resolves(ME, parseSecretRef(ref))))
  }
  assert.deepEqual(await present(), [true, true, true, true])
  for (const ref of [
    'vault:other',
    'oauth:other',
    'env:EMPTY',
    'file:~/absent',
    'file:/dev/zero',
  ]) {
    assert.equal(await vault.resolves(ME, parseSecretRef(ref)), false, ref)
  }
  await vault.lock()
  assert.deepEqual(await present(), [false, false, true, true])
})

test('an empty lease needs no vault and leaves no record', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await using _lent = await lease(vault)
  assert.deepEqual(home.events, [])
})

/**
 * Attacks on the files: a cut, altered, swapped or foreign record fails closed, is reported by name, and affects no
 * other.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePrincipalId } from '../kernel/principal.ts'
import { recordId } from './record.ts'
import { createTestHome, lend, ME, refusal, type TestHome } from './test-vault.ts'

const OTHER = parsePrincipalId('principal:telegram:peer:1')

async function fill(home: TestHome): Promise<void> {
  await using vault = await home.open()
  await vault.init('keyfile')
  await vault.set(ME, 'a', Buffer.from('value-a'))
  await vault.set(ME, 'b', Buffer.from('value-b'))
  await vault.set(OTHER, 'a', Buffer.from('value-other'))
}

const path = (home: TestHome, owner: string, name: string): string =>
  join(home.vaultFolder, 'records', `${recordId(owner, name)}.json`)

function edit(file: string, change: (record: Record<string, unknown>) => void): void {
  const record = JSON.parse(readFileSync(file, 'utf8'))
  change(record)
  writeFileSync(file, JSON.stringify(record))
}

test('VAULT-2: a record copied over another, or to another principal, does not open', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  copyFileSync(path(home, ME, 'a'), path(home, ME, 'b'))
  copyFileSync(path(home, OTHER, 'a'), path(home, ME, 'a'))
  await assert.rejects(lend(vault, 'b'), refusal('vault.damaged'))
  await assert.rejects(lend(vault, 'a'), refusal('vault.damaged'))
  assert.equal(await lend(vault, 'a', OTHER), 'value-other')
  assert.deepEqual(
    (await vault.list(ME)).map(({ name, damaged }) => [name, damaged]),
    [recordId(ME, 'a'), recordId(ME, 'b')].sort().map((id) => [id, true]),
  )
})

test('a record that is renamed, given away or re-dated inside its own text does not open', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  copyFileSync(path(home, ME, 'a'), path(home, ME, 'b'))
  edit(path(home, ME, 'b'), (record) => {
    record['name'] = 'b'
  })
  await assert.rejects(lend(vault, 'b'), refusal('vault.damaged'))

  copyFileSync(path(home, OTHER, 'a'), path(home, ME, 'a'))
  edit(path(home, ME, 'a'), (record) => {
    record['principal'] = ME
  })
  await assert.rejects(lend(vault, 'a'), refusal('vault.damaged'))

  for (const time of ['createdAt', 'updatedAt']) {
    await vault.set(ME, 'a', Buffer.from('value-a'))
    edit(path(home, ME, 'a'), (record) => {
      record[time] = '2030-01-01T00:00:00.000Z'
    })
    await assert.rejects(lend(vault, 'a'), refusal('vault.damaged'))
  }
})

test('a record with any byte changed is refused or unchanged in meaning, never lent wrong', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  const file = path(home, ME, 'a')
  const whole = readFileSync(file)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] as number) ^ by
      writeFileSync(file, changed)
      const outcome = await lend(vault, 'a').catch((error: { code?: string }) => error.code)
      assert.ok(outcome === 'vault.damaged' || outcome === 'value-a', String(outcome))
    }),
    { numRuns: 300 },
  )
})

test('VAULT-5: a record cut short anywhere is listed as damaged, and the others work', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  const file = path(home, ME, 'a')
  const whole = readFileSync(file)
  for (let length = 0; length < whole.length - 2; length += 7) {
    writeFileSync(file, whole.subarray(0, length))
    await assert.rejects(lend(vault, 'a'), {
      ...refusal('vault.damaged'),
      exit: 5,
      message: 'Cannot lend secret "a": its record is cut short or altered',
    })
    assert.equal(await lend(vault, 'b'), 'value-b')
  }
  const damaged = (await vault.list(ME)).filter((secret) => secret.damaged)
  assert.deepEqual(
    damaged.map((secret) => secret.name),
    [recordId(ME, 'a')],
  )
  assert.match((await vault.status()).warnings.join(), new RegExp(recordId(ME, 'a')))
  assert.deepEqual(await vault.set(ME, 'a', Buffer.from('anew')), { replaced: true })
  assert.equal(await lend(vault, 'a'), 'anew')
})

test('a record that only fails to decrypt keeps its name in the list', async () => {
  using home = createTestHome()
  await fill(home)
  await using vault = await home.open()
  edit(path(home, ME, 'b'), (record) => {
    record['tag'] = Buffer.alloc(16).toString('base64')
  })
  const listed = async (): Promise<unknown> =>
    (await vault.list(ME)).map(({ name, damaged }) => [name, damaged])
  assert.deepEqual(await listed(), [
    ['a', false],
    ['b', true],
  ])
  edit(path(home, ME, 'a'), (record) => {
    record['iv'] = 'not base64'
  })
  await vault.lock()
  assert.deepEqual(
    await listed(),
    [
      ['a', true],
      ['b', false],
    ],
    'locked, only the shape can be judged',
  )
})

test('a record that the disk does not give back is damaged, and the others work', async () => {
  using home = createTestHome()
  await fill(home)
  const files = {
    ...home.files,
    read: async (file: string): Promise<Buffer | undefined> => {
      if (file === path(home, ME, 'a')) throw new Error('input/output error')
      return await home.files.read(file)
    },
  }
  await using vault = await home.open({ files })
  await assert.rejects(lend(vault, 'a'), refusal('vault.damaged'))
  assert.equal(await lend(vault, 'b'), 'value-b')
  assert.equal((await vault.list(ME)).length, 2)
  await vault.rotate()
  assert.equal(await lend(await home.open(), 'a'), 'value-a', 'its key was kept')
})

test('a foreign file among the records is listed as damaged and left alone', async () => {
  using home = createTestHome()
  await fill(home)
  const folder = join(home.vaultFolder, 'records')
  const texts = ['[]', 'null', '{"name":"a","principal":"\\ud800"}', '{"__proto__":{}}', '\0\0']
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, `foreign-${i}.json`), text)
  writeFileSync(join(folder, 'notes.txt'), 'not a record')
  await using vault = await home.open()
  const names = (await vault.list(ME)).map((secret) => secret.name)
  assert.deepEqual(names, ['a', 'b', ...texts.map((_, i) => `foreign-${i}`)])
  await vault.rotate()
  assert.deepEqual(
    texts.map((_, i) => readFileSync(join(folder, `foreign-${i}.json`), 'utf8')),
    texts,
  )
})

test('a record of a principal that no canonical text can hold is damage, not a crash', async () => {
  using home = createTestHome()
  await fill(home)
  const principal = '\ud800'
  const file = path(home, principal, 'x')
  copyFileSync(path(home, ME, 'a'), file)
  edit(file, (record) => Object.assign(record, { principal, name: 'x' }))
  await using vault = await home.open()
  assert.match((await vault.status()).warnings.join(), new RegExp(recordId(principal, 'x')))
})

test('VAULT-5: a header cut short anywhere is never taken for a vault that is not there', async () => {
  using home = createTestHome()
  await fill(home)
  const file = join(home.vaultFolder, 'header.json')
  const whole = readFileSync(file)
  for (let length = 0; length < whole.length - 2; length += 11) {
    truncateSync(file, length)
    await using vault = await home.open()
    const status = await vault.status()
    assert.equal(status.state, 'locked')
    assert.match(status.warnings[0] ?? '', /its header is missing, cut short or altered.*backup/)
    await assert.rejects(vault.unlock(), { ...refusal('vault.header'), exit: 5 })
    await assert.rejects(vault.init('keyfile'), refusal('vault.header'))
    await assert.rejects(lend(vault, 'a'), refusal('vault.header'))
    writeFileSync(file, whole)
  }
})

test('a header that asks for the impossible is refused before any key is derived', async () => {
  using home = createTestHome()
  await using vault = await home.open()
  await vault.init('passphrase', 'correct horse')
  await vault.lock()
  const file = join(home.vaultFolder, 'header.json')
  const header = JSON.parse(readFileSync(file, 'utf8'))
  const impossible = [
    { ...header, version: 2 },
    { ...header, activeKey: '0'.repeat(32) },
    { ...header, keys: [] },
    { ...header, kdf: undefined },
    { ...header, keySource: 'keyfile' },
    { ...header, kdf: { ...header.kdf, memoryKiB: 2 ** 30 } },
    { ...header, kdf: { ...header.kdf, memoryKiB: 8, parallelism: 16 } },
    { ...header, kdf: { ...header.kdf, passes: 1000 } },
    { ...header, kdf: { ...header.kdf, salt: 'AAAA' } },
    { ...header, more: true },
  ]
  for (const altered of impossible) {
    writeFileSync(file, JSON.stringify(altered))
    await assert.rejects(vault.unlock('correct horse'), refusal('vault.header'))
  }
  writeFileSync(file, JSON.stringify(header))
  assert.equal((await vault.unlock('correct horse')).state, 'unlocked')
})

test('records without a header are a vault that lost it, not an empty place', async () => {
  using home = createTestHome()
  await fill(home)
  rmSync(join(home.vaultFolder, 'header.json'))
  await using vault = await home.open()
  assert.deepEqual([(await vault.status()).state, (await vault.status()).secrets], ['locked', 3])
  await assert.rejects(vault.init('keyfile'), refusal('vault.header'))
  await assert.rejects(vault.set(ME, 'c', Buffer.from('value')), refusal('vault.header'))
})

test('a header with any byte changed never unlocks to another state', async () => {
  using home = createTestHome()
  await fill(home)
  const file = join(home.vaultFolder, 'header.json')
  const whole = readFileSync(file)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] as number) ^ by
      writeFileSync(file, changed)
      await using vault = await home.open()
      const outcome = await lend(vault, 'a').catch((error: { code?: string }) => error.code)
      assert.ok(['vault.header', 'vault.locked', 'value-a'].includes(String(outcome)))
    }),
    { numRuns: 100 },
  )
})

test('set() writes nothing under keys that the header on disk does not hold', async () => {
  using home = createTestHome()
  using other = createTestHome()
  await fill(home)
  await fill(other)
  await using vault = await home.open()
  for (const file of ['header.json', 'key']) {
    copyFileSync(join(other.vaultFolder, file), join(home.vaultFolder, file))
  }
  await assert.rejects(vault.set(ME, 'new', Buffer.from('value')), refusal('vault.locked'))
  assert.equal(await vault.has(ME, 'new'), false)
})

test('an empty records folder without a header is an absent vault', async () => {
  using home = createTestHome()
  mkdirSync(join(home.vaultFolder, 'records'))
  await using vault = await home.open()
  assert.equal((await vault.status()).state, 'absent')
})

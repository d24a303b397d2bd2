/** Real processes, killed at random moments: no secret is lost or mixed up, and every passphrase guess counts. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OWNER } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { startChild } from '../fixtures/doomed-child.ts'
import { until } from '../fixtures/until.ts'
import { openRealVault } from './real-vault.ts'

const ROUNDS = rounds(50, 6)
const CHILD = new URL('kill.child.ts', import.meta.url)

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-vault-kill-'))
})
after(() => rmSync(folder, { recursive: true }))

/** The changes that the child reported as begun or done, until it was killed some time after its second change. */
async function workAndDie(
  vaultFolder: string,
): Promise<readonly { event: string; name: string; value: string }[]> {
  const worker = startChild(CHILD, vaultFolder)
  await until(() => worker.said().split('\n').length > 4)
  await sleep(Math.random() * 150)
  worker.kill()
  const { said } = await worker.ended
  return said
    .trim()
    .split('\n')
    .map((line) => {
      const [event = '', name = '', value = ''] = line.split(' ')
      return { event, name, value }
    })
}

test('VAULT-6: a vault whose process is killed at any moment holds each secret as it was or as it became', async () => {
  const vaultFolder = join(folder, 'kept')
  const names = Array.from({ length: 5 }, (_, i) => `secret-${i}`)
  const allowed = new Map(names.map((name) => [name, new Set(['value'])]))
  {
    await using vault = await openRealVault(vaultFolder)
    await vault.init('keyfile')
    for (const name of names) await vault.set(OWNER.id, name, Buffer.from('value'))
  }
  let changes = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { event, name, value } of await workAndDie(vaultFolder)) {
      if (event === 'done') allowed.set(name, new Set())
      allowed.get(name)?.add(value)
      changes += 1
    }
    for (const [name, value] of await readAll(vaultFolder, names)) {
      assert.ok(allowed.get(name)?.has(value), `round ${round}: ${name}`)
      allowed.set(name, new Set([value]))
    }
  }
  assert.ok(changes > 2 * ROUNDS, `${changes} changes`)
})

async function readAll(
  vaultFolder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  await using vault = await openRealVault(vaultFolder)
  const { state, warnings } = await vault.status()
  assert.deepEqual([state, warnings.length], ['unlocked', 1], 'no warning but that of the key file')
  const refs = names.map((name) => [name, { scheme: 'vault', name } as const] as const)
  await using lease = await vault.lease(OWNER.id, Object.fromEntries(refs), never)
  return new Map(names.map((name) => [name, lease.value(name).toString()]))
}

test('an unlock attempt that is killed while it is checked still counts', async () => {
  const vaultFolder = join(folder, 'guessed')
  await using vault = await openRealVault(vaultFolder)
  await vault.init('passphrase', 'correct horse')
  for (let killed = 1; killed <= 3; killed += 1) {
    const guesser = startChild(CHILD, vaultFolder, 'wrong horse')
    while (countedFailures(vaultFolder) < killed) await sleep(1)
    guesser.kill()
    assert.equal((await guesser.ended).signal, 'SIGKILL', 'it was still at work')
  }
  let now = lastFailureAt(vaultFolder) + 900
  await using later = await openRealVault(vaultFolder, () => now)
  await assert.rejects(later.unlock('correct horse'), { code: 'vault.wait' })
  now += 200
  assert.equal((await later.unlock('correct horse')).state, 'unlocked')
})

function countedFailures(vaultFolder: string): number {
  try {
    return readAttempts(vaultFolder).failures
  } catch {
    return 0
  }
}

function lastFailureAt(vaultFolder: string): number {
  return readAttempts(vaultFolder).at
}

function readAttempts(vaultFolder: string): { readonly failures: number; readonly at: number } {
  const text = readFileSync(join(vaultFolder, 'attempts.json'), 'utf8')
  return JSON.parse(text) as { failures: number; at: number }
}

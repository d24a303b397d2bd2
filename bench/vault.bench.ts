/** The vault on a real disk: one lease with its durable audit record, one set, one unlock, and the redactor. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAudit } from '../src/audit/open-audit.ts'
import { createFiles } from '../src/home/files.ts'
import type { Vault } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { never } from '../src/kernel/test-never.ts'
import { createKeychain } from '../src/vault/keychain.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openVault } from '../src/vault/open-vault.ts'
import { createRedactor } from '../src/vault/redactor.ts'
import { type BenchReport, quantile } from './report.ts'

const PASSPHRASE = 'a passphrase for the bench'
const log = { info: () => {}, warn: () => {}, error: () => {} }

export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-bench-vault-'))
  try {
    return await measure(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(folder: string): Promise<BenchReport> {
  const redactor = createRedactor()
  const anchorPath = join(folder, 'anchor.json')
  await using audit = await openAudit({
    owner: OWNER.id,
    folder: join(folder, 'audit'),
    anchorPath,
    redactor,
    log,
  })
  await using vault = await openVault({
    pinPath,
    owner: OWNER.id,
    folder: join(folder, 'vault'),
    homeFolder: folder,
    files: createFiles(),
    audit,
    redactor,
    keychain: createKeychain(),
    environment: {},
    log,
    now: Date.now,
  })
  await vault.init('passphrase', PASSPHRASE)
  const set = await sample(100, (round) => setOne(vault, round))
  const lend = await sample(300, (round) => lendOne(vault, round))
  await vault.lock()
  const unlock = await sample(5, () => vault.unlock(PASSPHRASE))
  const redact = await sample(50, redactText(100, 100_000))
  const figure = (name: string, samples: readonly number[]) => ({
    name: `${name}, p50`,
    value: quantile(samples, 0.5),
    unit: 'ms',
  })
  return {
    figures: [
      figure('store one secret', set),
      figure('unlock with a passphrase', unlock),
      figure('redact 100 KB of harmless text against 100 secrets', redact),
      { name: 'read of one secret after unlock, p99', value: quantile(lend, 0.99), unit: 'ms' },
    ],
    bars: [{ ...figure('read of one secret after unlock', lend), limit: 5, kind: 'most' }],
  }
}

async function sample(rounds: number, work: (round: number) => unknown): Promise<number[]> {
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    await work(round)
    samples.push(performance.now() - began)
  }
  return samples
}

async function setOne(vault: Vault, round: number): Promise<void> {
  await vault.set(OWNER.id, `secret-${round}`, randomBytes(40))
}

async function lendOne(vault: Vault, round: number): Promise<void> {
  const refs = { it: { scheme: 'vault', name: `secret-${round % 100}` } as const }
  await using lease = await vault.lease(OWNER.id, refs, never)
  if (lease.value('it').length !== 40) throw new Error('The vault lent something else')
}

function redactText(secrets: number, length: number): () => void {
  const redactor = createRedactor()
  for (let i = 0; i < secrets; i += 1) redactor.learn(Buffer.from(randomBytes(30).toString('hex')))
  const text = randomBytes(length).toString('base64').slice(0, length)
  return () => {
    if (redactor.redact(text).length !== length) throw new Error('Harmless text was changed')
  }
}

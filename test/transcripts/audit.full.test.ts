/** The audit log, seen from a terminal. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { AuditRecord, VerifyReport } from '../../src/kernel/audit-record.ts'
import { type Cordon, environmentFor, finish, MAIN, openCordon } from '../fixtures/cordon.ts'

async function homeWithSecrets(cordon: Cordon): Promise<void> {
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  for (const name of ['one', 'two', 'three']) {
    await cordon.ask(['vault', 'set', name], { stdin: 'a-secret-value' })
  }
}

test('tail, search and export tell what happened, in order', async () => {
  await using cordon = openCordon()
  await homeWithSecrets(cordon)
  const { stdout } = await cordon.run(['audit', 'tail', '-n', '2'])
  assert.match(stdout, /vault\.set two.*\n.*vault\.set three/)
  type Found = { records: AuditRecord[] }
  const { records } = await cordon.ask<Found>(['audit', 'search', '--kind', 'vault.*', 'two'])
  assert.deepEqual(
    records.map(({ subject }) => subject),
    ['two'],
  )
  const lines = (await cordon.run(['audit', 'export'])).stdout.trim().split('\n')
  const exported = lines.map((line) => JSON.parse(line) as AuditRecord)
  assert.deepEqual(
    exported.map(({ seq }) => seq),
    exported.map((_, index) => index + 1),
  )
  assert.equal(exported[0]?.kind, 'kernel.start')
})

test('export never writes over a file', async () => {
  await using cordon = openCordon()
  const file = path.join(path.dirname(cordon.home), 'export.jsonl')
  assert.equal((await cordon.run(['audit', 'export', '--out', file])).code, 0)
  const { code, stderr } = await cordon.run(['audit', 'export', '--out', file])
  assert.equal(code, 5)
  assert.match(stderr, /hint: Name a file that does not exist yet/)
})

test('an export that does not fit leaves nothing behind', async () => {
  await using cordon = openCordon()
  await homeWithSecrets(cordon)
  const file = path.join(path.dirname(cordon.home), 'export.jsonl')
  const line = `ulimit -f 1; exec "$0" "$@"`
  const words = [MAIN, 'audit', 'export', '--out', file]
  const child = spawn('/bin/bash', ['-c', line, process.execPath, ...words], {
    env: environmentFor(cordon.home),
  })
  const { code, stderr } = await finish(child)
  assert.equal(code, 5)
  assert.match(stderr, /^cordon: error: Cannot write to /)
  assert.equal(existsSync(file), false)
})

test('verify names the record that was changed, and reseal is the way forward', async () => {
  await using cordon = openCordon()
  await homeWithSecrets(cordon)
  const { head } = await cordon.ask<VerifyReport>(['audit', 'verify'])
  await cordon.ask(['down'])
  const log = path.join(cordon.home, 'audit', 'audit.jsonl')
  const text = readFileSync(log, 'utf8')
  writeFileSync(log, text.replace('"subject":"two"', '"subject":"twö"'))
  const broken = await cordon.run(['audit', 'verify', '--json'])
  assert.equal(broken.code, 3)
  const report = JSON.parse(broken.stdout) as VerifyReport
  const seq = text.split('\n').findIndex((line) => line.includes('"two"')) + 1
  assert.equal(report.problem?.seq, seq)
  writeFileSync(log, text)
  assert.equal((await cordon.run(['audit', 'verify', '--head', head])).code, 0)
  assert.equal((await cordon.run(['audit', 'verify', '--head', '0'.repeat(64)])).code, 3)
})

test('AUDIT-4: a log that was cut short is read but not appended to, until it is resealed', async () => {
  await using cordon = openCordon()
  await homeWithSecrets(cordon)
  await cordon.ask(['down'])
  const log = path.join(cordon.home, 'audit', 'audit.jsonl')
  const text = readFileSync(log, 'utf8')
  const cut = text.split('\n').slice(0, 3).join('\n')
  writeFileSync(log, `${cut}\n`)
  const refused = await cordon.run(['vault', 'set', 'four'], { stdin: 'another-secret' })
  assert.equal(refused.code, 4)
  assert.match(refused.stderr, /warning: .*audit/)
  assert.match((await cordon.run(['status'])).stdout, /warning: The audit log: /)
  assert.match((await cordon.run(['audit', 'tail'])).stdout, /kernel\.start/)
  const { kept } = await cordon.ask<{ kept: string }>(['audit', 'reseal', '--yes'])
  assert.equal(
    readFileSync(path.join(cordon.home, 'audit', path.basename(kept)), 'utf8'),
    `${cut}\n`,
  )
  await cordon.ask(['vault', 'unlock'])
  await cordon.ask(['vault', 'set', 'four'], { stdin: 'another-secret' })
  assert.equal((await cordon.ask<VerifyReport>(['audit', 'verify'])).ok, true)
})

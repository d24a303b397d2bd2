import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { onlyInFull } from '../kernel/test-rounds.ts'
import { createTestHome, type TestHome } from './test-audit.ts'

const ENTRY = JSON.stringify(new URL('./open-audit.ts', import.meta.url).href)

/** Opens the log in a child process; `say` writes a line synchronously, so that the line survives a kill. */
function childScript(home: TestHome, body: string, fileBytes = 1e9): string {
  return `
    import { writeSync } from 'node:fs'
    import { openAudit } from ${ENTRY}
    const say = (line) => writeSync(1, line + '\\n')
    const log = { info() {}, warn() {}, error() {} }
    const redactor = { redact: (text) => text }
    const audit = await openAudit({
      owner: 'principal:owner', folder: ${JSON.stringify(home.folder)}, anchorPath: ${JSON.stringify(home.anchorPath)}, log, redactor,
      fileBytes: ${fileBytes},
    })
    const event = (subject) => ({ kind: 'test.event', principal: 'principal:owner', subject })
    ${body}`
}

const FAST = `
  say('0')
  for (let n = 0; ; n += 1) {
    const record = n % 5 === 0 ? await audit.appendDurable(event('durable')) : audit.append(event('plain'))
    say(record.seq)
  }`

/** Of one round, however long they take; the child goes on until the kill reaches it. */
const FEWEST_RECORDS = 40
const ROUNDS = 15
/** A round crosses several files. */
const FILE_BYTES = 5000

/** Runs the child, kills it with SIGKILL while it writes, and returns the last record it had acknowledged. */
async function killWhileWriting(home: TestHome, round: number): Promise<number> {
  const said = join(home.folder, '..', `said-${round}`)
  await using out = await open(said, 'w')
  const args = ['--input-type=module', '-e', childScript(home, FAST, FILE_BYTES)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', out.fd, 'inherit'] })
  const ended = once(child, 'exit')
  const records = FEWEST_RECORDS + Math.random() * 40
  while ((await readFile(said, 'utf8')).split('\n').length < records + 2) await delay(1)
  child.kill('SIGKILL')
  await ended
  const lines = (await readFile(said, 'utf8')).split('\n')
  return Number(lines.at(-2))
}

test(
  'AUDIT-1: every record a process had acknowledged is there after kill -9, and the chain holds',
  onlyInFull,
  async () => {
    await using home = await createTestHome()
    let total = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const acknowledged = await killWhileWriting(home, round)
      await using audit = await home.open()
      assert.equal(audit.damage, undefined)
      const report = await audit.verify()
      assert.equal(report.ok, true, report.problem?.message)
      assert.ok(report.records >= acknowledged, `${report.records} of ${acknowledged} are there`)
      total = report.records
    }
    assert.ok((await readdir(home.folder)).length > ROUNDS, 'the log is in many files')
    assert.ok(total >= ROUNDS * FEWEST_RECORDS, `only ${total} records were written`)
  },
)

const UNTIL_FULL = `
  const failures = new Set()
  let last = 0
  const call = { callId: 'c', principal: { id: 'principal:owner' }, tool: { server: 's', name: 't' }, args: {} }
  const read = () => audit.begin(call, { kind: 'allow', rule: 'r' }, 'local-read').then(() => { last += 1 })
  for (let n = 0; n < 200; n += 1) {
    try { last = audit.append(event('x'.repeat(n % 40))).seq } catch (error) { failures.add(error.code) }
    const two = await Promise.allSettled([read(), read()])
    for (const { reason } of two) if (reason) failures.add(reason.code)
  }
  say(JSON.stringify({ last, failures: [...failures] }))
  await audit[Symbol.asyncDispose]()`

test('A record that does not fit on the disk is refused, and leaves nothing behind', async () => {
  await using home = await createTestHome()
  // A file size limit stops a write half-way, as a full disk does.
  const command = 'ulimit -f 16; exec "$0" --input-type=module -e "$1"'
  const args = ['-c', command, process.execPath, childScript(home, UNTIL_FULL)]
  const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunks] = await Promise.all([Array.fromAsync(child.stdout), once(child, 'exit')])
  const { last, failures } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as {
    last: number
    failures: string[]
  }
  assert.deepEqual(failures, ['audit.write-failed'])
  assert.ok(last > 20 && last < 200)
  const bytes = await home.bytes()
  assert.ok(bytes.length <= 16_384)

  await using audit = await home.open()
  assert.equal(audit.damage, undefined)
  const [newest] = (await audit.read({ limit: 1 })) as [AuditRecord]
  assert.equal(newest.seq, last)
  assert.equal((await audit.verify()).ok, true)
})

/** The audit log against the disk it lies on: bare syncs and durable appends take turns in one run. */
import { closeSync, fdatasync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type OwnedAudit, openAudit } from '../src/audit/open-audit.ts'
import type { AuditEvent } from '../src/kernel/audit-record.ts'
import type { Log, Redactor } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { type BenchReport, quantile } from './report.ts'

const WRITERS = 64
const CROWD_MS = 3000
const SINGLE_ROUNDS = 1500
const PLAIN_ROUNDS = 20_000

const sync = promisify(fdatasync)
const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const redactor: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}
const event: AuditEvent = {
  kind: 'vault.set',
  principal: OWNER.id,
  subject: 'notion_token',
  details: { replaced: false, source: 'command line', size: 43 },
}

export async function run(): Promise<BenchReport> {
  // Beside the checkout, not in the temporary folder: that may lie in memory, where a sync costs nothing.
  const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const home = mkdtempSync(path.join(cache, 'bench-audit-'))
  try {
    await using audit = await openAudit({
      owner: OWNER.id,
      folder: path.join(home, 'audit'),
      anchorPath: path.join(home, 'audit-head'),
      redactor,
      log,
    })
    return await measure(audit, home)
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function measure(audit: OwnedAudit, home: string): Promise<BenchReport> {
  const plain = measurePlain(audit)
  const { bare, durable } = await measureSingle(audit, home)
  const perSecond = await measureCrowd(audit)
  const began = performance.now()
  const { ok, records } = await audit.verify()
  const verified = (records / (performance.now() - began)) * 1000
  if (!ok) throw new Error('The log that was just written does not verify')
  return {
    figures: [
      { name: 'bare fdatasync p50', value: quantile(bare, 0.5), unit: 'ms' },
      { name: 'bare fdatasync p95', value: quantile(bare, 0.95), unit: 'ms' },
      { name: 'durable append p50', value: quantile(durable, 0.5), unit: 'ms' },
      { name: 'durable append p95', value: quantile(durable, 0.95), unit: 'ms' },
      { name: 'plain append p95', value: quantile(plain, 0.95) * 1000, unit: 'µs' },
      { name: 'verify', value: verified, unit: 'records/s' },
    ],
    bars: [
      {
        name: 'durable appends, 64 in flight',
        value: perSecond,
        unit: '/s',
        limit: 5000,
        kind: 'least',
      },
      {
        name: 'durable append p50 vs bare fdatasync',
        value: quantile(durable, 0.5) / quantile(bare, 0.5),
        unit: '×',
        limit: 3,
        kind: 'most',
      },
      {
        name: 'plain append p50',
        value: quantile(plain, 0.5) * 1000,
        unit: 'µs',
        limit: 50,
        kind: 'most',
      },
    ],
  }
}

function measurePlain(audit: OwnedAudit): number[] {
  return Array.from({ length: PLAIN_ROUNDS }, () => {
    const began = performance.now()
    audit.append(event)
    return performance.now() - began
  })
}

/** One writer: each round does a bare write with a sync, then a durable append. */
async function measureSingle(
  audit: OwnedAudit,
  home: string,
): Promise<{ bare: number[]; durable: number[] }> {
  const line = Buffer.alloc(JSON.stringify(await audit.appendDurable(event)).length + 1, 'x')
  const fd = openSync(path.join(home, 'audit', 'bare'), 'a')
  const bare: number[] = []
  const durable: number[] = []
  for (let round = 0; round < SINGLE_ROUNDS; round += 1) {
    writeSync(fd, line)
    const began = performance.now()
    await sync(fd)
    const between = performance.now()
    await audit.appendDurable(event)
    bare.push(between - began)
    durable.push(performance.now() - between)
  }
  closeSync(fd)
  return { bare, durable }
}

async function measureCrowd(audit: OwnedAudit): Promise<number> {
  const began = performance.now()
  let done = 0
  async function writer(): Promise<void> {
    while (performance.now() - began < CROWD_MS) {
      await audit.appendDurable(event)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return (done / (performance.now() - began)) * 1000
}

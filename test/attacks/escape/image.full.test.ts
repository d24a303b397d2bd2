/**
 * All attempts to break out once more, by real processes inside the root file system of an image, as root and as an
 * ordinary user. `escape.test.ts` proves on a naive contender that each attempt can succeed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ATTEMPTS } from './attempts.ts'
import type { EscapeReport, Kind, Verdicts } from './verdict.ts'

const program = fileURLToPath(new URL('outside.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const all = Object.keys(ATTEMPTS).map(Number)
const LONGEST_MS = 900_000

/** In network and mount namespaces of the test's own: no packet of any attempt can leave them. */
async function run(kind: Kind): Promise<EscapeReport> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-outside-'))
  chmodSync(folder, 0o755)
  const namespaces = isRoot
    ? ['--net', '--mount']
    : ['--user', '--map-root-user', '--net', '--mount']
  const args = [...namespaces, '--', process.execPath, program, folder, ...become(kind)]
  try {
    const env = { ...process.env, SWAPS: '40', FROM_IMAGE: '1' }
    const limits = { timeout: LONGEST_MS, maxBuffer: 2 ** 22, env }
    const { stdout } = await promisify(execFile)('unshare', args, limits)
    return JSON.parse(stdout) as EscapeReport
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** At the same time: most of an attempt is waiting. */
const reports = { root: isRoot ? run('root') : undefined, user: run('user') }
for (const report of Object.values(reports)) report?.catch(() => undefined) // the awaiting test reports it

function become(kind: Kind): readonly string[] {
  if (isRoot && kind === 'root') return []
  if (isRoot) return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
  const map = [`--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`]
  return ['unshare', '--user', ...map, '--']
}

function isBlocked(number: number, verdicts: Verdicts = {}): boolean {
  const ways = Object.values(verdicts)
  const expected = ATTEMPTS[number]?.stoppedBy
  return ways.length > 0 && ways.every((way) => way.kind === 'stopped' && expected?.test(way.by))
}

for (const kind of ['root', 'user'] as const) {
  const skip = kind === 'root' && !isRoot ? 'these tests do not run as root' : false
  test(`SANDBOX-1: nothing gets out of an image when Cordon runs as ${kind}`, {
    skip,
    timeout: LONGEST_MS,
  }, async () => {
    const report = await reports[kind]
    assert.ok(report)
    const { ours } = report
    const open = all.filter((number) => !isBlocked(number, ours[number]))
    console.log(`blocked ${all.length - open.length}/${all.length} (image, ${kind})`)
    assert.deepEqual(
      open.map((number) => [number, ATTEMPTS[number]?.title, ours[number]]),
      [],
    )
  })
}

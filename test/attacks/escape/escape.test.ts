/** All attempts to break out, by real processes, as root and as an ordinary user, on Cordon and, in full rounds, a naive contender. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rounds } from '../../../src/kernel/test-rounds.ts'
import { ATTEMPTS, WITHOUT_CONTROL } from './attempts.ts'
import type { EscapeReport, Kind, Verdicts } from './verdict.ts'

const program = fileURLToPath(new URL('outside.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const all = Object.keys(ATTEMPTS).map(Number)
/** Starts during which a folder is swapped for a link all the time. */
const SWAPS = rounds(1000, 40)
/** Whether each attempt is also made on the naive contender, which takes half of the time. */
const hasControl = rounds(true, false)
/** Two hundred ways in a row, most of them waiting, take longer than other tests may. */
const LONGEST_MS = 900_000

/** Root and user run at the same time: most of an attempt is waiting. */
const reports = {
  root: isRoot ? run('root') : undefined,
  user: run('user'),
}
for (const report of Object.values(reports)) report?.catch(() => undefined) // the awaiting test reports it

/** Runs all attempts in network and mount namespaces of the test's own: no packet of any attempt can leave them. */
async function run(kind: Kind): Promise<EscapeReport> {
  // This process removes the folder: the mounts in it exist in the child's mount namespace only.
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-outside-'))
  chmodSync(folder, 0o755)
  const namespaces = isRoot
    ? ['--net', '--mount']
    : ['--user', '--map-root-user', '--net', '--mount']
  const args = [...namespaces, '--', process.execPath, program, folder, ...become(kind)]
  try {
    const env = { ...process.env, SWAPS: String(SWAPS), CONTROL: hasControl ? 'yes' : 'no' }
    const limits = { timeout: LONGEST_MS, maxBuffer: 2 ** 22, env }
    const { stdout } = await promisify(execFile)('unshare', args, limits)
    return JSON.parse(stdout) as EscapeReport
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function become(kind: Kind): readonly string[] {
  if (isRoot && kind === 'root') return []
  if (isRoot) return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
  const map = [`--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`]
  return ['unshare', '--user', ...map, '--']
}

/** Every way of the attempt was stopped, and for the expected reason. */
function isBlocked(number: number, verdicts: Verdicts = {}): boolean {
  const ways = Object.values(verdicts)
  const expected = ATTEMPTS[number]?.stoppedBy
  return ways.length > 0 && ways.every((way) => way.kind === 'stopped' && expected?.test(way.by))
}

/** The control: every way of the attempt succeeds on a naive contender, or is listed as impossible on this machine. */
function checkControl(t: TestContext, number: number, kind: Kind, naive: Verdicts = {}): void {
  for (const [way, verdict] of Object.entries(naive)) {
    if (verdict.kind === 'got') continue
    const reason = WITHOUT_CONTROL[`${number} ${way}`]?.[kind]
    assert.ok(reason, `does not bite: ${way}: ${JSON.stringify(verdict)}`)
    assert.equal(verdict.kind, 'stopped', JSON.stringify(verdict))
    t.diagnostic(`no control on this machine: ${number} ${way} (${reason})`)
  }
}

for (const kind of ['root', 'user'] as const) {
  const skip = kind === 'root' && !isRoot ? 'these tests do not run as root' : false
  // Regression 2, 19
  test(`SANDBOX-1: nothing gets out when Cordon runs as ${kind}`, {
    skip,
    timeout: LONGEST_MS,
  }, async (t) => {
    const report = await reports[kind]
    assert.ok(report)
    const { ours, naive } = report
    for (const number of all) {
      await t.test(`${number} ${ATTEMPTS[number]?.title}`, (t) => {
        assert.ok(isBlocked(number, ours[number]), JSON.stringify(ours[number]))
        if (!hasControl) return
        assert.deepEqual(Object.keys(naive[number] ?? {}), Object.keys(ours[number] ?? {}))
        checkControl(t, number, kind, naive[number])
      })
    }
    const blocked = all.filter((number) => isBlocked(number, ours[number])).length
    console.log(`blocked ${blocked}/${all.length} (${kind})`)
    assert.equal(blocked, 125)
  })
}

async function assertBlocked(numbers: readonly number[]): Promise<void> {
  for (const report of [await reports.root, await reports.user]) {
    if (report === undefined) continue
    assert.deepEqual(
      numbers.filter((number) => !isBlocked(number, report.ours[number])),
      [],
    )
  }
}

test('EGRESS-1: what is not allowed is refused by name, before any lookup', async () => {
  await assertBlocked([38, 39, 40, 41, 42, 47, 48, 50])
})

test('EGRESS-2: no private address is dialled, and what was vetted is what is dialled', async () => {
  await assertBlocked([43, 44])
})

test('EGRESS-3: a tunnel carries TLS for the host that was asked for', async () => {
  await assertBlocked([45, 46])
})

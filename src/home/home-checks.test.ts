/** The findings of `cordon doctor` about a home, without creating or locking it. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { DoctorCheck } from '../text/doctor-check.ts'
import { homeChecks } from './home-checks.ts'
import { openHome } from './open-home.ts'

let root: string
let home: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cordon-checks-'))
  home = join(root, 'the home')
})
afterEach(() => rmSync(root, { recursive: true }))

async function check(name: string): Promise<DoctorCheck> {
  const found = (await homeChecks(home)).find((item) => item.name === name)
  assert.ok(found)
  return found
}

test('homeChecks() says that a home is not there yet, and leaves it so', async () => {
  const folder = await check('permissions')
  assert.equal(folder.verdict, 'warn')
  assert.match(folder.remedy ?? '', /`cordon up`/)
  assert.equal((await check('disk space')).verdict, 'ok')
  assert.equal((await check('home lock')).verdict, 'ok')
  assert.equal(existsSync(home), false)
})

test('homeChecks() finds an open home in order, and names the process that uses it', async () => {
  await using _home = await openHome(home)
  assert.deepEqual(
    (await homeChecks(home)).map((item) => item.verdict),
    ['ok', 'ok', 'ok'],
  )
  assert.match((await check('home lock')).finding, new RegExp(`process ${process.pid} uses`))
})

test('homeChecks() gives the command for a home that others can read or write', async () => {
  mkdirSync(home)
  const remedy = `chmod 700 '${home}'`
  chmodSync(home, 0o755)
  assert.deepEqual(
    { ...(await check('permissions')), finding: '' },
    { name: 'permissions', verdict: 'warn', finding: '', remedy },
  )
  chmodSync(home, 0o775)
  assert.deepEqual(
    { ...(await check('permissions')), finding: '' },
    { name: 'permissions', verdict: 'fail', finding: '', remedy },
  )
})

test('homeChecks() fails a home that is a file or belongs to someone else', async () => {
  writeFileSync(home, '')
  assert.match((await check('permissions')).finding, /not a folder/)
  rmSync(home)
  mkdirSync(home, { mode: 0o700 })
  if (process.geteuid?.() !== 0) return
  chownSync(home, 65534, 65534)
  assert.match((await check('permissions')).finding, /another user/)
})

test('homeChecks() reads the lock of a holder that is gone', async () => {
  mkdirSync(join(home, 'run'), { recursive: true })
  const gone = { pid: process.pid, startTime: '1', bootId: 'an-earlier-boot' }
  writeFileSync(join(home, 'run', 'cordon.lock'), JSON.stringify(gone))
  const lock = await check('home lock')
  assert.equal(lock.verdict, 'ok')
  assert.match(lock.finding, /ended without closing/)
})

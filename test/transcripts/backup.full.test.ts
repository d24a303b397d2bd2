/** Backup on one home, restore into another: the same answers, and nothing that was under way goes on. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Output } from '../../src/api/contract.ts'
import type { RestoreAnswer } from '../../src/cli/context.ts'
import { environmentFor, finish, MAIN, openCordon, type Ran } from '../fixtures/cordon.ts'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import { until } from '../fixtures/until.ts'

const SECRET = 'planted-value-4711'
const WRITE = 'mcp-slack-send-message --channel dev --message hello'
const SETTINGS = `[templates.nightly]
allowed_tools = ["slack.*"]
data_ceiling = "sensitive"
output_sinks = ["sink:owner"]
`

const cordon = await openFlowCordon({ settings: SETTINGS })
const other = openCordon()
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})
const identity = path.join(cordon.folder, 'identity.txt')
const secretKey = await generateX25519Identity()
writeFileSync(identity, `${secretKey}\n`, { mode: 0o600 })
const file = path.join(cordon.folder, 'cordon.age')

test('BACKUP-3: a backup of a running kernel is restored elsewhere with the same answers, and no run goes on', async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  await cordon.ask(['vault', 'set', 'mail_token'], { stdin: SECRET })
  await cordon.says(['flow', 'save', 'tell', WRITE])
  const schedule = ['flow', 'schedule', 'tell', '--cron', '0 9 1 1 *', '--template', 'nightly']
  await cordon.says([...schedule, '--sink', 'sink:owner'])
  await cordon.says(['memory', 'add', 'my sister is called Ada'])
  cordon.start(['run', WRITE, '--wait'])
  await until(async () => {
    const { approvals } = await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])
    return approvals.length > 0
  })
  const recipient = await identityToRecipient(secretKey)
  const written = await cordon.ask<Output<'backup.write'>>([
    'backup',
    file,
    '--recipient',
    recipient,
  ])
  assert.equal(written.file, file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(readFileSync(file).includes(SECRET), false)
  const restored = await other.ask<RestoreAnswer>(['restore', file, '--identity', identity])
  assert.deepEqual([restored.audit.ok, restored.aside, restored.vaultKey], [true, null, 'keyfile'])
  const kept = (one: typeof other) => [
    one.ask<Output<'flows.list'>>(['flow', 'list']),
    one.ask<Output<'flows.schedules'>>(['flow', 'schedules']),
    one.ask<Output<'vault.list'>>(['vault', 'list']),
    one.ask<object>(['memory', 'list']),
  ]
  assert.deepEqual(await Promise.all(kept(other)), await Promise.all(kept(cordon)))
  const names = async (one: typeof other): Promise<unknown> => {
    const { servers } = await one.ask<Output<'mcp.list'>>(['mcp', 'list'])
    return servers.map(({ server, name, label, cordon: kind }) => [server, name, label, kind])
  }
  assert.deepEqual(await names(other), await names(cordon))
  const proof = await other.ask<Output<'audit.verify'>>(['audit', 'verify', '--head', headBefore()])
  assert.equal(proof.ok, true)
  const { runs } = await other.ask<Output<'flows.runs'>>(['flow', 'runs'])
  assert.deepEqual(
    runs.map(({ state }) => state),
    ['cancelled'],
  )
  assert.equal(existsSync(path.join(other.home, 'restored')), false)
  const { runs: before } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  assert.equal(before[0]?.state, 'asking')
})

/** The hash of a record of the first home that is in the backup. */
function headBefore(): string {
  const [line = ''] = readFileSync(path.join(cordon.home, 'audit', 'audit.jsonl'), 'utf8').split(
    '\n',
  )
  return (JSON.parse(line) as { hash: string }).hash
}

test('a home in use is not replaced, and a refused restore leaves everything as it was', async () => {
  const before = readdirSync(path.dirname(other.home)).sort()
  const refused = async (args: readonly string[], code: number, says: RegExp): Promise<void> => {
    const { code: ended, stderr } = await other.run(args)
    assert.deepEqual([ended, says.test(stderr)], [code, true], stderr)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
  const restore = ['restore', file, '--identity', identity]
  await refused(restore, 2, /there is a home already\n.*--replace/)
  await refused([...restore, '--replace'], 2, /Add `--yes`/)
  await refused([...restore, '--replace', '--yes'], 4, /in use by process \d+\n.*cordon down/)
  await other.run(['down'])
  await refused(['restore', file, '--replace', '--yes'], 2, /--identity FILE/)
  assert.deepEqual(readdirSync(path.dirname(other.home)).sort(), before)
})

test('with --replace the home that was there is kept beside the new one', async () => {
  writeFileSync(path.join(other.home, 'config.toml'), '# mine\n')
  const args = ['restore', file, '--identity', identity, '--replace', '--yes']
  const { aside, home } = await other.ask<RestoreAnswer>(args)
  assert.ok(aside)
  assert.equal(readFileSync(path.join(aside, 'config.toml'), 'utf8'), '# mine\n')
  assert.equal(readFileSync(path.join(home, 'config.toml'), 'utf8'), SETTINGS)
})

test('a backup overwrites nothing unasked, and says what it needs', async () => {
  const again = await cordon.run(['backup', file, '--recipient', 'age1x'])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /there is a file of that name\n.*--force/)
  const short = await cordon.run(['backup', `${file}2`], { stdin: 'short' })
  assert.deepEqual([short.code, existsSync(`${file}2`)], [2, false])
  assert.match(short.stderr, /a passphrase this short/)
})

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

/** As another user of this machine where that is possible, with a home folder of their own. */
function asSomebody(folder: string, args: readonly string[], stdin = ''): Promise<Ran> {
  const setpriv = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  const [program = '', ...words] = [...(isRoot ? setpriv : []), process.execPath, MAIN, ...args]
  const { NODE_COMPILE_CACHE: _cache, ...env } = environmentFor(path.join(folder, 'home'))
  const child = spawn(program, [...words, '--no-daemon'], { cwd: folder, env })
  child.stdin.end(stdin)
  return finish(child)
}

test('a passphrase opens a backup for another user, and a wrong one writes nothing', async (t) => {
  const theirs = mkdtempSync(path.join(tmpdir(), 'cordon-nobody-'))
  t.after(() => rmSync(theirs, { recursive: true, force: true }))
  const copy = path.join(theirs, 'copy.age')
  await cordon.ask(['backup', copy], { stdin: 'correct horse battery' })
  if (isRoot) for (const one of [theirs, copy]) chownSync(one, NOBODY, NOBODY)
  chmodSync(theirs, 0o700)
  const wrong = await asSomebody(theirs, ['restore', copy], 'incorrect horse battery')
  assert.equal(wrong.code, 4, wrong.stderr)
  assert.match(wrong.stderr, /^cordon: error: Cannot open the backup with this passphrase/m)
  assert.deepEqual(readdirSync(theirs), ['copy.age'])
  const right = await asSomebody(theirs, ['restore', copy], 'correct horse battery')
  assert.equal(right.code, 0, right.stderr)
  assert.match(right.stdout, /^Restored .*\nThe audit log is whole: \d+ records/)
  const list = await asSomebody(theirs, ['mcp', 'list', '--json'])
  const names = (JSON.parse(list.stdout) as Output<'mcp.list'>).servers.map(({ server }) => server)
  assert.deepEqual(names, ['github', 'slack'])
  assert.match((await asSomebody(theirs, ['audit', 'verify'])).stdout, /^The chain is whole/)
  assert.match((await asSomebody(theirs, ['vault', 'status'])).stdout, /^The vault is unlocked/)
})

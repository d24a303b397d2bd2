import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { homePaths } from '../home-paths.ts'
import { type BackupLock, encryptStream } from './encrypt-stream.ts'
import type { BackupSources } from './collect-members.ts'
import { bytesMember } from './file-member.ts'
import { type Member, packTar } from './pack-tar.ts'
import { readIdentities } from './read-identities.ts'
import { type RestoreRequest, restoreHome } from './restore-home.ts'
import { writeBackup } from './write-backup.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const PASSPHRASE = 'correct horse battery'
const never = new AbortController().signal
const quiet = { check: async () => 'checked', onBytes: () => undefined }
let count = 0
const place = (): string => path.join(folder, String((count += 1)))

function makeHome(): BackupSources {
  const home = place()
  const paths = homePaths(home)
  for (const one of ['mcp', 'audit', 'cache', 'packages', 'logs', 'run', 'data/notes/deep'])
    mkdirSync(path.join(home, one), { recursive: true, mode: 0o700 })
  writeFileSync(path.join(paths.mcp, 'files.toml'), 'command = "x"\n')
  writeFileSync(path.join(paths.audit, 'audit.jsonl'), 'one\ntwo\nhalf')
  writeFileSync(path.join(paths.logs, 'cordon.log'), 'not backed up')
  writeFileSync(path.join(paths.packages, 'big'), 'not backed up')
  writeFileSync(path.join(paths.data, 'notes', 'deep', 'a.txt'), 'kept by a server')
  symlinkSync('/etc/passwd', path.join(paths.data, 'notes', 'link'))
  writeFileSync(paths.config, '[limits]\n')
  return {
    paths,
    manifest: { cordon: '0.1.0', store: 'sqlite' },
    vault: async () => ({
      key: 'keyfile',
      files: [{ name: 'records/a.json', content: Buffer.from('sealed') }],
    }),
    audit: async () => ({ files: [{ name: 'audit.jsonl', bytes: 8 }], anchor: Buffer.of(1) }),
    now: () => 0,
  }
}

async function backUp(sources: BackupSources, lock: BackupLock = { passphrase: PASSPHRASE }) {
  const file = `${place()}.age`
  const request = { file, lock, force: false, dangerouslyCheapWorkFactor: 4 }
  return await writeBackup(sources, request, () => undefined, never)
}

function request(file: string, change: Partial<RestoreRequest> = {}): RestoreRequest {
  const key = async () => ({ passphrase: PASSPHRASE })
  return { file, home: place(), replace: false, key, ...change }
}

/** Nothing of a refused restore is left, not even beside the home. */
async function assertRefused(wish: RestoreRequest, code: string): Promise<void> {
  const before = readdirSync(folder).sort()
  await assert.rejects(restoreHome(wish, quiet, never), { code })
  assert.deepEqual(readdirSync(folder).sort(), before)
}

function filesIn(home: string): readonly string[] {
  return (readdirSync(home, { recursive: true }) as string[])
    .filter((name) => statSync(path.join(home, name)).isFile())
    .sort()
}

test('BACKUP-1: a backup holds what is the owner’s, is readable by them alone, and comes back as it was', async () => {
  const sources = makeHome()
  const database = new DatabaseSync(sources.paths.state)
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('kept')")
  const report = await backUp(sources)
  database.close()
  assert.deepEqual(report.leftOut, ['data/notes/link'])
  assert.equal(statSync(report.file).mode & 0o777, 0o600)
  assert.equal(readFileSync(report.file).includes('kept by a server'), false)
  const restored = await restoreHome(request(report.file), quiet, never)
  assert.deepEqual(filesIn(restored.home), [
    'audit-head',
    'audit/audit.jsonl',
    'config.toml',
    'data/notes/deep/a.txt',
    'mcp/files.toml',
    'restored',
    'state.db',
    'vault/records/a.json',
  ])
  assert.equal(readFileSync(path.join(restored.home, 'audit/audit.jsonl'), 'utf8'), 'one\ntwo\n')
  const copy = new DatabaseSync(path.join(restored.home, 'state.db'), { readOnly: true })
  assert.deepEqual({ ...copy.prepare('SELECT v FROM t').get() }, { v: 'kept' })
  copy.close()
  assert.deepEqual(readdirSync(sources.paths.cache), [])
  for (const name of ['', ...filesIn(restored.home)])
    assert.equal(statSync(path.join(restored.home, name)).mode & 0o077, 0)
})

test('BACKUP-1: a wrong passphrase, every cut and every changed part are refused, and nothing is written', async () => {
  const { file } = await backUp(makeHome())
  const whole = readFileSync(file)
  const wrong = async () => ({ passphrase: 'another passphrase' })
  await assertRefused(request(file, { key: wrong }), 'home.backup-key')
  const broken = `${file}.broken`
  const tryBytes = async (bytes: Uint8Array): Promise<void> => {
    writeFileSync(broken, bytes)
    const before = readdirSync(folder).sort()
    await assert.rejects(restoreHome(request(broken), quiet, never), /^CordonError/)
    assert.deepEqual(readdirSync(folder).sort(), before)
  }
  for (const end of [0, 10, 60, 150, 300, whole.length - 1]) await tryBytes(whole.subarray(0, end))
  for (const at of [3, 25, 90, 200, 260, whole.length >> 1, whole.length - 1]) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    await tryBytes(changed)
  }
  await tryBytes(Buffer.concat([whole, Buffer.from('x')]))
})

test('a backup for a recipient opens with its identity only', async () => {
  const [mine, other] = [await generateX25519Identity(), await generateX25519Identity()]
  const { file } = await backUp(makeHome(), { recipients: [await identityToRecipient(mine)] })
  const identity = path.join(folder, 'identity')
  writeFileSync(identity, `# created: today\n${mine}\n`)
  const key = async () => ({ identities: await readIdentities(identity) })
  await restoreHome(request(file, { key }), quiet, never)
  const wrong = async () => ({ identities: [other] })
  await assertRefused(request(file, { key: wrong }), 'home.backup-key')
  await assertRefused(request(file, { key: async () => undefined }), 'home.backup-identity')
  await assert.rejects(readIdentities('/etc/hostname'), { code: 'home.backup-identity' })
  await assert.rejects(backUp(makeHome(), { recipients: ['age1nonsense'] }), {
    code: 'home.backup-recipient',
  })
})

const MANIFEST = bytesMember(
  'cordon-backup.json',
  Buffer.from(
    JSON.stringify({
      format: 'cordon-backup',
      version: 1,
      cordon: '0.1.0',
      madeAt: '2026-01-01T00:00:00.000Z',
      store: 'sqlite',
      vaultKey: null,
    }),
  ),
)

async function archive(
  members: readonly Member[],
  edit?: (tar: Buffer) => void,
  end: Uint8Array = new Uint8Array(),
): Promise<string> {
  const chunks: Uint8Array[] = []
  const list = async function* () {
    yield* members
  }
  for await (const chunk of packTar(list())) chunks.push(chunk)
  const tar = Buffer.concat(chunks)
  edit?.(tar)
  const plain = async function* () {
    yield new Uint8Array(tar)
    yield end
  }
  const file = `${place()}.age`
  const parts: Uint8Array[] = []
  for await (const chunk of await encryptStream({ passphrase: PASSPHRASE }, plain(), 4))
    parts.push(chunk)
  writeFileSync(file, Buffer.concat(parts))
  return file
}

test('BACKUP-2: a member that leads out of the home, is no plain file, comes twice or is too large is refused', async () => {
  const evil = (name: string): Member => bytesMember(name, Buffer.from('evil'))
  for (const name of [
    '../x',
    'mcp/../../x',
    '/etc/x',
    'mcp/',
    'mcp//x',
    'mcp/./x',
    'mcp/a\\b',
    'mcp/a\u001b[2J',
    'run/cordon.sock',
    'packages/evil@1/index.js',
    'restored',
    'other.txt',
    `data/${'d/'.repeat(40)}x`,
  ])
    await assertRefused(request(await archive([MANIFEST, evil(name)])), 'home.backup-member')
  const twice = await archive([MANIFEST, evil('mcp/a.toml'), evil('mcp/a.toml')])
  await assertRefused(request(twice), 'home.backup-member')
  const huge = { name: 'config.toml', bytes: 17 * 1024 * 1024, read: () => zeros(17) }
  await assertRefused(request(await archive([MANIFEST, huge])), 'home.backup-member')
  const first = await archive([evil('mcp/a.toml'), MANIFEST])
  await assertRefused(request(first), 'home.backup-foreign')
})

async function* zeros(mebibytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < mebibytes; at += 1) yield new Uint8Array(1024 * 1024)
}

test('BACKUP-2: a link, a folder or an extended header in the archive is refused', async () => {
  const at = 1024 // the head of the second member: the manifest fits into one block
  for (const kind of ['1', '2', '5', 'x', 'L']) {
    const file = await archive([MANIFEST, bytesMember('mcp/a.toml', Buffer.from('x'))], (tar) => {
      const before = tar[at + 156] ?? 0
      tar.write(kind, at + 156)
      const sum = Number.parseInt(tar.toString('latin1', at + 148, at + 154), 8)
      const next = sum - before + kind.charCodeAt(0)
      tar.write(next.toString(8).padStart(6, '0'), at + 148)
    })
    await assertRefused(request(file), 'home.backup-damaged')
  }
})

test('BACKUP-1: also the bytes behind the archive are read: cut off or added, they are found', async () => {
  const zeros = new Uint8Array(300_000)
  const padded = await archive([MANIFEST], undefined, zeros)
  await restoreHome(request(padded), quiet, never)
  writeFileSync(padded, readFileSync(padded).subarray(0, -100_000))
  await assertRefused(request(padded), 'home.backup-damaged')
  zeros[299_999] = 1
  const more = await archive([MANIFEST], undefined, zeros)
  await assertRefused(request(more), 'home.backup-damaged')
})

test('a backup of a newer Cordon, and a file that is none, are told apart', async () => {
  const newer = { format: 'cordon-backup', version: 2, cordon: '9.0.0', what: 'ever' }
  const file = await archive([
    bytesMember('cordon-backup.json', Buffer.from(JSON.stringify(newer))),
  ])
  await assertRefused(request(file), 'home.backup-newer')
  await assertRefused(request('/etc/hostname'), 'home.backup-foreign')
  await assertRefused(request('/nowhere/at/all'), 'home.backup-unreadable')
})

test('BACKUP-2: a home that is there is kept, and replaced only on request and only once the new one is whole', async () => {
  const { file } = await backUp(makeHome())
  const home = place()
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(path.join(home, 'config.toml'), 'mine')
  await assertRefused(request(file, { home }), 'home.occupied')
  const failing = { ...quiet, check: () => Promise.reject(new Error('not sound')) }
  await assert.rejects(
    restoreHome(request(file, { home, replace: true }), failing, never),
    /not sound/,
  )
  assert.equal(readFileSync(path.join(home, 'config.toml'), 'utf8'), 'mine')
  const { aside = '' } = await restoreHome(request(file, { home, replace: true }), quiet, never)
  assert.equal(readFileSync(path.join(aside, 'config.toml'), 'utf8'), 'mine')
  assert.equal(readFileSync(path.join(home, 'config.toml'), 'utf8'), '[limits]\n')
})

test('a backup overwrites nothing unless told to, and one that fails leaves nothing behind', async () => {
  const sources = makeHome()
  const { file } = await backUp(sources)
  const before = readFileSync(file)
  const again = { file, lock: { passphrase: PASSPHRASE }, dangerouslyCheapWorkFactor: 4 }
  const write = (force: boolean, signal = never) =>
    writeBackup(sources, { ...again, force }, () => undefined, signal)
  await assert.rejects(write(false), { code: 'home.backup-exists' })
  await assert.rejects(write(true, AbortSignal.abort()), { name: 'AbortError' })
  assert.deepEqual(readFileSync(file), before)
  await write(true)
  assert.notDeepEqual(readFileSync(file), before)
  const nowhere = { ...again, file: path.join(folder, 'no', 'such', 'b.age'), force: false }
  await assert.rejects(
    writeBackup(sources, nowhere, () => undefined, never),
    { code: 'home.backup-place' },
  )
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  )
})

test('what a killed restore left behind is removed by the next one', async () => {
  const { file } = await backUp(makeHome())
  const wish = request(file)
  const left = `${wish.home}.restoring-4194304999-abcdef01`
  mkdirSync(path.join(left, 'vault'), { recursive: true })
  await restoreHome(wish, quiet, never)
  assert.equal(existsSync(left), false)
})

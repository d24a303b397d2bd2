import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OWN_WORDS } from '../../labels/label.ts'
import { NO_MARKS } from './file-labels.ts'
import { createFileLedger, memoryLabels } from './file-ledger.ts'
import { after, before, test } from 'node:test'
import type { Json } from '../../text/json.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import { pinByName } from '../../kernel/test-pin-path.ts'
import { failureOf } from '../engine/error-actions.ts'
import type { BuiltIn } from './built-in.ts'
import { fileTools } from './file-tools.ts'

let top = ''
let folder = ''
let tools: ReadonlyMap<string, BuiltIn> = new Map()

before(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'cordon-files-')))
  folder = join(top, 'user', 'work')
  await mkdir(join(folder, 'inside'), { recursive: true })
  await mkdir(join(top, 'user', '.ssh'))
  await mkdir(join(top, 'user', 'cordon'))
  await writeFile(join(top, 'user', '.ssh', 'id'), 'a key')
  await writeFile(join(top, 'user', 'cordon', 'state'), 'a state')
  await writeFile(join(top, 'outside.txt'), 'outside')
  await writeFile(join(folder, 'notes.txt'), 'grüße')
  tools = fileTools(
    { home: join(top, 'user', 'cordon'), userHome: join(top, 'user'), pinPath: pinByName },
    { ledger: createFileLedger(memoryLabels()), marked: async () => NO_MARKS },
  )
})

after(() => rm(top, { recursive: true, force: true }))

async function call(name: string, args: Record<string, Json>): Promise<ToolResult> {
  const tool = tools.get(name)
  assert.ok(tool)
  return await tool.run(args, new AbortController().signal, OWN_WORDS)
}

function read(path: string, within: string = folder): Promise<ToolResult> {
  return call('read-file', { folder: within, path })
}

function write(path: string, content: Json, within: string = folder): Promise<ToolResult> {
  return call('write-file', { folder: within, path, content })
}

function actionOf(result: ToolResult): string {
  assert.ok(result.kind === 'failed')
  return failureOf(result, 'Files').action
}

test('a file of the folder is read, as anybody’s words', async () => {
  const result = await read('notes.txt')
  assert.ok(result.kind === 'ok')
  assert.deepEqual(result.value, { content: 'grüße' })
  assert.equal(result.label.integrity, 'external')
  assert.equal(result.label.level, 'sensitive')
})

test('a file that is not there is missing, and so is one in a folder that is not', async () => {
  assert.equal(actionOf(await read('nothing.txt')), 'resource_missing')
  assert.equal(actionOf(await read('nowhere/nothing.txt')), 'resource_missing')
  assert.equal(actionOf(await write('nowhere/nothing.txt', 'x')), 'resource_missing')
})

test('a flow without a folder can read and write no file', async () => {
  assert.equal(actionOf(await call('read-file', { path: join(folder, 'notes.txt') })), 'forbidden')
})

test('FLOW-4: no path leads outside the folder, by its words or by links', async () => {
  await symlink(join(top, 'outside.txt'), join(folder, 'link.txt'))
  await symlink(top, join(folder, 'up'))
  await symlink('notes.txt', join(folder, 'own-link.txt'))
  for (const path of [
    '../../outside.txt',
    join(top, 'outside.txt'),
    'inside/../../../outside.txt',
    'link.txt',
    'up/outside.txt',
    'own-link.txt',
    '..',
    '.',
  ]) {
    assert.equal(actionOf(await read(path)), 'forbidden', path)
    assert.equal(actionOf(await write(path, 'taken')), 'forbidden', path)
  }
  assert.equal(await readFile(join(top, 'outside.txt'), 'utf8'), 'outside')
})

test('a link to a folder within the folder may be followed', async () => {
  await symlink('inside', join(folder, 'alias'))
  assert.equal((await write('alias/a.txt', 'a')).kind, 'ok')
  assert.equal(await readFile(join(folder, 'inside', 'a.txt'), 'utf8'), 'a')
})

test('FLOW-4: neither Cordon’s home nor what is hidden in the owner’s home is reached, whatever the folder', async () => {
  const user = join(top, 'user')
  assert.equal(actionOf(await read('.ssh/id', user)), 'forbidden')
  assert.equal(actionOf(await read('id', join(user, '.ssh'))), 'forbidden')
  assert.equal(actionOf(await write('.bashrc', 'x', user)), 'forbidden')
  assert.equal(actionOf(await read('cordon/state', user)), 'forbidden')
  assert.equal(actionOf(await read('state', join(user, 'cordon'))), 'forbidden')
  assert.equal(actionOf(await read('user/.ssh/id', top)), 'forbidden')
  // Hidden files outside of the owner's home are ordinary files.
  assert.equal((await write('.env.example', 'A=1')).kind, 'ok')
})

test('FLOW-4: files of /proc, such as the environment of this process, cannot be read', async () => {
  for (const path of ['proc/self/environ', 'proc/self/root/proc/self/cmdline']) {
    assert.equal(actionOf(await read(path, '/')), 'forbidden')
  }
})

test('only plain files of text and of a bearable size are read', async () => {
  const makePipe = 'mkfifo'
  execFileSync(makePipe, [join(folder, 'pipe')])
  const server = createServer().listen(join(folder, 'socket'))
  await once(server, 'listening')
  await writeFile(join(folder, 'binary'), randomBytes(64).fill(0xff, 0, 4))
  await writeFile(join(folder, 'large'), 'x'.repeat(10 * 2 ** 20 + 1))
  for (const path of ['pipe', 'socket', 'inside', 'binary', 'large']) {
    assert.equal(actionOf(await read(path)), 'error', path)
  }
  assert.equal(actionOf(await write('pipe', 'x')), 'error')
  server.close()
  assert.equal(actionOf(await write('inside', 'x')), 'error')
  assert.equal(actionOf(await write('big.txt', 'x'.repeat(10 * 2 ** 20 + 1))), 'error')
})

test('a file is replaced as a whole and keeps its mode; a new one is its owner’s alone', async () => {
  const path = join(folder, 'script.sh')
  await writeFile(path, 'old'.repeat(100))
  await chmod(path, 0o755)
  const { ino } = await stat(path)
  const result = await write('script.sh', 'new')
  assert.ok(result.kind === 'ok')
  assert.deepEqual(result.value, { path: 'script.sh' })
  assert.equal(await readFile(path, 'utf8'), 'new')
  const now = await stat(path)
  assert.equal(now.mode & 0o777, 0o755)
  assert.notEqual(now.ino, ino)
  await write('fresh.txt', 'x')
  assert.equal((await stat(join(folder, 'fresh.txt'))).mode & 0o777, 0o600)
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.includes('.tmp')),
    [],
  )
})

test('a value that is not a text is written as JSON', async () => {
  await write('list.json', [{ a: 1 }])
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'list.json'), 'utf8')), [{ a: 1 }])
})

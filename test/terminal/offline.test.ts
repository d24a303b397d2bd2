/**
 * The first minutes without any network: Cordon runs in a network namespace that has no route, and the servers that come
 * with it are connected in the chat, told which folder or file they may use, and asked something.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test, type TestContext } from 'node:test'
import { environmentFor, openCordon } from '../fixtures/cordon.ts'
import { commandLine } from './open-command.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const uid = process.getuid?.() ?? 0
const mapped = ['--user', `--map-user=${uid}`, `--map-group=${process.getgid?.() ?? 0}`]
const WITHOUT_NETWORK = ['unshare', ...(uid === 0 ? [] : mapped), '--net', '--']

const cordon = openCordon()
const home = path.dirname(cordon.home)
let chat: Terminal

async function start(): Promise<void> {
  const command = [...WITHOUT_NETWORK, ...commandLine(['up'])]
  chat = await openTerminal({ command, env: environmentFor(cordon.home), columns: 220 })
  await chat.until(/\n›$/)
}

before(async () => {
  for (const folder of ['notes', 'data']) mkdirSync(path.join(home, folder))
  writeFileSync(path.join(home, 'notes', 'todo.txt'), 'buy milk\n')
  using database = new DatabaseSync(path.join(home, 'data', 'shop.db'))
  database.exec(
    "CREATE TABLE tea (name TEXT, grams INTEGER); INSERT INTO tea VALUES ('Assam', 250)",
  )
  await start()
})
after(async () => {
  await chat[Symbol.asyncDispose]()
  await cordon[Symbol.asyncDispose]()
})

/** Types a line, and waits for what follows it on the screen. */
async function say(line: string, answer: RegExp): Promise<string> {
  await chat.type(line)
  await chat.press('Enter')
  const screen = await chat.until(new RegExp(`› ${RegExp.escape(line)}\n[^]*${answer.source}\n›$`))
  return screen.slice(screen.lastIndexOf(`› ${line}\n`))
}

/** The time is shown, and nothing depends on it: how busy a machine is says nothing about Cordon. */
async function timed(t: TestContext, line: string, answer: RegExp): Promise<void> {
  const began = performance.now()
  await say(line, answer)
  t.diagnostic(`from "${line}" to the answer: ${Math.round(performance.now() - began)} ms`)
}

test('there is no route to anywhere', async () => {
  const { pid } = await cordon.ask<{ pid: number }>(['status'])
  const [, ...routes] = readFileSync(`/proc/${pid}/net/route`, 'utf8').trimEnd().split('\n')
  assert.deepEqual(routes, [])
})

test('connect filesystem asks for the folder, refuses what is private, and lists and reads a file', async (t) => {
  await say('connect filesystem', /Which folder may Filesystem use\?[^]*/)
  for (const [answer, reason] of [
    ['/', /I cannot use \/: it is the whole machine\. .*/],
    ['~', /it is your whole home folder, with your keys in it\. .*/],
    [cordon.home, /it lies in Cordon's own home\. [^]*/],
    ['~/gone', /I cannot use ~\/gone: there is no such file or folder\. .*/],
  ] as const) {
    await say(answer, reason)
  }
  assert.match(await say('list', /Nothing is connected yet.*/), /Nothing/)
  const asked = await say('~/notes', /Answer read or write\./)
  assert.match(asked, /write: it can change and delete anything below ~\/notes/)
  await timed(t, 'read', /✓ Filesystem connected\. 14 tools available\./)
  await say(`filesystem.list_directory path=${home}/notes`, /todo\.txt[^]*/)
  await say(`filesystem.read_text_file path=${home}/notes/todo.txt`, /buy milk[^]*/)
})

test('a folder that may only be read cannot be changed, whatever the owner allows', async () => {
  const file = JSON.stringify({ path: `${home}/notes/new.txt`, content: 'x' })
  const { stdout } = await cordon.run(['mcp', 'call', 'filesystem.write_file', file, '--yes'])
  assert.match(stdout, /EROFS|read-only file system/)
})

test('connect sqlite asks for the file, and a query answers from it', async (t) => {
  await say('connect sqlite', /Which database file may SQLite use\?[^]*/)
  await say('~/data', /it is a folder: name the file in it\. .*/)
  await say('~/data/shop.db', /Answer read or write\./)
  await timed(t, 'read', /✓ SQLite connected\. 2 tools available\./)
  await say('sqlite.query sql="SELECT name, grams FROM tea"', /Assam[^]*250[^]*/)
})

test('what memory is told outlives a restart of Cordon, and goes with the server', async (t) => {
  await timed(t, 'connect memory', /✓ Memory connected\. 9 tools available\./)
  const fact = { name: 'Ada', entityType: 'person', observations: ['likes tea'] }
  const entities = JSON.stringify({ entities: [fact] })
  const told = await cordon.run(['mcp', 'call', 'memory.create_entities', entities, '--yes'])
  assert.equal(told.code, 0, told.stderr)
  const { pid } = await cordon.ask<{ pid: number }>(['status'])
  process.kill(pid, 'SIGKILL') // a stop would only take longer
  await chat.ended()
  await chat[Symbol.asyncDispose]()
  await start()
  const graph = await cordon.run(['mcp', 'call', 'memory.read_graph'])
  assert.match(graph.stdout, /likes tea/)
  const { keeps } = await cordon.ask<{ keeps: string }>(['mcp', 'show', 'memory'])
  assert.equal(keeps, path.join(cordon.home, 'data', 'memory'))
  await say('remove memory', new RegExp(`deletes what it keeps in ${RegExp.escape(keeps)}[^]*`))
  const done = await cordon.run(['disconnect', 'memory', '--yes'])
  assert.match(done.stdout, /and what it kept/)
  assert.throws(() => readFileSync(path.join(keeps, 'memory.jsonl')), { code: 'ENOENT' })
})

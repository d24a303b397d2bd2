/**
 * A conversation without a model and without any network: files are listed and read, a fact is kept over a restart, a
 * database is queried, a change is refused and allowed, a plan is saved, run and scheduled, and a watch tells of a change.
 */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { environmentFor, openCordon } from '../fixtures/cordon.ts'
import { commandLine } from './open-command.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const uid = process.getuid?.() ?? 0
const mapped = ['--user', `--map-user=${uid}`, `--map-group=${process.getgid?.() ?? 0}`]
const WITHOUT_NETWORK = ['unshare', ...(uid === 0 ? [] : mapped), '--net', '--']

const cordon = openCordon()
const home = path.dirname(cordon.home)
const notes = path.join(home, 'notes')
let chat: Terminal

async function start(): Promise<void> {
  const command = [...WITHOUT_NETWORK, ...commandLine(['up'])]
  chat = await openTerminal({ command, env: environmentFor(cordon.home), columns: 220 })
  await chat.until(/\n›$/)
}

before(async () => {
  for (const folder of ['notes', 'data']) {
    mkdirSync(path.join(home, folder))
    chmodSync(path.join(home, folder), 0o777) // servers of a Cordon that runs as root are somebody else
  }
  writeFileSync(path.join(notes, 'todo.txt'), 'buy milk\n')
  using database = new DatabaseSync(path.join(home, 'data', 'shop.db'))
  database.exec("CREATE TABLE tea (name TEXT); INSERT INTO tea VALUES ('Assam')")
  await start()
})
after(async () => {
  await chat[Symbol.asyncDispose]()
  await cordon[Symbol.asyncDispose]()
})

/** Types a line, and waits for the answer below it. */
async function say(line: string, answer: RegExp): Promise<string> {
  await chat.type(line)
  await chat.press('Enter')
  const screen = await chat.until(
    new RegExp(`› ${RegExp.escape(line)}\n[^]*${answer.source}[^]*\n›$`),
  )
  return screen.slice(screen.lastIndexOf(`› ${line}\n`))
}

test('files are listed and read in plain words, and their text is marked as the server’s', async () => {
  await say('connect filesystem', /Which folder may Filesystem use\?/)
  await say('~/notes', /Answer read or write\./)
  await say('write', /✓ Filesystem connected/)
  const listed = await say('list the files in ~/notes', /│ \[FILE\] todo\.txt/)
  assert.match(
    listed,
    /Using filesystem\.\w+\.\.\.\n {2}path: ".*\/notes"\n✓ filesystem\.\w+ completed/,
  )
  assert.match(await say('read ~/notes/todo.txt', /│ buy milk/), /Filesystem says:/)
})

test('MEMORY-2: a file is read and remembered, as the words of its server', async () => {
  await say('read ~/notes/todo.txt and remember it', /1 fact kept; `\/memory` shows them\./)
  await say('/memory', /1\. buy milk \(others' words, from filesystem\)/)
  await say('why do you know that?', /A flow kept it on /)
  await say('forget 1', /Forgotten: buy milk/)
})

test('a text that only a model can make is said to need one', async () => {
  const said = await say(
    'read ~/notes/todo.txt and sum it up',
    /That needs a model \("sum it up"\)/,
  )
  assert.doesNotMatch(said, /Using /)
})

test('a change asks; no leaves it, yes makes it', async () => {
  const line = 'write "hello" to ~/notes/hello.txt'
  await say(line, /Allow it\? y = yes, once/)
  await say('n', /All right, that was not done\./)
  assert.ok(!existsSync(path.join(notes, 'hello.txt')))
  await say(line, /Allow it\? y = yes, once/)
  await say('y', /✓ filesystem\.write_file completed/)
  assert.equal(readFileSync(path.join(notes, 'hello.txt'), 'utf8'), 'hello')
})

test('a yes in another window answers nothing here', async () => {
  const file = path.join(notes, 'window.txt')
  await say('write "here" to ~/notes/window.txt', /Allow it\? y = yes, once/)
  {
    const command = [...WITHOUT_NETWORK, ...commandLine(['chat'])]
    await using other = await openTerminal({ command, env: environmentFor(cordon.home) })
    await other.until(/(?:^|\n)›$/)
    await other.type('y')
    await other.press('Enter')
    await other.until(/› y\n[^]+\n›$/)
    assert.ok(!existsSync(file))
    await other.press('C-d')
    await other.ended()
  }
  await say('y', /✓ filesystem\.write_file completed/)
  assert.equal(readFileSync(file, 'utf8'), 'here')
})

test('a plan that worked is saved, and run by its name', async () => {
  await say('read ~/notes/todo.txt', /│ buy milk/)
  await say('save this as todo-list', /Saved as todo-list/)
  writeFileSync(path.join(notes, 'todo.txt'), 'buy tea\n')
  await say('run todo-list', /│ buy tea/)
  await say('when I say what is up, run todo-list', /I run todo-list\./)
  await say('what is up', /│ buy tea/)
})

test('a flow is scheduled in words, its result arrives by itself, and it is stopped', async () => {
  await say('run todo-list every blue moon at 8', /I did not understand the time/)
  const made = await say('run todo-list every minute', /`stop running todo-list` ends it/)
  assert.match(made, /todo-list runs every minute\. Next: .*The result comes to this machine/)
  await chat.until(/! todo-list ran \(\d\d:\d\d\)\.[^]*todo-list says:\n│ buy tea/)
  await say('schedules', /todo-list every minute, to this machine[^]*last result: to this machine/)
  await say('stop running todo-list', /It ran every minute\./)
  await say('run todo-list tomorrow at 8 and tell me on telegram', /is not paired/)
  await say('schedules', /Nothing runs by itself/)
})

test('a watch tells of a change, and is silent otherwise', async () => {
  await say(
    'tell me when ~/notes/todo.txt changes every 10 seconds',
    /every 10 seconds, and tell you/,
  )
  await say('watches', /1\. ~\/notes\/todo\.txt, every 10 seconds/)
  const stored = () =>
    ['state.db', 'state.db-wal'].some((file) =>
      /"nextAt":\d+,"hash":/.test(readFileSync(path.join(cordon.home, file), 'latin1')),
    )
  while (!stored()) await new Promise((resolve) => setTimeout(resolve, 200))
  assert.doesNotMatch(await chat.screen(), /todo\.txt changed/)
  writeFileSync(path.join(notes, 'todo.txt'), 'buy coffee\n')
  await chat.until(/! ~\/notes\/todo\.txt changed: /)
  await say('stop watching 1', /I no longer watch ~\/notes\/todo\.txt\./)
})

test('a fact is kept over a restart', async () => {
  await say('remember that my dentist is Dr. Adeyemi', /dentist is Dr\. Adeyemi/)
  await chat.press('C-d')
  await chat.ended()
  await chat[Symbol.asyncDispose]()
  await start()
  await say('what do you know about my dentist', /my dentist is Dr\. Adeyemi/)
})

test('a request that no tool fits is answered honestly, and nothing is called', async () => {
  const said = await say('book a table for two at eight', /I can’t/)
  assert.doesNotMatch(said, /Using /)
})

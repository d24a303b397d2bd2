/**
 * DEF-1, DEF-4: the servers of two projects in flows and in the chat, each in its own folder. They have the same name,
 * and answer with the name of their folder.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openCordon, root } from '../fixtures/cordon.ts'

const SENDER = readFileSync(path.join(root, 'test/fixtures/servers/sender.mjs'), 'utf8')
const cordon = openCordon()
const elsewhere = path.dirname(cordon.home)
const folderOf = (name: string): string => path.join(elsewhere, name)

before(async () => {
  for (const name of ['left', 'right']) {
    mkdirSync(path.join(folderOf(name), '.cordon/mcp'), { recursive: true })
    const program = SENDER.replace('JSON.stringify(sent)', JSON.stringify(`this is ${name}`))
    writeFileSync(path.join(folderOf(name), 'server.mjs'), program)
    define(name, 'helper')
  }
  chmodSync(elsewhere, 0o755)
  await cordon.ask(['up', '--detach'])
})
after(() => cordon[Symbol.asyncDispose]())

function define(folder: string, title: string): void {
  const text = `name = "${title}"\n[server]\ncommand = "node"\nargs = ["./server.mjs"]\n`
  writeFileSync(path.join(folderOf(folder), '.cordon/mcp/helper.toml'), text)
}

const FLOW = ['run', '--yes', 'helper.sent']
const inFolder = (name: string, args: readonly string[], stdin?: string) =>
  cordon.run(args, { cwd: folderOf(name), ...(stdin !== undefined && { stdin }) })

test('a flow and the chat use no server of a folder that nobody trusted', async () => {
  const run = await inFolder('left', FLOW)
  assert.notEqual(run.code, 0)
  assert.match(run.stderr, /helper/)
  const chat = await inFolder('left', ['chat'], 'list\nhelper.sent\n')
  assert.match(chat.stdout, /1 more of this folder are not used: nobody has trusted them/)
  assert.doesNotMatch(chat.stdout, /this is left/)
})

test('in a trusted folder a flow, its check and the chat call the server of that folder', async () => {
  for (const name of ['left', 'right']) {
    assert.equal((await inFolder(name, ['mcp', 'trust', '--yes'])).code, 0)
  }
  for (const name of ['left', 'right']) {
    const check = await inFolder(name, ['flow', 'check', 'helper.sent'])
    assert.equal(check.code, 0, check.stdout + check.stderr)
    const run = await inFolder(name, FLOW)
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stdout, new RegExp(`this is ${name}`))
    const below = path.join(folderOf(name), '.cordon')
    assert.equal((await cordon.run(FLOW, { cwd: below })).code, 0)
  }
  const away = await cordon.run(FLOW, { cwd: elsewhere })
  assert.notEqual(away.code, 0)
  assert.match(away.stderr, /helper/)
})

test('the chat lists the servers of its folder with their origin', async () => {
  const chat = await inFolder('right', ['chat'], 'list\n')
  assert.match(chat.stdout, /helper \(of this project\): /)
})

test('a flow that was saved in one folder never runs the server of another', async () => {
  const saved = await inFolder('left', ['flow', 'save', 'mine', 'helper.sent'])
  assert.equal(saved.code, 0, saved.stderr)
  assert.match((await inFolder('left', ['run', '--yes', 'mine'])).stdout, /this is left/)
  const other = await inFolder('right', ['run', '--yes', 'mine'])
  assert.notEqual(other.code, 0)
  assert.doesNotMatch(other.stdout, /this is right/)
})

test('a definition that changed is not run until it is trusted again', async () => {
  define('left', 'changed')
  assert.notEqual((await inFolder('left', FLOW)).code, 0)
  assert.match((await inFolder('right', FLOW)).stdout, /this is right/)
  await inFolder('left', ['mcp', 'trust', '--yes'])
  assert.match((await inFolder('left', FLOW)).stdout, /this is left/)
})

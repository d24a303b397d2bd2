/** Resources, prompts and log levels on the command line and in a flow, with real servers in their sandboxes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const FEATURES = path.join(root, 'test', 'fixtures', 'servers', 'features.mjs')
const everything = path.join(
  root,
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)

test('resources and prompts are listed, read and saved, and a read is in the audit log', async () => {
  await using cordon = openCordon()
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['mcp', 'add', 'notes', '--', process.execPath, FEATURES, 'legacy', 'notes'])
  const listed = await cordon.ask<Output<'mcp.resources'>>(['mcp', 'resources', 'notes'])
  assert.equal(listed.resources[0]?.['uri'], 'notes://note/one')
  assert.equal(listed.templates[0]?.['uriTemplate'], 'notes://note/{id}')
  const shown = await cordon.run(['mcp', 'resources', 'notes'])
  assert.match(shown.stdout, /^notes:\/\/note\/one +one +text\/plain +A note$/m)
  const read = await cordon.run(['mcp', 'read', 'notes', 'notes://note/one'])
  assert.equal(read.stdout, 'first note\n')
  const whole = await cordon.ask<Output<'mcp.call'>>(['mcp', 'read', 'notes', 'notes://note/one'])
  assert.ok(whole.kind === 'ok' && JSON.stringify(whole.value).includes('"contents"'))
  const place = path.join(cordon.home, '..', 'note.txt')
  await cordon.ask(['mcp', 'read', 'notes', 'notes://note/one', '--out', place])
  assert.equal(readFileSync(place, 'utf8'), 'first note')
  const picture = path.join(cordon.home, '..', 'note.png')
  await cordon.ask(['mcp', 'read', 'notes', 'notes://note/bytes', '--out', picture])
  assert.equal(readFileSync(picture).toString('base64'), 'iVBORw0KGgo=')
  const gone = await cordon.run(['mcp', 'read', 'notes', 'notes://note/none'])
  assert.notEqual(gone.code, 0)
  assert.match(gone.stdout, /There is no notes:\/\/note\/none/)
  const { records } = await cordon.ask<Output<'audit.read'>>([
    'audit',
    'search',
    '--kind',
    'call.*',
  ])
  assert.ok(JSON.stringify(records).includes('~read-resource'))
  const prompts = await cordon.run(['mcp', 'prompts', 'notes'])
  assert.match(prompts.stdout, /^greet +who=… +Greets somebody$/m)
  assert.match(prompts.stdout, /^It says: Read notes first/m)
  const prompt = await cordon.run(['mcp', 'prompt', 'notes', 'greet', 'who=Ada'])
  assert.match(prompt.stdout, /^user:\nSay hello to Ada$/m)
  const odd = await cordon.run(['mcp', 'prompt', 'notes', 'greet', 'Ada'])
  assert.equal(odd.code, 2)
  assert.match(odd.stderr, /name=value/)
})

test('a log level is set, and log messages are in the log', async () => {
  await using cordon = openCordon()
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['mcp', 'add', 'notes', '--', process.execPath, FEATURES, 'legacy', 'notes'])
  await cordon.ask(['mcp', 'logs', 'notes', '--level', 'error'])
  await cordon.ask(['mcp', 'call', 'notes.say', 'words=quiet'])
  await cordon.ask(['mcp', 'call', 'notes.say', 'words=loud', 'at=error'])
  await until(async () =>
    /log: error notes: loud/.test((await cordon.run(['mcp', 'logs', 'notes'])).stdout),
  )
  assert.doesNotMatch((await cordon.run(['mcp', 'logs', 'notes'])).stdout, /quiet/)
})

test('a flow reads a resource; a server with a tool of that name keeps it', async () => {
  await using cordon = openCordon()
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['mcp', 'add', 'all', '--', process.execPath, everything])
  await cordon.ask(['mcp', 'start', 'all'])
  const listed = await cordon.ask<Output<'mcp.resources'>>(['mcp', 'resources', 'all'])
  const uri = listed.resources[0]?.['uri'] as string
  const ran = await cordon.run(['mcp-all-read-resource', '--uri', uri])
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.ok(ran.stdout.includes(uri), ran.stdout)
  await cordon.ask(['mcp', 'add', 'notes', '--', process.execPath, FEATURES, 'legacy', 'notes'])
  await cordon.ask(['mcp', 'start', 'notes'])
  const real = await cordon.run(['mcp-notes-read-resource'])
  assert.match(real.stdout + real.stderr, /the real tool was asked/)
})

/** Edits by hand that count at the next start, and more servers than there are places, seen from a terminal. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon, root } from '../fixtures/cordon.ts'

const ECHO = path.join(root, 'test/fixtures/servers/echo.mjs')
const cordon: Cordon = openCordon()
const fileOf = (server: string): string => path.join(cordon.home, 'mcp', `${server}.toml`)

before(async () => {
  await cordon.ask(['up', '--detach'])
})
after(async () => {
  await cordon[Symbol.asyncDispose]()
})

async function stateOf(server: string): Promise<Output<'mcp.show'>['state']> {
  return (await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', server])).state
}

test('an edit by hand is told while the server runs, and counts after a restart', async () => {
  await cordon.ask(['mcp', 'add', 'it', '--', 'node', ECHO])
  await cordon.ask(['mcp', 'start', 'it'])
  const text = readFileSync(fileOf('it'), 'utf8')
  writeFileSync(fileOf('it'), `${text}\n[sandbox]\nmemory_limit = "300m"\n`)
  const { isOutdated } = await stateOf('it')
  assert.equal(isOutdated, true)
  const { stdout } = await cordon.run(['mcp', 'show', 'it'])
  assert.match(stdout, /runs as its file was before the last edit; `cordon mcp restart it`/)
  const before = (await stateOf('it')).pid
  await cordon.ask(['mcp', 'restart', 'it'])
  const state = await stateOf('it')
  assert.notEqual(state.pid, before)
  assert.equal(state.isOutdated, undefined)
  writeFileSync(fileOf('it'), text.replace('node', 'no-such-program'))
  const { stderr, code } = await cordon.run(['mcp', 'restart', 'it'])
  assert.notEqual(code, 0)
  assert.match(stderr, /no-such-program/)
})

test('of eleven servers every one answers: an idle one makes room', async () => {
  const names = Array.from({ length: 11 }, (_, index) => `s${index}`)
  for (const name of names) {
    writeFileSync(fileOf(name), `[server]\ncommand = "node"\nargs = [${JSON.stringify(ECHO)}]\n`)
  }
  await cordon.ask(['mcp', 'edit', 's0', '--title', 'first']) // reads all of them
  const calls = names.map((name) =>
    cordon.run(['mcp', 'call', `${name}.echo`, '{"text":"hi"}', '--yes']),
  )
  for (const { code, stderr } of await Promise.all(calls)) assert.equal(code, 0, stderr)
})

test('limits are set by option or in config.toml, and show says each with its origin', async () => {
  await cordon.ask([
    'mcp',
    'add',
    'bounded',
    '--start',
    'lazy',
    '--idle',
    '10m',
    '--',
    'node',
    ECHO,
  ])
  writeFileSync(
    path.join(cordon.home, 'config.toml'),
    '[limits]\ncall_timeout = "1m"\nidle = "1h"\n',
  )
  await cordon.ask(['mcp', 'edit', 'bounded', '--restarts', '0', '--memory', '1g'])
  const { stdout } = await cordon.run(['mcp', 'show', 'bounded'])
  assert.match(
    stdout,
    /limits +memory 1g \(its file\), idle 10m \(its file\), restarts 0 \(its file\), call timeout 1m \(config\.toml\)/,
  )
  const wrong = await cordon.run(['mcp', 'edit', 'bounded', '--idle', 'soon'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /limits\.idle: expected a time from "10s" to "720h", or "never"/)
  writeFileSync(path.join(cordon.home, 'config.toml'), '[limits]\nservers = "many"\n')
  const list = await cordon.run(['mcp', 'list'])
  assert.match(list.stdout, /problem: .*config\.toml:2: limits\.servers: expected a whole number/)
})

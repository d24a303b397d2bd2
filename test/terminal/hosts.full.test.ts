/** A server that is kept from a host while it works on a call: its owner is asked where they called, and decides. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const program = path.join(root, 'test', 'fixtures', 'servers', 'fetcher.mjs')
const QUESTION =
  /web tried to reach pages\.test, which it may not\.[^]*Allow web to reach pages\.test\? It can send there whatever it is given/
const URL_ARGUMENT = 'url=https://pages.test/'

test('mcp call asks about the host, adds it after a yes, and repeats only a read', async () => {
  await using cordon = openCordon()
  const domains = (): string => readFileSync(path.join(cordon.home, 'mcp', 'web.toml'), 'utf8')
  await cordon.ask(['mcp', 'add', 'web', '--allow', 'ok.test', '--', 'node', program])
  await cordon.ask(['mcp', 'start', 'web'])

  const piped = await cordon.run(['mcp', 'call', '--yes', 'web.get', URL_ARGUMENT, '--json'])
  const failed = JSON.parse(piped.stdout) as Extract<Output<'mcp.call'>, { kind: 'failed' }>
  assert.deepEqual(failed.blockedHosts, ['pages.test'])
  assert.match(
    failed.hint ?? '',
    /^Let web reach pages\.test with `cordon notices allow web:blocked`/,
  )
  const call = ['mcp', 'call', '--yes', 'web.get', URL_ARGUMENT]
  await using refusing = await openCommand(cordon, call, { columns: 200 })
  await refusing.until(QUESTION)
  await refusing.press('n')
  assert.notEqual(await refusing.ended(), 0)
  assert.doesNotMatch(domains(), /pages/)

  await using agreeing = await openCommand(cordon, call, { columns: 200 })
  await agreeing.until(QUESTION)
  await agreeing.press('y')
  await agreeing.until(
    /web may reach pages\.test from now on\.[^]*Run it again: it was not repeated/,
  )
  assert.notEqual(await agreeing.ended(), 0)
  assert.match(domains(), /allowed_domains = .*"pages\.test"/)
  const { notices } = await cordon.ask<Output<'notices.list'>>(['notices', '--all'])
  assert.deepEqual(notices, [])

  await cordon.ask(['tools', 'mark', 'web.get', 'read'])
  const other = ['mcp', 'call', 'web.get', 'url=https://other.test/']
  await using reading = await openCommand(cordon, other, { columns: 200 })
  await reading.until(/Allow web to reach other\.test\?/)
  await reading.press('y')
  await reading.ended()
  assert.match(await reading.scrollback(), /failed: fetch failed: (?!.*403)/)
  assert.doesNotMatch(await reading.scrollback(), /Run it again/)
})

test('a chat asks about the host as well, after the question about the call itself', async () => {
  await using cordon = openCordon()
  await cordon.ask(['mcp', 'add', 'web', '--allow', 'ok.test', '--', 'node', program])
  await cordon.ask(['mcp', 'start', 'web'])
  await using chat = await openCommand(cordon, ['chat'], { columns: 200 })
  const say = async (text: string): Promise<void> => {
    await chat.type(text)
    await chat.press('Enter')
  }
  await chat.until(/^›$/)
  await say(`web.get ${URL_ARGUMENT}`)
  await chat.until(/Allow it\? y = yes, once/)
  await say('y')
  await chat.until(QUESTION)
  await say('y')
  await chat.until(/web may reach pages\.test from now on\. Say it again/)
  assert.match(
    readFileSync(path.join(cordon.home, 'mcp', 'web.toml'), 'utf8'),
    /allowed_domains = .*"pages\.test"/,
  )
})

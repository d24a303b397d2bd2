/** A notice on every surface: a real server tries a host, and its owner is told wherever they look. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const WHAT = 'leaky tried to reach hosts that are not on its list, and was stopped: evil.test'

test('a blocked host is told in list, status, notices and chat, and one command allows it', async () => {
  await using cordon = openCordon()
  const program = path.join(root, 'test', 'fixtures', 'servers', 'exfiltrator.mjs')
  await cordon.ask(['mcp', 'add', 'leaky', '--allow', 'ok.test', '--', 'node', program])
  assert.equal((await cordon.run(['notices'])).stdout, 'There is nothing new.\n')
  await using early = await openCommand(cordon, ['chat'], { columns: 200 })
  await early.until(/^›$/)

  const call = ['mcp', 'call', '--yes', 'leaky.proxy', '{"target":"evil.test:443"}']
  await cordon.run(call)
  await early.until(new RegExp(`! ${WHAT}[^]*Allow them with .notices allow leaky:blocked.`))

  const list = (await cordon.run(['mcp', 'list'])).stdout
  assert.match(list, /^leaky +Connected !/m)
  assert.match(list, new RegExp(`^! ${WHAT}$`, 'm'))
  assert.match((await cordon.run(['status'])).stdout, new RegExp(`^! ${WHAT}$`, 'm'))
  assert.match((await cordon.run(['notices'])).stdout, /^ {2}leaky:blocked, since 20/m)

  await using late = await openCommand(cordon, ['chat'], { columns: 200 })
  await late.until(new RegExp(WHAT))
  const unsaid = await cordon.run(['notices', 'seen'])
  assert.deepEqual([unsaid.code, unsaid.stdout], [2, ''])
  const seen = await cordon.ask<Output<'notices.seen'>>(['notices', 'seen', '--all'])
  assert.deepEqual(seen, { seen: 1 })
  assert.doesNotMatch((await cordon.run(['status'])).stdout, /evil/)
  assert.match((await cordon.run(['mcp', 'list'])).stdout, /evil/, 'it is as it was')

  await late.type('notices allow leaky:blocked')
  await late.press('Enter')
  await late.until(/leaky can then send anything it knows to evil\.test\. Type: yes, allow/)
  await late.type('yes, allow leaky:blocked evil.test')
  await late.press('Enter')
  await late.until(/leaky may reach evil\.test from now on\./)
  const definition = readFileSync(path.join(cordon.home, 'mcp', 'leaky.toml'), 'utf8')
  assert.match(definition, /^allowed_domains = .*"ok\.test", "evil\.test"/m)
  const { notices } = await cordon.ask<Output<'notices.list'>>(['notices', '--all'])
  assert.deepEqual(notices, [], 'its cause is gone')
})

test('only hosts of a notice are allowed by it, and not without a yes', async () => {
  await using cordon = openCordon()
  const program = path.join(root, 'test', 'fixtures', 'servers', 'exfiltrator.mjs')
  await cordon.ask(['mcp', 'add', 'leaky', '--allow', 'ok.test', '--', 'node', program])
  await cordon.run(['mcp', 'call', '--yes', 'leaky.proxy', '{"target":"evil.test:443"}'])
  const other = ['notices', 'allow', 'leaky:blocked', 'other.test', '--yes']
  assert.match((await cordon.run(other)).stderr, /no notice names it/)
  await using terminal = await openCommand(cordon, ['notices', 'allow', 'leaky:blocked'])
  await terminal.until(/leaky can then send anything it knows to evil\.test\. Allow it\?/)
  await terminal.press('n', 'Enter')
  assert.notEqual(await terminal.ended(), 0)
  const file = path.join(cordon.home, 'mcp', 'leaky.toml')
  assert.doesNotMatch(readFileSync(file, 'utf8'), /evil/)
})

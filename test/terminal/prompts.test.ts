/** Questions that commands ask in a terminal: a yes to a tool call, a secret, a confirmation. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const SENDER = path.join(root, 'test', 'fixtures', 'servers', 'sender.mjs')
const SEND = ['mcp', 'call', 'sender.send', '{"to":"bob@work.example"}']
const TERMS = ['screen', 'dumb'] as const

const cordon = openCordon()
before(async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  await cordon.ask(['mcp', 'add', 'sender', '--allow', 'work.example', '--', 'node', SENDER])
  await cordon.ask(['mcp', 'start', 'sender'])
  await cordon.ask(['tools', 'mark', 'sender.sent', 'read'])
})
after(() => cordon[Symbol.asyncDispose]())

async function sent(): Promise<number> {
  const { stdout } = await cordon.run(['mcp', 'call', 'sender.sent'])
  return (JSON.parse(stdout) as readonly string[]).length
}

for (const term of TERMS) {
  test(`a tool call is allowed with y and with nothing else (TERM=${term})`, async () => {
    const before = await sent()
    for (const [keys, code] of [
      [['Enter'], 3],
      [['n', 'Enter'], 3],
      [['C-c'], 3],
      [['y', 'Enter'], 0],
    ] as const) {
      await using terminal = await openCommand(cordon, SEND, { term })
      await terminal.until(/why you are asked[^]*Allow it once\?/)
      await terminal.press(...keys)
      assert.equal(await terminal.ended(), code, `${keys.join(' ')}: ${await terminal.screen()}`)
      if (term === 'dumb') assert.ok(!terminal.written().includes('\u001b'))
    }
    assert.equal(await sent(), before + 1)
  })

  test(`a secret of several lines is taken whole and shown nowhere (TERM=${term})`, async () => {
    await using terminal = await openCommand(cordon, ['vault', 'set', `key-${term}`], { term })
    await terminal.until(/Value of key-\w+ \(hidden\):$/)
    await terminal.paste('first secret line\nsecond secret line\n', 'marked')
    await terminal.press('Enter')
    assert.equal(await terminal.ended(), 0)
    assert.match(await terminal.screen(), /\(hidden\):\n+Stored key-\w+\./)
    assert.doesNotMatch((await terminal.scrollback()) + terminal.written(), /secret line/)
    if (term === 'dumb') assert.ok(!terminal.written().includes('\u001b'))
  })
}

test('Ctrl-C at a hidden prompt of a command ends it, and nothing is stored', async () => {
  await using terminal = await openCommand(cordon, ['vault', 'set', 'never'])
  await terminal.until(/\(hidden\):$/)
  await terminal.type('a secret')
  await terminal.press('C-c')
  assert.equal(await terminal.ended(), 3)
  assert.match(await terminal.screen(), /\(hidden\):\ncordon: error: Cannot go on: you said no\n/)
  const { secrets } = await cordon.ask<Output<'vault.list'>>(['vault', 'list'])
  assert.ok(!secrets.some(({ name }) => name === 'never'))
})

test('a confirmation in a terminal that draws nothing takes a yes, and anything else is a no', async () => {
  for (const [answer, code] of [
    ['', 3],
    ['yeah', 3],
    ['yes', 0],
  ] as const) {
    const args = ['disconnect', 'sender']
    await using terminal = await openCommand(cordon, args, { term: 'dumb' })
    await terminal.until(/Disconnect "sender"\? .* \(y\/N\):$/)
    await terminal.type(answer)
    await terminal.press('Enter')
    assert.equal(await terminal.ended(), code)
    assert.ok(!terminal.written().includes('\u001b'))
  }
})

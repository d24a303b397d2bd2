/** The keys of a question in a terminal, and the screen with what the tools of a new server claim. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'servers', 'claimer.mjs')
const cordon = openCordon()
before(async () => {
  await cordon.ask(['mcp', 'add', 'claimer', '--allow', 'x.example', '--', 'node', FIXTURE])
  await cordon.ask(['mcp', 'start', 'claimer'])
})
after(() => cordon[Symbol.asyncDispose]())

const TERMS = ['screen', 'dumb'] as const
const LIST = ['mcp', 'call', 'claimer.list_notes']

for (const term of TERMS) {
  test(`? shows the rest of a question, and a allows the tool for good (TERM=${term})`, async () => {
    const { grants: given } = await cordon.ask<Output<'grants.list'>>(['grants', 'list'])
    for (const { id } of given) await cordon.ask(['grants', 'revoke', id])
    await cordon.run(['tools', 'mark', 'claimer', '--clear'])
    await using terminal = await openCommand(cordon, LIST, { term })
    await terminal.until(/Read with claimer[^]*says it only reads[^]*Allow it once\?/)
    assert.doesNotMatch(await terminal.screen(), /What leaves|asked 20|Change or delete/)
    await terminal.press(...(term === 'dumb' ? ['?', 'Enter'] : ['?']))
    await terminal.until(/Question [0-9a-f]+: pending[^]*Nothing leaves[^]*Allow it once\?/)
    await terminal.press(...(term === 'dumb' ? ['a', 'Enter'] : ['a']))
    assert.equal(await terminal.ended(), 0, await terminal.screen())
    assert.equal((await cordon.run(LIST)).code, 0, 'the second call is not asked about')
    const { grants } = await cordon.ask<Output<'grants.list'>>(['grants', 'list'])
    assert.deepEqual(
      grants.map(({ tool, grant }) => [tool, grant.kind]),
      [['list_notes', 'tool']],
    )
  })

  test(`the tools are taken as they say with y and with nothing else (TERM=${term})`, async () => {
    for (const [keys, taken] of [
      [['Enter'], 0],
      [['n', 'Enter'], 0],
      [['y', 'Enter'], 4],
    ] as const) {
      await cordon.run(['tools', 'mark', 'claimer', '--clear'])
      await using terminal = await openCommand(cordon, ['tools', 'mark', 'claimer'], { term })
      await terminal.until(/2 say they only read: list_notes[^]*! get_or_send[^]*Take them so\?/)
      await terminal.press(...keys)
      assert.equal(await terminal.ended(), 0, await terminal.screen())
      const list = ['tools', 'mark', 'claimer', '--list']
      const { tools } = await cordon.ask<Output<'tools.proposal'>>(list)
      assert.equal(tools.filter(({ by }) => by === 'mark').length, taken)
    }
  })
}

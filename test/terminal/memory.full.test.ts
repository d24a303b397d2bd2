/** Memory at a real prompt: a fact survives a restart, and a line that holds a credential is erased. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const cordon = openCordon()
before(() => cordon.ask(['up', '--detach']))
after(() => cordon[Symbol.asyncDispose]())

test('MEMORY-3: a fact is kept, and asked for after a restart', async () => {
  {
    await using terminal = await openCommand(cordon, ['chat'])
    await terminal.until(/^›$/)
    await terminal.type('remember that my dentist is Dr. Adeyemi')
    await terminal.press('Enter')
    await terminal.until(/I keep that as fact 1: my dentist is Dr\. Adeyemi\.\n›$/)
  }
  await cordon.ask(['down'])
  await cordon.ask(['up', '--detach'])
  await using terminal = await openCommand(cordon, ['chat'])
  await terminal.until(/^›$/)
  await terminal.type('what do you know about my dentist?')
  await terminal.press('Enter')
  await terminal.until(/\n1\. my dentist is Dr\. Adeyemi\n›$/)
})

test('MEMORY-1: a line with a credential is erased, and arrow up does not bring it back', async () => {
  await using terminal = await openCommand(cordon, ['chat'])
  await terminal.until(/^›$/)
  await terminal.type('remember that my wifi password is hunter2xyz')
  await terminal.press('Enter')
  await terminal.until(/memory is no place for one[^]*\n›$/)
  assert.doesNotMatch(await terminal.scrollback(), /hunter2xyz/)
  await terminal.press('Up')
  await terminal.type('!')
  await terminal.until(/!$/)
  assert.doesNotMatch(await terminal.scrollback(), /hunter2xyz/)
})

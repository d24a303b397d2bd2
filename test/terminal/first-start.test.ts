/** `npm start` on a machine without a Cordon home, as a person sees it. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { environmentFor, openCordon, root } from '../fixtures/cordon.ts'
import { commandLine, openCommand } from './open-command.ts'
import { openTerminal } from './terminal.ts'

test('the first start shows a prompt and answers; Ctrl-D leaves and stops it', async () => {
  await using cordon = openCordon()
  await using terminal = await openTerminal({
    command: [process.execPath, path.join(root, 'scripts', 'start.cjs')],
    env: environmentFor(cordon.home),
    cwd: root,
  })
  await terminal.until(/Type a message, or `exit` to leave\.\n›$/)
  await terminal.type('help')
  await terminal.press('Enter')
  await terminal.until(/› help\nconnect NAME .*\n[^]*\nexit +leave\n›$/)
  await terminal.press('C-d')
  assert.equal(await terminal.ended(), 0)
  assert.match(await terminal.screen(), /\n›\nStopping Cordon …\n/)
})

test('a chat that another terminal ends with `down` gives the terminal back', async () => {
  await using cordon = openCordon()
  await using terminal = await openCommand(cordon, ['up'])
  await terminal.until(/\n›$/)
  await terminal.type('half a li')
  await terminal.until(/› half a li$/)
  await cordon.ask(['down'])
  assert.equal(await terminal.ended(), 0)
  assert.match(await terminal.screen(), /› half a li\nStopping Cordon …\n/)
})

test('Ctrl-Z stops the whole job, also one behind a launcher; `fg` brings the half-typed line back', async () => {
  await using cordon = openCordon()
  await using terminal = await openTerminal({
    command: ['bash', '--norc', '--noprofile', '-i'],
    env: environmentFor(cordon.home, { PS1: 'shell ' }),
  })
  const words = commandLine(['up']).map((word) => `'${word}'`)
  await terminal.until(/shell$/)
  await terminal.type(`sh -c "${words.join(' ')}; true"`) // the launcher waits, as npm does
  await terminal.press('Enter')
  await terminal.until(/\n›$/)
  await terminal.type('sta')
  await terminal.until(/› sta$/)
  await terminal.press('C-z')
  await terminal.until(/Stopped .*\n(?:.*\n)*shell$/)
  await terminal.type('fg')
  await terminal.press('Enter')
  await terminal.until(/\n› sta$/)
  await terminal.type('tus')
  await terminal.press('Enter')
  await terminal.until(/› status\nCordon .* 0 servers.*\n.*\n›$/)
})

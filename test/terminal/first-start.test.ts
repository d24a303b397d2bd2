/** `npm start` on a machine without a Cordon home, as a person sees it. */
import assert from 'node:assert/strict'
import { existsSync, readlinkSync } from 'node:fs'
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
  await terminal.until(/Make the `cordon` command, as a link in ~\/\.local\/bin\? \(y\/N\)$/)
  await terminal.type('y')
  await terminal.press('Enter')
  await terminal.until(/Made\. ~\/\.local\/bin is not on your PATH yet/)
  const link = path.join(path.dirname(cordon.home), '.local', 'bin', 'cordon')
  assert.equal(readlinkSync(link), path.join(root, 'bin', 'cordon.cjs'))
  await terminal.until(
    /vault +none yet[^]*Try `connect filesystem`, or type `help`; `exit` leaves\.\n›$/,
  )
  await terminal.type('help')
  await terminal.press('Enter')
  await terminal.until(
    /› help\nSay what .*\n\n\/connect NAME .*\n[^]*\nexit +leave\n[^]*\nmark NAME\.TOOL .*\n›$/,
  )
  await terminal.press('C-d')
  assert.equal(await terminal.ended(), 0)
  assert.match(await terminal.screen(), /\n›\nStopping Cordon …\n/)
})

test('no link is made without a yes, and it is asked for once', async () => {
  await using cordon = openCordon()
  const start = () =>
    openTerminal({
      command: [process.execPath, path.join(root, 'scripts', 'start.cjs'), '--no-chat'],
      env: environmentFor(cordon.home),
      cwd: root,
    })
  await using first = await start()
  await first.until(/\(y\/N\)$/)
  await first.press('Enter')
  await first.until(/No link was made\.[^]*Press Ctrl-C to stop\.$/)
  await cordon.ask(['down'])
  assert.equal(await first.ended(), 0)
  await using second = await start()
  assert.doesNotMatch(await second.until(/Press Ctrl-C to stop\.$/), /Make the `cordon` command/)
  await cordon.ask(['down'])
  assert.equal(await second.ended(), 0)
  assert.ok(!existsSync(path.join(path.dirname(cordon.home), '.local')))
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

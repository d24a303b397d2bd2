import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConnectCommand } from './connect-command.ts'

test('parseConnectCommand() drops politeness and punctuation at the end', () => {
  for (const text of ['connect notion', 'connect my notion, please.', 'connect notion please!?']) {
    assert.equal(parseConnectCommand(text)?.rest, 'notion', text)
  }
  assert.equal(parseConnectCommand('connect please')?.rest, 'please')
  assert.equal(parseConnectCommand('connect ...'), undefined)
})

test('parseConnectCommand() comes to the end of a message so long that its square has none', () => {
  for (const filler of ['.', ' ', ' .', ', please ']) {
    parseConnectCommand(`connect a${filler.repeat(4_000_000 / filler.length)}b`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../text/test-linear.ts'
import { parseConnectCommand } from './connect-command.ts'

test('parseConnectCommand() drops politeness and punctuation at the end', () => {
  for (const text of [
    'connect notion',
    '/connect notion',
    'connect my notion, please.',
    'connect notion please!?',
  ]) {
    assert.equal(parseConnectCommand(text)?.rest, 'notion', text)
  }
  assert.equal(parseConnectCommand('connect please')?.rest, 'please')
  assert.equal(parseConnectCommand('connect ...'), undefined)
})

test('parseConnectCommand() runs in linear time', () => {
  assertLinear(['.', ' ', ' .', ', please '], 4_000_000, (filler) =>
    parseConnectCommand(`connect a${filler}b`),
  )
})

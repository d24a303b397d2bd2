import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandWords } from './command-words.ts'

test('R185: a command line is split as a shell would', () => {
  const rows: readonly (readonly [string, ReturnType<typeof commandWords>])[] = [
    [
      'node /srv/my\\ files/index.js --name "a b" \'c d\'',
      ['node', '/srv/my files/index.js', '--name', 'a b', 'c d'],
    ],
    ['  mcp-github  ', ['mcp-github']],
    ['a ""', ['a', '']],
    ['', []],
    ['node "x', 'open-quote'],
    ['a | b', 'needs-shell'],
    ['a "$(b)"', 'needs-shell'],
    ["a '$(b)'", ['a', '$(b)']],
  ]
  for (const [line, words] of rows) assert.deepEqual(commandWords(line), words, line)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inChatWords } from './in-chat-words.ts'

test('inChatWords() shows what can be typed in a chat, and where the rest is typed', () => {
  const shown = {
    'Run `cordon connect github`': 'Say `connect github`',
    'Run `cordon connect "npx PACKAGE"` for it': 'Say `connect npx PACKAGE` for it',
    'then run `cordon vault unlock`': 'then say `unlock`',
    'Run `cordon disconnect notion` first': 'Say `remove notion` first',
    'see `cordon mcp list`': 'see `list`',
    'Run `cordon mcp logs x`, then wait': 'Run `cordon mcp logs x` in another terminal, then wait',
    'Run `cordon connect x --again`': 'Run `cordon connect x --again` in another terminal',
    'Run `npm test`': 'Run `npm test`',
    'Run `cordon profiles use NAME`': 'Say `/profiles use NAME`',
    'see `cordon tools list`': 'see `/tools`',
    'no command': 'no command',
  }
  for (const [text, words] of Object.entries(shown)) assert.equal(inChatWords(text), words)
})

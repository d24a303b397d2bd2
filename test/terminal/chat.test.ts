/** The chat prompt, key by key: Ctrl-C, Ctrl-D, arrow up, pastes, another width, a dumb terminal. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { openCommand } from './open-command.ts'
import type { Terminal } from './terminal.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const LEAVE = /Press Ctrl-C again to leave\.\n›$/
const NOTHING = 'Nothing is connected yet. Try: connect notion'

const cordon = openCordon()
before(() => cordon.ask(['up', '--detach']))
after(() => cordon[Symbol.asyncDispose]())

async function openChat(options: { term?: string; columns?: number } = {}): Promise<Terminal> {
  const terminal = await openCommand(cordon, ['chat'], options)
  await terminal.until(/^›$/)
  return terminal
}

async function say(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line)
  await terminal.press('Enter')
}

test('Ctrl-C clears a half-typed line and says what another one does; the second leaves', async () => {
  await using terminal = await openChat()
  await terminal.type('half a line')
  await terminal.until(/^› half a line$/)
  await terminal.press('C-c')
  assert.equal(await terminal.until(LEAVE), 'Press Ctrl-C again to leave.\n›')
  await terminal.press('C-c')
  assert.equal(await terminal.ended(), 0)
})

test('whoever goes on after a Ctrl-C is warned again before another one leaves', async () => {
  await using terminal = await openChat()
  await terminal.press('C-c')
  await terminal.until(LEAVE)
  await say(terminal, 'list')
  await terminal.until(new RegExp(`› list\n${NOTHING}\n›$`))
  await terminal.press('C-c')
  await terminal.until(new RegExp(`${NOTHING}\n${LEAVE.source}`))
  await terminal.press('C-c')
  assert.equal(await terminal.ended(), 0)
})

test('Ctrl-D leaves from an empty line, and from no other', async () => {
  await using terminal = await openChat()
  await terminal.type('lisst')
  await terminal.press('Left', 'Left', 'C-d', 'Enter')
  await terminal.until(new RegExp(`› list\n${NOTHING}\n›$`))
  await terminal.press('C-d')
  assert.equal(await terminal.ended(), 0)
})

test('arrow up brings the previous line back, and never a secret', async () => {
  await using terminal = await openChat()
  await say(terminal, 'list')
  await terminal.until(new RegExp(`${NOTHING}\n›$`))
  await say(terminal, TOKEN)
  await terminal.until(/That looks like a token of Notion[^]*\n›$/)
  assert.doesNotMatch(await terminal.scrollback(), /Good1234/)
  await terminal.press('Up')
  await terminal.until(/\n› list$/)
  await terminal.press('Up', 'Up')
  await terminal.type('!')
  await terminal.until(/!$/)
  assert.doesNotMatch(await terminal.scrollback(), /Good1234/)
})

test('a marked paste of several lines is one message, shown by its size, and none of its lines is a command', async () => {
  await using terminal = await openChat()
  await terminal.type('hello ')
  await terminal.paste('status\nlist\n', 'marked')
  await terminal.until(/^› hello \[pasted 2 lines\]$/)
  await terminal.press('Enter')
  const screen = await terminal.until(/\n›$/)
  assert.doesNotMatch(screen, /vault|Nothing is connected/)
})

test('of several pasted lines each is answered in its turn, and one that did not end waits', async () => {
  await using terminal = await openChat()
  await terminal.paste('list\nstatus\nlist\nhel', 'plain')
  const status = 'Cordon .*\npage: .*'
  await terminal.until(
    new RegExp(`^› list\n${NOTHING}\n› status\n${status}\n› list\n${NOTHING}\n› hel$`),
  )
  await say(terminal, 'p')
  await terminal.until(/› help\nSay what you want[^]*\n\/connect NAME/)
})

test('a half-typed line stays whole when the terminal becomes narrower and wider', async () => {
  await using terminal = await openChat({ columns: 90 })
  await say(terminal, 'help')
  const before = (await terminal.until(/say what one tool does\n›$/)).slice(0, -1)
  let line = 'abcdefghij'.repeat(25)
  await terminal.type(line)
  await terminal.until(/ghij$/)
  for (const columns of [60, 120, 40]) {
    const drawn = drawings(terminal)
    await terminal.resize(columns, 40)
    await until(() => drawings(terminal) > drawn)
    await terminal.type('!')
    line += '!'
    await terminal.until(new RegExp(`j${line.replace(/[a-j]/g, '')}$`))
    assert.equal(await terminal.scrollback(), `${before}› ${line}`)
  }
  await terminal.press('Enter')
  await terminal.until(/!!!\nI can’t [^]*\n›$/)
})

/** How often the whole line was redrawn. */
function drawings(terminal: Terminal): number {
  return terminal.written().split('\u001b[0J').length
}

test('Tab completes a command, shows which ones could be meant, and is a character elsewhere', async () => {
  await using terminal = await openChat()
  await terminal.type('/pro')
  await terminal.press('Tab')
  await terminal.until(/^› \/profiles$/)
  await terminal.press('Enter')
  await terminal.until(/\nNo model is set up\.[^]*\n›$/)
  await terminal.type('/')
  await terminal.press('Tab')
  await terminal.until(/\n\/connect {2}\/tools {2}\/flows .*\n› \/$/)
  await terminal.type('fl')
  await terminal.press('Tab', 'Enter')
  await terminal.until(/› \/flows\nNo flow is saved yet\..*\n›$/)
  await terminal.type('a')
  await terminal.press('Tab')
  await terminal.type('b')
  await terminal.until(/\n› a +b$/)
})

test('other scripts and emoji are edited as people see them', async () => {
  await using terminal = await openChat()
  await terminal.type('naïve 日本👍')
  await terminal.press('BSpace', 'Left')
  await terminal.type('語')
  await terminal.until(/^› naïve 日語本$/)
})

test('a very long line is taken in one piece', async () => {
  await using terminal = await openChat()
  await terminal.paste(`${'long '.repeat(10_000)}end`, 'plain')
  await terminal.until(/end$/)
  await terminal.press('Enter')
  await terminal.until(/end\nYou pasted a text/)
})

test('Ctrl-C stops waiting for an answer; the lines typed meanwhile are dropped', async () => {
  const slow = path.join(root, 'test', 'fixtures', 'servers', 'slow.mjs')
  await cordon.ask(['mcp', 'add', 'slow', '--', 'node', slow])
  await cordon.ask(['mcp', 'start', 'slow'])
  await cordon.ask(['tools', 'mark', 'slow.sleep', 'read'])
  await using terminal = await openChat()
  await say(terminal, 'slow.sleep ms=3600000')
  await say(terminal, 'help')
  await terminal.press('C-c')
  await terminal.until(/^› slow\.sleep .*\nStopped waiting for the answer\. .*to leave\.\n›$/)
  await say(terminal, 'list')
  await terminal.until(/› list\nslow: connected, 1 tools\n›$/)
  await cordon.ask(['disconnect', 'slow', '--yes'])
})

test('a terminal that draws nothing gets no escape sequence, and lines can be mended there', async () => {
  await using terminal = await openChat({ term: 'dumb' })
  await terminal.type('lisst')
  await terminal.press('BSpace', 'BSpace')
  await terminal.type('t')
  await terminal.press('Enter')
  await terminal.until(new RegExp(`^› list\n${NOTHING}\n›$`))
  await say(terminal, TOKEN)
  await terminal.until(/still on your screen[^]*That looks like a token of Notion/)
  await terminal.type('half a line')
  await terminal.press('C-c')
  await terminal.until(/\nPress Ctrl-C again to leave\.\n›$/)
  await terminal.press('C-c')
  assert.equal(await terminal.ended(), 0)
  assert.ok(!terminal.written().includes('\u001b'))
})

test('SETUP-1: pasted settings of another client are one message: their server runs, their token is wiped', async () => {
  await using terminal = await openChat()
  const script = path.join(root, 'test/fixtures/servers/echo.mjs')
  const entry = { command: 'node', args: [script], env: { ECHO_TOKEN: TOKEN } }
  await terminal.paste(`${JSON.stringify({ mcpServers: { echo: entry } }, null, 2)}\n`, 'plain')
  const screen = await terminal.until(/✓ echo: 6 tools available\.\n›$/)
  assert.match(screen, /Its token is in the vault as echo\/ECHO_TOKEN\./)
  assert.ok(!screen.includes(TOKEN))
  await terminal.press('Up')
  await terminal.until(/›$/)
  await cordon.run(['mcp', 'remove', 'echo', '--yes'])
})

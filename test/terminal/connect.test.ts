/**
 * A secret typed into the chat: nothing of it is ever on the screen, in the scrollback or in the bytes that were written.
 * The kernel runs in the same process as the first chat, as after `npm start`.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepareCordonIn } from '../fixtures/connected-cordon.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { openCommand } from './open-command.ts'
import type { Terminal } from './terminal.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const WORK = `ntn_${'Work5678'.repeat(6)}`
const ASKED = /\nNotion token \(hidden\):$/
const OFFER = 'I can search pages, .* Want me to test with a search\\?'
const CONNECTED = new RegExp(`✓ Notion connected\\. 24 tools available\\.\n${OFFER}\n›$`)

const notion = createNotion(TOKEN)
const atWork = createNotion(WORK, 'Acme "Inc\u001b[31m')
const world = await openOutsideWorld({
  [NOTION_HOST](request, response) {
    const isWork = request.headers.authorization === `Bearer ${WORK}`
    return (isWork ? atWork : notion).answer(request, response)
  },
})
const cordon = await prepareCordonIn(world, 'notion')
let chat: Terminal
before(async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile', '--no-daemon'])
  chat = await openCommand(cordon, ['up'], { world })
  await chat.until(/\n›$/)
})
after(async () => {
  await chat[Symbol.asyncDispose]()
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function say(line: string): Promise<void> {
  await chat.type(line)
  await chat.press('Enter')
}

async function disconnect(): Promise<void> {
  await say('yes, remove notion')
  await chat.until(/Notion is removed, with its credentials\.\n›$/)
}

async function assertUnseen(...secrets: readonly RegExp[]): Promise<void> {
  const seen = (await chat.scrollback()) + chat.written()
  for (const secret of secrets) assert.doesNotMatch(seen, secret)
}

test('a pasted token connects, is nowhere to be seen, and the chat goes on', async () => {
  await say('connect notion')
  await chat.until(ASKED)
  await chat.paste(`${TOKEN}\n`, 'marked') // with the line break of the copied line
  await chat.press('Enter')
  await chat.until(CONNECTED)
  await say('list')
  await chat.until(/› list\nnotion: connected, 24 tools\n›$/)
  await chat.press('Up', 'Up')
  await chat.until(/\n› connect notion$/)
  await chat.press('C-u')
  await assertUnseen(/Good1234/)
  await disconnect()
})

test('yes to the offer searches what was just connected', async () => {
  await say('connect notion')
  await chat.until(ASKED)
  await chat.paste(TOKEN, 'marked')
  await chat.press('Enter')
  await chat.until(CONNECTED)
  const before = notion.asked.length
  await say('yes')
  await chat.until(/│ \}\n›$/)
  const said = (await chat.scrollback()).split('Want me to test with a search?\n').at(-1) ?? ''
  assert.match(said, /^› yes\nUsing notion\.API-post-search\.\.\.\n✓ .* completed\nNotion says:\n/)
  assert.deepEqual(notion.asked.slice(before), ['POST /v1/search 200'])
  await disconnect()
})

test('two accounts of one service: each asked for its own token, listed, called and removed by its own name', async () => {
  for (const [line, title, token] of [
    ['connect notion', 'Notion', TOKEN],
    ['connect notion as work', 'Notion (work)', WORK],
  ] as const) {
    await say(line)
    await chat.until(new RegExp(`\\n${title.replace(/[()]/g, '\\$&')} token \\(hidden\\):$`))
    await chat.paste(token, 'marked')
    await chat.press('Enter')
    await chat.until(
      / connected\. 24 tools available\.(?:\nConnected as `notion-work`\.\n.*)?\nI can .*\n›$/,
    )
  }
  assert.match(
    await chat.scrollback(),
    /The provider says that the account is "Acme \\"Inc\[31m"\.\n/,
  )
  const shown = await cordon.run(['mcp', 'show', 'notion-work'])
  assert.match(shown.stdout, /^account +"Acme \\"Inc\[31m", as the provider says$/m)
  await say('list')
  await chat.until(/notion: connected, 24 tools\nnotion-work: connected, 24 tools\n›$/)
  const before = atWork.asked.length
  await say('notion-work.API-get-self')
  await chat.until(/› notion-work\.API-get-self\n[^›]*Cordon[^›]*\n›$/)
  assert.ok(atWork.asked.length > before, 'it went out with the token of that account')
  await say('yes, remove notion-work')
  await chat.until(/Notion \(work\) is removed, with its credentials\.\n›$/)
  await say('list')
  await chat.until(/› list\nnotion: connected, 24 tools\n›$/)
  await say('notion.API-get-self')
  await chat.until(/› notion\.API-get-self\n[^›]*Cordon[^›]*\n›$/)
  await assertUnseen(/Good1234/, /Work5678/)
  await disconnect()
})

test('a token can be typed too, mended, and the terminal resized meanwhile', async () => {
  await say('connect notion')
  await chat.until(ASKED)
  await chat.type('something else')
  await chat.press('C-u')
  await chat.type(TOKEN.slice(0, 20))
  await chat.resize(50, 40)
  await chat.type(`${TOKEN.slice(20)}x`)
  await chat.resize(100, 40)
  await chat.press('BSpace', 'Enter')
  await chat.until(CONNECTED)
  await assertUnseen(/Good1234/, /something else/)
  await disconnect()
})

test('Ctrl-C at a hidden prompt drops what was typed, and another one leaves', async () => {
  await using second = await openCommand(cordon, ['chat'], { world })
  await second.until(/^›$/)
  await second.type('connect notion')
  await second.press('Enter')
  await second.until(ASKED)
  await second.type(TOKEN)
  await second.press('C-c')
  await second.until(
    /\(hidden\):\nPress Ctrl-C again to leave, or type `cancel` to stop connecting\.\nNotion token \(hidden\):$/,
  )
  await second.press('C-c')
  assert.equal(await second.ended(), 0)
  assert.doesNotMatch((await second.scrollback()) + second.written(), /Good1234/)
  await say('')
  await chat.until(ASKED)
  await say('cancel')
  await chat.until(/Notion setup cancelled\.\n›$/)
})

test('what was typed in hiding cannot be brought back at the next prompt', async () => {
  await say('connect notion')
  await chat.until(ASKED)
  await chat.type(TOKEN)
  await chat.press('C-u')
  await say('cancel')
  await chat.until(/Notion setup cancelled\.\n›$/)
  await chat.press('C-y', 'C-_') // yank, undo
  await chat.type('!')
  await chat.until(/\n› .*!/)
  await assertUnseen(/Good1234/)
  await chat.press('C-e', 'C-u')
})

const PASTES = {
  // A line break at the end of a marked paste does not end the line.
  marked: [`${TOKEN}\n`, 'help\nmy other secret'],
  plain: [`${TOKEN}\nhelp\nmy other secret`],
} as const

for (const how of ['marked', 'plain'] as const) {
  test(`of a ${how} paste of several lines nothing is shown or sent when a secret is asked for`, async () => {
    await say('connect notion')
    await chat.until(ASKED)
    for (const text of PASTES[how]) await chat.paste(text, how)
    await chat.press('Enter')
    await chat.until(
      /\(hidden\):\nThose were several lines, so nothing was sent\. .*\nNotion token \(hidden\):$/,
    )
    await say('cancel')
    await chat.until(/Notion setup cancelled\.\n›$/)
    await assertUnseen(/Good1234/, /my other secret/, /connect NAME/)
  })
}

test('a token pasted together with the lines around it is hidden, and each line is answered', async () => {
  await chat.paste(`connect notion\n${TOKEN}\nlist\n`, 'plain')
  await chat.until(/24 tools available\.\nI can .*\n› list\nnotion: connected, 24 tools\n›$/)
  await assertUnseen(/Good1234/)
  await disconnect()
})

test('Ctrl-C in the middle of connecting gives the prompt back, and the rest is told above it', async () => {
  const typedOn = Promise.withResolvers<void>()
  notion.hold = () => typedOn.promise
  await say('connect notion')
  await chat.until(ASKED)
  await chat.paste(TOKEN, 'marked')
  await chat.press('Enter')
  await chat.until(/Credential stored\. Connecting to Notion\.\.\.\n/)
  await chat.press('C-c')
  await chat.until(/Stopped waiting for the answer\. [^]*\n›$/)
  const line = `half typed, ${'and longer than a row, '.repeat(6)}`.trim()
  await chat.type(line)
  await chat.until(/longer than a row,$/)
  typedOn.resolve()
  await chat.until(/✓ Notion connected\. 24 tools available\.\nI can .*\n› half typed[^]*row,$/)
  const seen = await chat.scrollback()
  assert.equal(seen.split('half typed').length, 2, seen)
  assert.ok(seen.endsWith(`\n› ${line}`), seen)
  await assertUnseen(/Good1234/)
  await chat.press('C-u')
  await say('exit')
  assert.equal(await chat.ended(), 0)
})

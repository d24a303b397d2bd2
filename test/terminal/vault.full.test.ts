/** The vault where it is first needed, as a person meets it: how it is protected is asked once, and a locked one opens. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepareCordonIn } from '../fixtures/connected-cordon.ts'
import type { VaultStatus } from '../../src/kernel/vault-status.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { openCommand } from './open-command.ts'
import type { Terminal } from './terminal.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const PASSPHRASE = 'correct horse battery'

const world = await openOutsideWorld({ [NOTION_HOST]: createNotion(TOKEN).answer })
const cordon = await prepareCordonIn(world, 'notion')
const open = (...words: readonly string[]) => openCommand(cordon, words, { world })
before(async () => {
  await cordon.ask(['up', '--detach'])
})
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function say(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line)
  await terminal.press('Enter')
}

const lock = () => cordon.ask<VaultStatus>(['vault', 'lock'])

async function assertUnseen(terminal: Terminal): Promise<void> {
  const seen = (await terminal.scrollback()) + terminal.written()
  assert.doesNotMatch(seen, /Good1234|correct horse/)
}

test('SETUP-1: in the chat the first credential asks how it is protected; a short passphrase is refused at once', async () => {
  await using chat = await open('chat')
  await chat.until(/^›$/)
  await say(chat, 'connect notion')
  await chat.until(/How is its key protected\?[^]*\n {2}keyfile +in a file beside it: .*\n›$/)
  await say(chat, 'passphrase')
  await chat.until(/New passphrase \(at least 8 characters\) \(hidden\):$/)
  await say(chat, 'short')
  await chat.until(/That is shorter than 8 characters\.\nNew passphrase .*\(hidden\):$/)
  await say(chat, PASSPHRASE)
  await chat.until(/The same passphrase again \(hidden\):$/)
  await say(chat, PASSPHRASE)
  await chat.until(/The vault is open \(key: passphrase\)\.\n[^]*\nNotion token \(hidden\):$/)
  await say(chat, TOKEN)
  await chat.until(/✓ Notion connected\. 24 tools available\.\nI can .*\n›$/)
  await assertUnseen(chat)
})

test('a call in the chat that needs a locked vault asks for the passphrase, and is then made', async () => {
  assert.equal((await lock()).state, 'locked')
  await cordon.ask(['mcp', 'stop', 'notion'])
  await using chat = await open('chat')
  await chat.until(/^›$/)
  await say(chat, 'notion.API-get-self')
  await chat.until(/The vault is locked\..*\nPassphrase of the vault \(hidden\):$/)
  await say(chat, 'the wrong one')
  await chat.until(/Cannot unlock the vault with this passphrase\.[^]*\nPassphrase .*\(hidden\):$/)
  await say(chat, PASSPHRASE)
  await chat.until(/The vault is open[^]*"object": "user"[^]*\n›$/)
  await assertUnseen(chat)
})

test('on the command line, too: a call, and a connection', async () => {
  await lock()
  await cordon.ask(['mcp', 'stop', 'notion'])
  await using call = await open('mcp', 'call', 'notion.API-get-self')
  await call.until(/Passphrase of the vault \(hidden\):$/)
  await say(call, 'the wrong one')
  await call.until(/That is not the passphrase\.\nPassphrase of the vault \(hidden\):$/)
  await say(call, PASSPHRASE)
  assert.equal(await call.ended(), 0)
  await lock()
  await using connect = await open('connect', 'notion')
  await connect.until(/Passphrase of the vault \(hidden\):$/)
  await say(connect, PASSPHRASE)
  await connect.until(/✓ Notion connected\. 24 tools available\./)
  await assertUnseen(connect)
})

test('a forgotten passphrase: the vault is set aside after a yes, and the next connection makes a new one', async () => {
  await using reset = await open('vault', 'reset')
  await reset.until(/Set the vault aside\? Cordon loses notion_token: each service/)
  await reset.press('y')
  await reset.until(/The old vault is in .*vault-set-aside-/)
  assert.equal(await reset.ended(), 0)
  assert.equal((await cordon.ask<VaultStatus>(['vault', 'status'])).state, 'absent')
  await using locking = await open('vault', 'lock')
  await locking.until(/There is no vault to lock\./)
  await using connect = await open('connect', 'notion')
  await connect.until(/How is its key protected\?/)
  await connect.press('f')
  await connect.until(/Notion token \(hidden\):$/)
  await say(connect, TOKEN)
  await connect.until(/✓ Notion connected\. 24 tools available\./)
  await assertUnseen(connect)
})

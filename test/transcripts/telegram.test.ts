/** Telegram with the real command line and kernel: a bot is added, an account paired, credentials deleted. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { prepareCordonIn } from '../fixtures/connected-cordon.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { BOT_TOKEN, TELEGRAM_HOST, TelegramServer } from '../fixtures/telegram-server.ts'
import { until } from '../fixtures/until.ts'

const ADA = 4242
const NOTION_TOKEN = `ntn_${'Q7x9Lm2v'.repeat(6)}`

function holdsAnywhere(folder: string, text: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath, file.name))
    .filter((file) => readFileSync(file).includes(text))
}

test('CHAT-5: a credential in a message is deleted, or the person told, and the next start tries again', async () => {
  const server = new TelegramServer()
  await using world = await openOutsideWorld({ [TELEGRAM_HOST]: server.answer })
  await using cordon = await prepareCordonIn(world)
  await cordon.ask(['up', '--detach'])

  const none = await cordon.run(['channels', 'pair', 'telegram'])
  assert.equal(none.code, 2)
  assert.match(none.stderr, /hint: Run `cordon channels add telegram` first/)
  const wrong = await cordon.run(['channels', 'add', 'telegram'], { stdin: 'no token\n' })
  assert.equal(wrong.code, 2)
  const added = await cordon.run(['channels', 'add', 'telegram'], { stdin: `${BOT_TOKEN}\n` })
  assert.match(added.stdout, /@cordon_test_bot is added/)
  const { code } = await cordon.ask<Output<'channels.pair'>>(['channels', 'pair', 'telegram'])
  server.write(777, 'let me in')
  server.write(ADA, code)
  await server.said(ADA, /This chat is yours now/)
  const tested = await cordon.run(['channels', 'test', 'telegram'])
  assert.match(tested.stdout, /a line was sent to Ada/)
  const listed = await cordon.run(['channels', 'list'])
  assert.match(listed.stdout, /telegram: on, @cordon_test_bot\n\s+4242\s+Ada\s+you/)

  server.write(ADA, 'connect notion')
  const asked = await server.said(ADA, /I need your Notion/)
  assert.match(asked.text, /in a private chat only. I'll delete the message immediately/)
  const { message: pasted } = server.write(ADA, NOTION_TOKEN)
  await until(() => server.deleted.includes(`${ADA}/${pasted}`))
  server.write(ADA, 'cancel')
  await server.said(ADA, /[Cc]ancelled/)

  server.keepsMessages = true
  const { message: kept } = server.write(ADA, NOTION_TOKEN)
  await server.said(ADA, /That looks like a token of Notion[^]*Couldn't delete/)
  await cordon.run(['down'])
  server.keepsMessages = false
  await cordon.ask(['up', '--detach'])
  await until(() => server.deleted.includes(`${ADA}/${kept}`))

  assert.deepEqual(holdsAnywhere(cordon.home, NOTION_TOKEN), [])
  assert.deepEqual(holdsAnywhere(cordon.home, BOT_TOKEN), [])
  assert.deepEqual(
    server.sent.filter(({ chat, text }) => chat === '777' || text.includes(NOTION_TOKEN)),
    [],
  )
  const gone = await cordon.run(['channels', 'remove', 'telegram', '--yes'])
  assert.equal(gone.code, 0)
  const { channels } = await cordon.ask<Output<'channels.list'>>(['channels', 'list'])
  assert.deepEqual(channels, [{ channel: 'telegram', state: 'off', people: [] }])
})

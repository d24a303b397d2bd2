/** Settings of other clients, `npx` lines and addresses, sent as messages without "connect" in front. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { ImportReport, ImportRequest } from '../../src/kernel/import-report.ts'
import type { Message } from '../../src/kernel/receive.ts'
import { openChat } from './fake-chat.ts'
import { messageIn, NEVER } from './fake-world.ts'

const SETTINGS = '{"mcpServers": {"it": {"command": "npx", "args": ["x"]}}}'
const REPORT: ImportReport = {
  id: 'i1',
  format: 'mcp.json',
  dryRun: false,
  servers: [
    {
      server: 'it',
      path: '/it.toml',
      action: 'created',
      runs: 'npx x',
      movedSecrets: ['it/TOKEN'],
      notes: [],
    },
    {
      server: 'time',
      path: '/time.toml',
      action: 'created',
      runs: 'uvx t',
      missing: 'It waits.',
      movedSecrets: [],
      notes: [],
    },
  ],
  problems: [{ path: 'x', message: 'server "sh": it names a program' }],
  notes: [],
}

async function paste(parts: Partial<Message> = {}, text: string = SETTINGS) {
  const requests: ImportRequest[] = []
  const chat = openChat()
  const { definitions } = chat.world.rooms()
  const migrate = async (request: ImportRequest) => {
    requests.push(request)
    return REPORT
  }
  const setup = chat.world.open({ definitions: { ...definitions, migrate } })
  const reply = await setup.take(messageIn(chat.world, text, parts), NEVER)
  return { reply, requests, kept: [...chat.world.chat.values()] }
}

test('SETUP-2: pasted settings are imported, and the message that held a token is deleted', async () => {
  const { reply, requests, kept } = await paste()
  assert.deepEqual(reply, {
    kind: 'text',
    text: 'it is added. It runs: npx x\n  Its token is in the vault as it/TOKEN.\ntime is added. It runs: uvx t\n  It cannot run yet. It waits.\nLeft out: server "sh": it names a program',
    wasSecret: true,
    starting: ['it'],
  })
  assert.deepEqual(kept, [])
  assert.deepEqual(
    requests.map(({ text, dryRun, onlyPackages }) => [text, dryRun, onlyPackages]),
    [[SETTINGS, false, true]],
  )
})

test('WEB-6: only settings that were typed at a terminal may name a program of this machine', async () => {
  const { requests } = await paste({ isTyped: true }, `connect ${SETTINGS}`)
  assert.deepEqual(
    requests.map(({ text, onlyPackages }) => [text, onlyPackages]),
    [[SETTINGS, false]],
  )
})

test('in a group nothing is imported, and the message is deleted all the same', async () => {
  const { reply, requests, kept } = await paste({ isGroup: true })
  assert.match(reply?.kind === 'text' ? reply.text : '', /private chat/)
  assert.deepEqual([requests, kept], [[], []])
})

test('a line or an address alone is connected', async () => {
  const { setup, send } = openChat({ catalog: createCatalog() })
  await send('npx -y @acme/tracker')
  assert.equal(setup.view()?.title, '@acme/tracker')
  await send('https://mcp.example.com/mcp')
  assert.equal(setup.view()?.title, 'mcp.example.com')
})

test('a sentence that begins like a line is left to the chat', async () => {
  const { send } = openChat()
  for (const text of ['yarn is what I knit with', 'docker is down', 'see https://a.example']) {
    assert.equal(await send(text), undefined, text)
  }
})

test('the address of a repository is the server that its server.json names', async () => {
  const entry = {
    name: 'io.github.acme/tracker',
    description: 'Tracks',
    packages: [{ registryType: 'npm', identifier: '@acme/tracker', version: '1.0.0' }],
  }
  const { setup, send } = openChat({
    catalog: createCatalog(),
    readRepository: async (address) =>
      address === 'https://github.com/acme/tracker' ? JSON.stringify(entry) : undefined,
  })
  await send('https://github.com/acme/tracker')
  assert.equal(setup.view()?.service, 'tracker')
})

/** The programs at the gateway, and what would move in from others, on the page in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { ClientPlan } from '../../src/ports/client-import-port.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'

let browser: Browser
before(async () => {
  browser = await launchChromium()
})
after(() => browser.close())

const entry = { hosts: ['api.example.com'], secrets: ['x/TOKEN'], needsSignIn: false, notes: [] }
const PLAN: ClientPlan = {
  client: 'cursor',
  name: 'Cursor',
  path: '/home/ana/.cursor/mcp.json',
  seen: 'a',
  entries: [
    { ...entry, name: '<b>files</b>', fate: 'moves', server: 'files' },
    { ...entry, name: 'boxed', fate: 'stays', why: 'Cordon does not run container images yet' },
  ],
  starts: { command: 'node', args: [], env: {} },
  isNewFile: false,
  registers: true,
  isDone: false,
}

test('the screen of clients shows them, ends an access, and shows what would move in', async (t) => {
  const removed: string[] = []
  const found = { exists: true, isConnected: false, canUndo: true, servers: ['files', 'boxed'] }
  const { page, web } = await openPage(browser, t, {
    'clients.list': async () => ({
      clients: [{ name: 'claude', taint: 'ask', createdAt: '', limits: { callsPerMinute: 60 } }],
    }),
    'clients.remove': async ({ name }) => {
      removed.push(name)
      return {}
    },
    'imports.list': async () => ({
      clients: [{ ...found, id: 'cursor', name: 'Cursor', path: PLAN.path }],
    }),
    'imports.plan': async () => PLAN,
  })
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Clients' }).click()
  await shows(page, '60 calls a minute')
  await page.getByRole('button', { name: 'What would move in' }).click()
  await shows(page, '<b>files</b>')
  await shows(page, 'Cordon does not run container images yet')
  await shows(page, 'cordon import cursor --undo')
  await page.getByRole('button', { name: 'End its access' }).click()
  await until(() => removed.length > 0)
  assert.deepEqual(removed, ['claude'])
})

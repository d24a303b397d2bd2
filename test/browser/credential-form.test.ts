/** The credential form as a person uses it, in a real Chromium: the page's own headers must not block the form. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { ConnectionView } from '../../src/kernel/setup-port.ts'
import { launchChromium, openPage, shows } from './open-page.ts'

const TOKEN = ['ntn', 'a1b2c3d4e5f6'].join('_')
const PLACE = `/credential/notion/${'k'.repeat(43)}`

let browser: Browser
before(async () => {
  browser = await launchChromium()
})
after(() => browser.close())

test('a value typed into the form reaches the connection, and is in no URL', async (t) => {
  let port = ''
  const view = (): ConnectionView => ({
    connection: 'f1',
    service: 'notion',
    title: 'Notion',
    phase: 'awaiting-credential',
    question: { title: 'token', isSecret: true, form: `http://localhost:${port}${PLACE}` },
    expiresAt: '2030-01-01T00:10:00.000Z',
    said: [],
    version: 1,
  })
  const { page, web, calls } = await openPage(browser, t, {
    'connect.view': async () => ({ connection: view() }),
    'connect.provide': async () => view(),
  })
  port = new URL(web.page).port
  await page.goto(view().question?.form ?? '')
  await page.getByLabel('Notion token').fill(TOKEN)
  await page.getByRole('button', { name: 'Store it' }).click()
  await shows(page, '✓ Stored securely')
  const given = calls.find(({ route }) => route === 'connect.provide')
  assert.deepEqual(given?.input, { connection: 'f1', value: TOKEN })
  assert.ok(!page.url().includes(TOKEN))
})

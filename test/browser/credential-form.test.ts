/** The credential form as a person uses it, in a real Chromium: the page's own headers must not block the form. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { CordonError } from '../../src/kernel/error.ts'
import type { ConnectionView } from '../../src/ports/setup-port.ts'
import { becomes } from '../fixtures/until.ts'
import { findBarriers } from './find-barriers.ts'
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
    'vault.status': async () => ({ state: 'unlocked', secrets: 0, warnings: [] }),
  })
  port = new URL(web.page).port
  await page.goto(view().question?.form ?? '')
  assert.equal(await page.locator('script').count(), 0)
  assert.deepEqual(await findBarriers(page), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 320, height: 600 })
  assert.deepEqual(await findBarriers(page), [])
  await becomes(() => page.evaluate('document.documentElement.scrollWidth'), 320)
  await page.getByLabel('Notion token').fill(TOKEN)
  await page.getByRole('button', { name: 'Store it' }).click()
  await shows(page, '✓ Stored securely')
  const given = calls.find(({ route }) => route === 'connect.provide')
  assert.deepEqual(given?.input, { connection: 'f1', value: TOKEN })
  assert.ok(!page.url().includes(TOKEN))
})

test('a folder is asked for in words, then what may be done with it, with the consequence of each answer', async (t) => {
  let port = ''
  const view = (question: Partial<ConnectionView['question']>): ConnectionView => ({
    connection: 'f2',
    service: 'filesystem',
    title: 'Filesystem',
    phase: 'awaiting-credential',
    question: {
      title: 'folder',
      isSecret: false,
      form: `http://localhost:${port}${PLACE}`,
      ...question,
    },
    expiresAt: '2030-01-01T00:10:00.000Z',
    said: [],
    version: 1,
  })
  const { question: _none, ...done } = view({})
  const choices = {
    read: 'it can read <everything>',
    write: 'it can change anything below ~/notes',
  }
  let current = (): ConnectionView => view({})
  const { page, web, calls } = await openPage(browser, t, {
    'connect.view': async () => ({ connection: current() }),
    'connect.provide': async ({ value }) => {
      if (value === '/') {
        const spec = { exit: 2, hint: 'Name another one, such as ~/notes' } as const
        throw new CordonError('setup.place', spec, 'Cannot use /: it is the whole machine')
      }
      if (value === 'write') return { ...done, phase: 'installing' }
      current = () => view({ title: 'access', choices })
      return current()
    },
  })
  port = new URL(web.page).port
  await page.goto(view({}).question?.form ?? '')
  await page.getByLabel('Filesystem folder').fill('/')
  await page.getByRole('button', { name: 'Use it' }).click()
  await shows(page, 'Cannot use /: it is the whole machine')
  await page.getByLabel('Filesystem folder').fill('~/notes')
  await page.getByRole('button', { name: 'Use it' }).click()
  await shows(page, 'read: it can read <everything>')
  assert.deepEqual(await findBarriers(page), [])
  await page.getByLabel('write: it can change anything below ~/notes').check()
  await page.getByRole('button', { name: 'Use it' }).click()
  await shows(page, '✓ Taken')
  const given = calls.filter(({ route }) => route === 'connect.provide')
  const values = given.map(({ input }) => (input as { readonly value: string }).value)
  assert.deepEqual(values, ['/', '~/notes', 'write'])
})

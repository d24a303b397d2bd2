/** Messages about what went wrong, in a real Chromium: each stays as long as its reason, and no longer. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { CordonError } from '../../src/kernel/error.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, openPage, DETAILS, shows } from './open-page.ts'
import { connecting, listing, NO_USE, settings } from './settings-answers.ts'
import { openScreen } from './visit-screens.ts'

function refuse(): CordonError {
  return new CordonError('store.x', { exit: 5, hint: 'Wait' }, 'Cannot start it')
}

describe('a message', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('that an answer is missing stands at its field, and is gone with the first letter', async (t) => {
    const asked = connecting({ question: { title: 'Which folder?', isSecret: false } })
    const { page, web, calls } = await openPage(browser, t, {
      'catalog.list': async () => ({ services: [] }),
      'connect.start': async () => asked,
      'connect.follow': async () => {
        await new Promise((resolve) => setTimeout(resolve, 1000).unref())
        return asked
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/servers/add')
    await page.getByLabel('URL').fill('filesystem')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Which folder?').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    const missing = page.getByRole('alert').getByText('Type an answer first.')
    await missing.waitFor()
    assert.equal(await page.locator('.toast').count(), 0)
    await page.getByLabel('Which folder?').fill('~')
    await missing.waitFor({ state: 'detached' })
    assert.equal(calls.filter(({ route }) => route === 'connect.provide').length, 0)
  })

  test('about a failure is told once, and leaves when the same works', async (t) => {
    let fails = true
    let refusals = 0
    const idle = { ...DETAILS, state: { ...DETAILS.state, badge: 'idle' as const } }
    const { page, web } = await openPage(browser, t, {
      'mcp.show': async () => idle,
      'mcp.logs': async () => ({ lines: [] }),
      'mcp.tools': async () => ({ tools: [] }),
      'tools.list': async () => ({ tools: [], flags: [] }),
      'tools.proposal': async () => ({ server: 'notion' as never, set: '', tools: [] }),
      'mcp.start': async () => {
        if (fails) {
          refusals += 1
          throw refuse()
        }
        return { ...idle.state, server: 'notion' as never }
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/servers/notion')
    const start = page.getByRole('button', { name: 'Test connection' })
    const failure = page.getByRole('status').getByText('Cannot start it.')
    await start.click()
    await failure.waitFor()
    await start.click()
    await until(() => refusals === 2)
    await failure.waitFor()
    assert.equal(await failure.count(), 1)
    fails = false
    await start.click()
    await page.getByRole('status').getByText('Started.').waitFor()
    assert.equal(await failure.count(), 0)
  })

  test('about a save that failed half-way says which half is done', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'mcp.list': async () => listing({ GitHub: 'connected' }),
      'profiles.list': async () => ({ profiles: [], today: NO_USE }),
      'mcp.settings': async () => settings({}),
      'tools.proposal': async () => ({ server: 'github' as never, set: '', tools: [] }),
      'mcp.configure': async () => ({}) as never,
      'connect.start': async () => {
        throw refuse()
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/settings/mcp/github')
    await shows(page, 'Configure: GitHub')
    await page.getByLabel('Name:').fill('Other name')
    await page.getByRole('textbox', { name: 'API Key / PAT' }).fill('ghp_canary0canary0canary')
    await page.getByRole('button', { name: 'Save' }).click()
    const half = 'The settings are saved, the credential is not: Cannot start it.'
    await page.getByRole('status').getByText(half).waitFor()
    assert.equal(await page.getByLabel('Name:').inputValue(), 'Other name')
    assert.ok(!(await page.content()).includes('ghp_canary'))
  })
})

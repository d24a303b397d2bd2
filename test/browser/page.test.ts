/** The page as a person sees it, in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { CordonError } from '../../src/kernel/error.ts'
import { becomes } from '../fixtures/until.ts'
import { launchChromium, openPage, STATUS, shows } from './open-page.ts'

describe('the page', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('says how to get in, and asks the API nothing', async (t) => {
    const { page, web, calls } = await openPage(browser, t)
    await page.goto(web.page)
    await shows(page, 'cordon open')
    assert.equal(await page.title(), 'Cordon')
    assert.equal(await page.getByRole('button').count(), 0)
    assert.deepEqual(calls, [])
  })

  test('WEB-3: signs in with a link, and leaves the token nowhere', async (t) => {
    const { page, web, context } = await openPage(browser, t)
    const { url } = web.createLink()
    const token = url.split('#enter=')[1] ?? ''
    const seen: string[] = []
    page.on('request', (sent) => seen.push(sent.url(), JSON.stringify(sent.headers())))
    await page.goto(url)
    await shows(page, '1.2.3')

    await becomes(() => page.url(), `${web.page}/`)
    assert.equal(await page.evaluate('document.cookie'), '')
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    const kept = (await page.evaluate('JSON.stringify([localStorage, history.state])')) as string
    assert.ok(!kept.includes(token))
    assert.ok(!kept.includes(cookie?.value ?? ''))
    assert.ok(seen.length > 0 && !seen.join().includes(token))
    await page.goto('about:blank')
    await page.goBack()
    await shows(page, '1.2.3')
    await becomes(() => page.url(), `${web.page}/`)
  })

  test('shows status, servers and problems as plain text', async (t) => {
    const { page, web } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    for (const text of [
      'Locked',
      'cordon vault unlock',
      'The key file can be read by anyone',
      'The audit log takes no records. It is cut short. Run cordon audit verify.',
    ]) {
      await shows(page, text)
    }
    await page.getByRole('link', { name: 'Servers' }).click()
    for (const text of [
      '<img src=x onerror=alert(1)>',
      'Connected',
      'sensitive',
      'api.notion.com',
      'Edited by hand',
      'slack.toml, line 7: Cannot read "mode"',
    ]) {
      await shows(page, text)
    }
    assert.equal(await page.locator('main img').count(), 0)
  })

  test('says in an empty house which one step is next', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'mcp.list': async () => ({ servers: [], problems: [] }),
      'catalog.list': async () => ({ services: [] }),
    })
    await page.goto(web.createLink().url)
    await shows(page, 'Connect a first server.')
    await page.getByRole('main').getByRole('link', { name: 'Connect a server' }).click()
    await shows(page, '(select registry first)')
    const next = page.getByRole('button', { name: 'Next' })
    await becomes(() => next.isDisabled(), true)
    await page.getByLabel('URL').fill('notion')
    await becomes(() => next.isEnabled(), true)
  })

  test('shows an error with its hint, and tries again', async (t) => {
    let broken = true
    const { page, web } = await openPage(browser, t, {
      status: async () => {
        if (!broken) return STATUS
        throw new CordonError('store.x', { exit: 5, hint: 'Run `cordon doctor`' }, 'Cannot read it')
      },
    })
    await page.goto(web.createLink().url)
    await shows(page, 'Cannot read it')
    await shows(page, 'cordon doctor')
    broken = false
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await shows(page, '1.2.3')
  })

  test('says that Cordon is gone when it is', async (t) => {
    const { page, web } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    await web[Symbol.asyncDispose]()
    await page.getByText('Cordon does not answer.').waitFor()
    await shows(page, '1.2.3')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').getByText('Cannot reach Cordon').waitFor()
  })

  test('leads from the list of commands to a server by its name', async (t) => {
    const { page, web } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    await page.keyboard.press('Control+k')
    await page.getByLabel('Command', { exact: true }).fill('configure <img')
    await page.getByRole('button', { name: 'Configure <img src=x onerror=alert(1)>' }).waitFor()
    await page.keyboard.press('Enter')
    await becomes(() => page.url(), `${web.page}/#/settings/mcp/notion`)
  })

  test('stays signed in over a reload, until it signs out', async (t) => {
    const { page, web, stored, context } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    await page.reload()
    await shows(page, '1.2.3')
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await shows(page, 'You are signed out.')
    assert.equal(stored.size, 0)
    assert.deepEqual(await context.cookies(), [])
    assert.equal(await page.evaluate('localStorage.length'), 0)
    await page.reload()
    await shows(page, 'This browser is not signed in')
  })

  test('is signed out when its session ends', async (t) => {
    const { page, web, ...clock } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    clock.wait(8 * 24 * 3600_000)
    await page.reload()
    await shows(page, 'Your session has ended.')
  })
})

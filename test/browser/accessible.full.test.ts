/** Every screen, empty and full, light and dark, wide and 320 px: axe finds nothing serious, and nothing is cut off. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { becomes } from '../fixtures/until.ts'
import { findBarriers } from './find-barriers.ts'
import { createFullHouse } from './full-house.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { openScreen, pressShortcut, settled, visitScreens } from './visit-screens.ts'

/** Longer than a narrow screen, with no place to break it. */
const LONG = (where: string): string => `${where} ${'abcdefghij'.repeat(20)}`

async function assertFits(page: Page, address: string): Promise<void> {
  const [wide, shown] = (await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )) as [number, number]
  assert.ok(wide <= shown, `${address} is ${wide} px wide on a screen of ${shown}`)
}

describe('every screen', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  for (const [name, options] of [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
  ] as const) {
    test(`has no barrier that axe finds, in the ${name} theme`, async (t) => {
      const { page, web } = await openPage(
        browser,
        t,
        createFullHouse((where) => where),
      )
      await page.emulateMedia(options)
      await page.goto(web.createLink().url)
      const found: string[] = []
      await visitScreens(page, async (address) => {
        if (address === '#/chat') await talk(page)
        found.push(...(await findBarriers(page)).map((one) => `${address} ${one}`))
      })
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Commands' }).waitFor()
      found.push(...(await findBarriers(page)))
      assert.deepEqual(found, [])
    })
  }

  test('fits a screen of 320 px, also with words that cannot be broken', async (t) => {
    const { page, web } = await openPage(browser, t, createFullHouse(LONG))
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(web.createLink().url)
    await visitScreens(page, async (address) => {
      if (address === '#/chat') await talk(page)
      await assertFits(page, address)
    })
  })

  test('would be found to have one, if it had one', async (t) => {
    const { page, web } = await openPage(browser, t)
    await page.goto(web.createLink().url)
    await settled(page)
    await page.evaluate('document.querySelector("main").append(document.createElement("button"))')
    assert.match((await findBarriers(page)).join(), /^button-name: <button><\/button>/)
  })

  test('has no barrier before anything is there, nor when nobody is signed in', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'mcp.list': async () => ({ servers: [], problems: [] }),
      'catalog.list': async () => ({ services: [] }),
      'grants.list': async () => ({ grants: [] }),
      'memory.list': async () => ({ facts: [], results: [] }),
    })
    await page.goto(web.page)
    await shows(page, 'cordon open')
    assert.deepEqual(await findBarriers(page), [])
    await page.goto(web.createLink().url)
    await settled(page)
    const found: string[] = []
    await visitScreens(
      page,
      async (address) => {
        found.push(...(await findBarriers(page)).map((one) => `${address} ${one}`))
      },
      ['#/servers/add'],
    )
    assert.deepEqual(found, [])
  })

  test('leads from the keyboard to every other one, and shows where the focus is', async (t) => {
    const { page, web } = await openPage(browser, t, {
      ...createFullHouse((where) => where),
      'approvals.list': async () => ({ version: 1, approvals: [] }), // a question would take the focus
    })
    await page.goto(web.createLink().url)
    await settled(page)
    await page.keyboard.press('Tab')
    await becomes(() => focused(page), 'Skip to the content')
    await becomes(
      () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
      'solid',
    )
    await page.keyboard.press('Enter')
    await becomes(() => page.evaluate('document.activeElement.id'), 'main')
    await openScreen(page, '#/audit')
    const search = page.getByRole('searchbox').first()
    await search.focus()
    await page.keyboard.type('gs')
    await becomes(() => search.inputValue(), 'gs')
    await settled(page)
    assert.match(page.url(), /#\/audit$/) // typed into a field, so no shortcut
    await page.getByRole('heading', { name: 'Audit' }).click()
    for (const [key, title] of [
      ['s', 'Servers'],
      ['a', 'Approvals'],
      ['u', 'Audit'],
      ['h', 'Home'],
    ] as const) {
      await pressShortcut(page, key, title)
    }
    await page.keyboard.press('Control+k')
    await page.locator('dialog input:focus').waitFor()
    await page.keyboard.type('connect a')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Add MCP' }).waitFor()
  })
})

async function talk(page: Page): Promise<void> {
  await page.getByLabel('Message').fill('what is new?')
  await page.keyboard.press('Enter')
  await shows(page, 'That is all.')
}

async function focused(page: Page): Promise<string> {
  return String(await page.evaluate('document.activeElement?.textContent')).trim()
}

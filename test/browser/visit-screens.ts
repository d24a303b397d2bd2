/** Visits every screen of the navigation, and the screens behind them, in the page that is open. */
import type { Page } from 'playwright-core'
import { until } from '../fixtures/until.ts'
import { isAsking } from './watch-context.ts'

/** Addresses that no link of the navigation leads to. */
const BEHIND = ['#/servers/add', '#/servers/notion', '#/audit/2']

/** Runs `look` on each screen once it has loaded all that it asked for. */
export async function visitScreens(
  page: Page,
  look: (address: string) => Promise<void>,
  behind: readonly string[] = BEHIND,
): Promise<void> {
  for (const address of [...(await screensOf(page)), ...behind]) {
    await openScreen(page, address)
    await look(address)
  }
}

export async function openScreen(page: Page, address: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    if (location.hash === ${JSON.stringify(address)}) return resolve()
    addEventListener('hashchange', resolve, { once: true })
    location.hash = ${JSON.stringify(address)}
  })`)
  await settled(page)
}

async function screensOf(page: Page): Promise<readonly string[]> {
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
  await links.first().waitFor()
  return await Promise.all(
    (await links.all()).map(async (link) => (await link.getAttribute('href')) ?? ''),
  )
}

/** A place that waits for its data says so; a chunk of a screen may come after the first of them. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  let stills = 0
  await until(async () => {
    await page.evaluate(AFTER_EFFECTS)
    const isBusy = isAsking(page) || (await page.locator('main [aria-busy=true]').count()) > 0
    stills = isBusy ? 0 : stills + 1
    return stills === 2 // an answer has come before it is drawn, and what it draws may ask again
  })
}

/** Effects of what was drawn run after the next frame, and only then ask for data. */
const AFTER_EFFECTS =
  'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => setTimeout(resolve))))'

/** Presses `g` and a letter, again if the machine was too slow for the two to belong together. */
export async function pressShortcut(page: Page, key: string, title: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: title })
  await until(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    return await heading.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    )
  })
}

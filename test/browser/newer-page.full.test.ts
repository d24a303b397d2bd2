/**
 * The page of one kernel, and then a kernel of another version behind it: the page follows by itself where that costs
 * nothing, offers it where something was typed, and carries that over. No password and no token goes with it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, environmentFor, MAIN, openCordon } from '../fixtures/cordon.ts'
import { freePort } from '../fixtures/free-port.ts'
import { copyAsNewer } from '../fixtures/newer-kernel.ts'
import { becomes, until } from '../fixtures/until.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'
import { openScreen } from './visit-screens.ts'

test('a page that was loaded from an older kernel becomes that of the newer one, with what was typed', async () => {
  using newer = copyAsNewer()
  // The same port: the page is bound to its origin.
  const environment = { CORDON_PORT: String(await freePort()) }
  await using cordon = openCordon({ environment })
  await cordon.ask(['up', '--detach'])
  const browser = await launchChromium()
  try {
    const context = await browser.newContext()
    context.setDefaultTimeout(PATIENCE_MS)
    const [idle, typing] = [await context.newPage(), await context.newPage()]
    const { url } = await cordon.ask<Output<'page.link'>>(['open'])
    await idle.goto(url)
    await idle.getByRole('heading', { name: 'Home' }).waitFor()
    await typing.goto(new URL(url).origin)
    const old = await pageOf(idle)
    await openScreen(idle, '#/memory')
    await openScreen(typing, '#/settings/profile/add')
    const name = typing.getByLabel('Name').first()
    await name.fill('Work profile')
    await typing.locator('input[type=password]').first().fill('a-key-0123456789')

    await cordon.run(['down'])
    await typing.getByText('Cordon does not answer.').waitFor()
    await startNewer(newer.main, cordon, environment)

    await until(async () => (await pageOf(idle)) !== old)
    await idle.getByRole('heading', { name: 'Memory' }).waitFor()
    const offer = typing.getByRole('button', { name: 'Load the new page' })
    await offer.waitFor()
    assert.equal(await pageOf(typing), old)
    assert.equal(await name.inputValue(), 'Work profile')
    await offer.click()
    await until(async () => (await pageOf(typing)) === (await pageOf(idle)))
    await becomes(() => name.inputValue(), 'Work profile')
    assert.equal(await typing.locator('input[type=password]').first().inputValue(), '')
    assert.equal(await typing.getByText('Cordon was updated').count(), 0)
    assert.equal(await typing.evaluate('sessionStorage.getItem("cordon-typed")'), null)
  } finally {
    await browser.close()
  }
})

test('a message with a token in it is not carried over', async () => {
  using newer = copyAsNewer()
  const environment = { CORDON_PORT: String(await freePort()) }
  await using cordon = openCordon({ environment })
  await cordon.ask(['up', '--detach'])
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto((await cordon.ask<Output<'page.link'>>(['open'])).url)
    await openScreen(page, '#/chat')
    await page.getByLabel('Message').fill('use ghp_abcdefghijABCDEFGHIJ0123456789abcdef for it')
    const old = await pageOf(page)
    await cordon.run(['down'])
    await startNewer(newer.main, cordon, environment)
    await page.getByRole('button', { name: 'Load the new page' }).click()
    await until(async () => (await pageOf(page)) !== old)
    await page.getByLabel('Message').waitFor()
    assert.equal(await page.getByLabel('Message').inputValue(), '')
    assert.equal(await page.evaluate('JSON.stringify(sessionStorage).includes("ghp_")'), false)
  } finally {
    await browser.close()
  }
})

/** The hash that the page was loaded with; empty while it is being loaded. */
async function pageOf(page: Page): Promise<string> {
  const read = `document.querySelector('meta[name="cordon-page"]')?.content ?? ''`
  return await page.evaluate<string>(read).catch(() => '')
}

async function startNewer(
  main: string,
  cordon: Cordon,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  assert.notEqual(main, MAIN)
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const env = environmentFor(cordon.home, environment)
  await promisify(execFile)(process.execPath, [main, 'up', '--detach'], { env })
}

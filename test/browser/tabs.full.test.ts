/**
 * Several tabs of one browser against the real kernel: an answer and a switch in one show in the other, their chats are
 * apart, and a session that ends leaves what was typed where it was until the next one.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon, root } from '../fixtures/cordon.ts'
import { becomes, until } from '../fixtures/until.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'
import { openScreen, settled } from './visit-screens.ts'
import { type Watched, watchContext } from './watch-context.ts'

let cordon: Cordon
let browser: Browser
let context: BrowserContext
let watched: Watched
let first: Page
let second: Page

before(async () => {
  cordon = openCordon()
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  const script = path.join(root, 'test', 'fixtures', 'servers', 'exfiltrator.mjs')
  const text = `name = "Waiter"\nallowed_domains = ["good.example"]\n[server]\ncommand = "node"\nargs = ["${script}"]\n`
  writeFileSync(path.join(cordon.home, 'mcp', 'waiter.toml'), text, { mode: 0o600 })
  await cordon.ask(['mcp', 'start', 'waiter'])
  browser = await launchChromium()
  context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  watched = await watchContext(context)
  first = await openTab((await newLink()).url)
  second = await openTab(new URL(first.url()).origin)
})
after(async () => {
  await browser.close()
  await cordon[Symbol.asyncDispose]()
})

async function newLink(): Promise<Output<'page.link'>> {
  return await cordon.ask<Output<'page.link'>>(['open'])
}

async function openTab(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return page
}

test('a question that one tab answers is gone in the other', async () => {
  for (const tab of [first, second]) await openScreen(tab, '#/approvals')
  const calling = cordon.run([
    'mcp',
    'call',
    'waiter.proxy',
    '{"target": "evil.example:443"}',
    '--wait',
  ])
  const [asked, alsoAsked] = [first, second].map((tab) =>
    tab.getByRole('region', { name: 'You are asked' }),
  )
  await asked?.waitFor()
  await alsoAsked?.waitFor()
  await first.getByRole('button', { name: 'Yes, once' }).click()
  await alsoAsked?.waitFor({ state: 'detached' })
  await calling
})

test('a switch in one tab is switched in the other', async () => {
  for (const tab of [first, second]) await openScreen(tab, '#/settings')
  const [box, other] = [first, second].map((tab) => tab.getByLabel('Enable Waiter'))
  await other?.waitFor()
  await box?.uncheck()
  await becomes(() => other?.isChecked(), false)
  await box?.check()
  await becomes(() => other?.isChecked(), true)
})

test('two chats in two tabs do not mix, and a yes in one answers no question of the other', async () => {
  for (const tab of [first, second]) await openScreen(tab, '#/chat')
  await first.getByLabel('Message').fill('waiter.proxy target="first.example:443"')
  await first.keyboard.press('Enter')
  await first.getByRole('region', { name: 'You are asked' }).waitFor()
  await second.getByLabel('Message').fill('yes')
  await second.keyboard.press('Enter')
  await second.getByRole('log').locator('.answer').first().waitFor()
  const { approvals } = await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])
  assert.equal(approvals.filter(({ state }) => state === 'pending').length, 1)
  assert.equal(await second.getByText('first.example').count(), 0)
  await first.getByRole('button', { name: 'No', exact: true }).click()
  await first.getByRole('region', { name: 'You are asked' }).waitFor({ state: 'detached' })
  assert.equal(await first.getByRole('log').getByText('yes', { exact: true }).count(), 0)
})

test('a session that ends says so and how to go on, and every tab goes on where it was', async () => {
  await first.getByLabel('Message').fill('half a sentence, and then')
  await openScreen(second, '#/settings/profile/add')
  await second.getByLabel('Name').first().fill('Work profile')
  const key = second.locator('input[type=password]').first()
  await key.fill('never-kept-0123456789')
  await context.clearCookies()
  await cordon.ask(['memory', 'add', 'something', 'that', 'happens']) // wakes both tabs
  for (const tab of [first, second]) {
    await tab.getByText('Your session has ended.').waitFor()
    await tab.getByText('cordon open').waitFor()
    assert.equal(await tab.getByRole('navigation').count(), 0) // nothing of the house is shown
  }
  assert.equal(await key.inputValue(), '')

  const { url } = await newLink()
  await first.evaluate(`location.href = ${JSON.stringify(url)}`) // the link, in the same tab
  await first.getByRole('heading', { name: 'Chat' }).waitFor()
  assert.equal(await first.getByLabel('Message').inputValue(), 'half a sentence, and then')
  assert.match(first.url(), /#\/chat$/)
  await second.getByLabel('Name').first().waitFor() // by itself
  assert.equal(await second.getByLabel('Name').first().inputValue(), 'Work profile')
  await cordon.ask(['memory', 'add', 'my', 'dentist', 'is', 'Dr.', 'Adeyemi'])
  await openScreen(second, '#/memory')
  await second.getByText('my dentist is Dr. Adeyemi').first().waitFor()
})

test('signing out in one tab leaves nothing in the other', async () => {
  await first.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [first, second]) {
    await tab.getByText('You are signed out.').waitFor()
    assert.equal(await tab.locator('.frame').count(), 0)
  }
  await second.goto((await newLink()).url)
  await until(async () => (await first.locator('.frame').count()) === 1)
  await settled(first)
  assert.equal(await first.getByText('half a sentence').count(), 0)
  assert.deepEqual([watched.violations, watched.errors], [[], []])
})

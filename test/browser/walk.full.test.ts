/**
 * The page as a person walks through it, against a real kernel with real sandboxed servers: from the link that lets a
 * browser in to the record of what was done, with a wrong token, a crash, and a restart of the kernel on the way. The
 * steps build on each other.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { givePackage } from '../fixtures/connected-cordon.ts'
import { type Cordon, openCordon, OUTSIDE_MAIN } from '../fixtures/cordon.ts'
import { freePort } from '../fixtures/free-port.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld, type OutsideWorld } from '../fixtures/outside-world.ts'
import { packageOf } from '../fixtures/packages.ts'
import { until } from '../fixtures/until.ts'
import { findBarriers } from './find-barriers.ts'
import { launchChromium, PATIENCE_MS, shows } from './open-page.ts'
import { openScreen, pressShortcut, settled, visitScreens } from './visit-screens.ts'
import { type Watched, watchContext } from './watch-context.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const WRONG = `ntn_${'Wrong567'.repeat(6)}`

let world: OutsideWorld
let cordon: Cordon
let port: string
let notes: string
let browser: Browser
let context: BrowserContext
let watched: Watched
let page: Page

before(async () => {
  world = await openOutsideWorld({ [NOTION_HOST]: createNotion(TOKEN).answer })
  port = String(await freePort())
  // The same port after a restart: the page is bound to its origin.
  const environment = { ...world.environment, CORDON_PORT: port }
  cordon = openCordon({ entry: OUTSIDE_MAIN, environment })
  mkdirSync(path.join(cordon.home, 'packages'), { recursive: true, mode: 0o700 })
  givePackage(cordon, await packageOf('notion'))
  notes = path.join(path.dirname(cordon.home), 'notes')
  mkdirSync(notes)
  chmodSync(notes, 0o777) // servers of a Cordon that runs as root are somebody else
  writeFileSync(path.join(notes, 'todo.txt'), 'buy milk\n')
  await cordon.ask(['up', '--detach'])
  browser = await launchChromium()
  context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  watched = await watchContext(context)
  page = await context.newPage()
})
after(async () => {
  await browser.close()
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function enter(into: Page): Promise<void> {
  const { url } = await cordon.ask<Output<'page.link'>>(['open'])
  await into.goto(url)
  await into.getByRole('heading', { name: 'Home' }).waitFor()
}

async function say(text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.keyboard.press('Enter')
}

test('an empty home says what the one next step is, and it is one click away', async () => {
  await enter(page)
  await shows(page, 'Connect a first server.')
  await page.getByRole('main').getByRole('link', { name: 'Connect a server' }).click()
  await page.getByRole('button', { name: /^Filesystem/ }).click()
})

test('the filesystem is connected by answering two questions', async () => {
  const panel = page.getByRole('region', { name: 'Connecting Filesystem' })
  await panel.getByRole('textbox').fill(notes)
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: /^write/ }).click()
  await page.getByRole('region', { name: 'Filesystem' }).getByText('Connected').waitFor()
  await page.getByRole('region', { name: 'Behind its cordon' }).getByText(notes).first().waitFor()
})

test('a request in the chat asks before it changes a file, with no already chosen', async () => {
  await openScreen(page, '#/')
  await page.getByRole('main').getByRole('link', { name: 'Open the chat' }).click()
  await say(`list the files in ${notes}`)
  await page.getByText('todo.txt').last().waitFor()
  await say(`write "from the page" to ${notes}/page.txt`)
  const card = page.getByRole('region', { name: 'You are asked' })
  await card.getByText('from the page').first().waitFor()
  await card.locator('button:focus', { hasText: /^No$/ }).waitFor()
  await card.getByRole('button', { name: 'Yes, once' }).click()
  await page.getByText('filesystem.write_file completed').waitFor()
  assert.equal(readFileSync(path.join(notes, 'page.txt'), 'utf8'), 'from the page')
})

test('the audit log has it, and proves its record', async () => {
  await openScreen(page, '#/audit')
  const records = page.getByRole('list', { name: 'Records' })
  const answered = records.getByText('approval.answered').first()
  await answered.waitFor()
  await page.getByLabel('Search').fill('write_file')
  await answered.waitFor({ state: 'detached' }) // an answer names its question, not the tool
  await records.getByText('approval.asked').first().waitFor()
  await records.getByRole('link').filter({ hasText: 'call.end' }).first().click()
  const sheet = page.getByRole('dialog')
  await sheet.getByText('Whole').waitFor()
  await sheet.getByText('"kind": "ok"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await page.getByText(/\d+ records, each sealed/).waitFor()
  await openScreen(page, '#/approvals')
  await page.getByRole('region', { name: 'Answered' }).getByText('allowed').first().waitFor()
})

test('a token that the service rejects is asked for again, and is nowhere in the page', async () => {
  await openScreen(page, '#/chat')
  await say('connect notion')
  const panel = page.getByRole('region', { name: 'Connecting Notion' })
  const field = panel.locator('input[type=password]')
  await field.fill(WRONG)
  await page.keyboard.press('Enter')
  await panel.getByText("The Notion token doesn't work").waitFor()
  await field.fill(TOKEN)
  await page.keyboard.press('Enter')
  await panel.getByText('✓ Notion connected.').waitFor()
  const kept = (await page.evaluate(
    '[document.documentElement.outerHTML, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })].join()',
  )) as string
  assert.ok(!kept.includes(TOKEN) && !kept.includes(WRONG))
})

test('a server that crashes is back by itself, and the page shows it without a reload', async () => {
  await openScreen(page, '#/servers/filesystem')
  const restarts = page.getByRole('definition').filter({ hasText: /^1 of at most/ })
  assert.equal(await restarts.count(), 0)
  const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'filesystem'])
  process.kill(state.pid ?? 0, 'SIGKILL')
  await restarts.waitFor()
  await page.getByRole('region', { name: 'Filesystem' }).getByText('Connected').waitFor()
  await openScreen(page, '#/chat')
  await say(`read ${notes}/todo.txt`)
  await page.getByText('buy milk').last().waitFor()
})

test('the page says that the kernel is gone, and is live again after a restart', async () => {
  await openScreen(page, '#/memory')
  await cordon.run(['down'])
  await page.getByText('Cordon does not answer.').waitFor()
  await cordon.ask(['up', '--detach'])
  await page.getByText('Cordon does not answer.').waitFor({ state: 'detached' })
  await cordon.ask(['memory', 'add', 'my', 'dentist', 'is', 'Dr.', 'Adeyemi'])
  await shows(page, 'my dentist is Dr. Adeyemi') // by an event: nothing was clicked
})

test('all of it works from the keyboard alone', async () => {
  await page.getByRole('heading', { name: 'Memory' }).click() // the only click: puts the focus on no field
  await pressShortcut(page, 'c', 'Chat')
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type(`write "by hand" to ${notes}/keys.txt`)
  await page.keyboard.press('Enter')
  const card = page.getByRole('region', { name: 'You are asked' })
  await card.locator('button:focus', { hasText: /^No$/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await until(() => hasText(path.join(notes, 'keys.txt'), 'by hand'))
})

function hasText(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text
  } catch {
    return false
  }
}

for (const [name, colorScheme, width] of [
  ['wide and light', 'light', 1200],
  ['narrow and dark', 'dark', 320],
] as const) {
  test(`every screen of a house in use is without barriers, ${name}`, async () => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const found: string[] = []
    await visitScreens(
      page,
      async (address) => {
        await settled(page)
        found.push(...(await findBarriers(page)).map((one) => `${address} ${one}`))
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (wide > width) found.push(`${address} is ${wide} px wide`)
      },
      ['#/servers/add', '#/servers/filesystem', '#/audit/1'],
    )
    assert.deepEqual(found, [])
  })
}

test('WEB-4: over the whole walk no policy was violated, and nothing else was requested', () => {
  watched.assertHarmless(port)
})

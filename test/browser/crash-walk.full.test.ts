/**
 * The page against the real kernel when servers misbehave: one that asks its owner something in the middle of a call, and
 * one that dies, comes back, and dies until Cordon gives it up.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium } from './open-page.ts'
import { openScreen } from './visit-screens.ts'

const PATIENCE_MS = 120_000

let cordon: Cordon
let browser: Browser
let page: Page

function define(id: string, name: string, ...program: readonly string[]): void {
  const [file = '', ...args] = program
  const script = path.join(root, 'test', 'fixtures', 'servers', `${file}.mjs`)
  const words = [script, ...args].map((word) => JSON.stringify(word)).join(', ')
  const text = `name = "${name}"\n[server]\ncommand = "node"\nargs = [${words}]\n`
  writeFileSync(path.join(cordon.home, 'mcp', `${id}.toml`), text, { mode: 0o600 })
}

before(async () => {
  cordon = openCordon()
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  define('asker', 'Asker', 'asker', 'legacy')
  define('echo', 'Echo', 'echo')
  for (const id of ['asker', 'echo']) await cordon.ask(['mcp', 'start', id])
  browser = await launchChromium()
  page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto((await cordon.ask<Output<'page.link'>>(['open'])).url)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})
after(async () => {
  await browser.close()
  await cordon[Symbol.asyncDispose]()
})

test('a server that asks during a call is answered in a form that Cordon draws, and its log keeps no answer', async () => {
  await openScreen(page, '#/servers/asker')
  const inspector = page.getByRole('region', { name: 'Call a tool by hand' })
  await inspector.getByRole('combobox').first().selectOption('ask')
  await inspector.getByLabel('question').fill('form')
  await inspector.getByRole('button', { name: 'Call', exact: true }).click()
  const form = page.getByRole('region', { name: 'asker asks you' })
  await form.getByText('Who are you?').waitFor()
  assert.equal(await form.locator('input[type=password]').count(), 0)
  await form.getByLabel('Your name').fill('me@example.com')
  await form.getByRole('button', { name: 'Send' }).click()
  await inspector.getByLabel('Words of the server').getByText('me@example.com').waitFor()
  const { messages } = await cordon.ask<Output<'mcp.messages'>>([
    'mcp',
    'logs',
    'asker',
    '--protocol',
  ])
  const sent = JSON.stringify(messages.filter(({ direction }) => direction === 'sent'))
  assert.ok(sent.includes('your answer is not kept') && !sent.includes('me@example.com'))
})

test('a form that asks for a password never reaches the page', async () => {
  const inspector = page.getByRole('region', { name: 'Call a tool by hand' })
  await inspector.getByLabel('question').fill('password')
  await inspector.getByRole('button', { name: 'Call', exact: true }).click()
  await inspector.getByLabel('Words of the server').getByText('decline').waitFor()
  const { lines } = await cordon.ask<Output<'mcp.logs'>>(['mcp', 'logs', 'asker'])
  assert.ok(lines.some(({ text }) => text.includes('asks for a secret in a form')))
})

async function pidOf(id: string): Promise<number | undefined> {
  const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', id])
  return state.pid
}

test('a server that dies is told as a toast and comes back by itself', async () => {
  await openScreen(page, '#/memory')
  const first = await pidOf('echo')
  process.kill(first ?? 0, 'SIGKILL')
  await page.getByText('Echo disconnected. Reconnecting...').waitFor()
  await until(async () => ![undefined, first].includes(await pidOf('echo')))
})

test('a server that dies again and again is given up, with the way to its settings', async () => {
  const told = page.getByText('Echo failed to restart. Check settings.')
  await until(async () => {
    const pid = await pidOf('echo')
    if (pid !== undefined) kill(pid)
    return (await told.count()) > 0
  })
  await page.getByRole('button', { name: 'Open its settings' }).click()
  await page.getByRole('heading', { name: 'Configure: Echo' }).waitFor()
})

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended by itself
  }
}

/** The settings and the chat against the real kernel and a real sandboxed server, from an empty home to a saved flow. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openCordon, seen } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'

const KEY = 'sk-canary-canary-canary-canary'

/** A folder that a server may use although Cordon's tests may run as root. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cordon-walk-'))
  await chmod(folder, 0o777)
  return folder
}

async function connectFiles(page: Page, folder: string): Promise<void> {
  await page.getByRole('link', { name: 'Add a new MCP' }).click()
  await page.getByLabel('URL').fill('filesystem')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.locator('.provide input').fill(folder)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^write/ }).click()
  await page.getByRole('status').getByText('Filesystem is connected.').waitFor()
}

async function editFiles(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Filesystem' }).click()
  await page.getByRole('region', { name: 'MCPs' }).getByRole('link', { name: 'Edit' }).click()
  await page.getByText('No authentication required.').waitFor()
}

test('a person sets everything up on the page, and takes it away again', async (t) => {
  await using cordon = openCordon()
  const [notes, photos] = [await openFolder(), await openFolder()]
  t.after(() => Promise.all([notes, photos].map((one) => rm(one, { recursive: true }))))
  await writeFile(join(notes, 'plan.txt'), 'buy bread')
  await seen(cordon.start(['up']).stderr, /Press Ctrl-C/)
  const { url } = await cordon.ask<{ url: string }>(['open'])
  const browser = await launchChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(url)
  const settings = page.getByRole('link', { name: 'Settings', exact: true })
  await settings.click()
  await connectFiles(page, notes)

  // The first key makes the vault, and is written nowhere in plain.
  await settings.click()
  await page.getByRole('link', { name: 'Add a new profile' }).click()
  await page.getByLabel('Name:').fill('claude')
  await page.getByLabel('Model:').fill('claude-sonnet-4-5')
  await page.getByLabel('API Key:').fill(KEY)
  await page.getByText('This is the first credential.').waitFor()
  await page.locator('input[name="protect"]:checked').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'MCPs' }).waitFor()
  assert.doesNotMatch(await readFile(join(cordon.home, 'config.toml'), 'utf8'), /canary/)
  await page.getByRole('radio', { name: 'claude' }).click()
  await page.getByRole('button', { name: 'Delete the selected profile' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No model is set up.').waitFor()

  await editFiles(page)
  await page.getByLabel('New path').fill(photos)
  await page.getByRole('button', { name: '[+ Add Path]' }).click()
  await page.getByLabel('Label:').selectOption('internal')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'MCPs' }).waitFor()
  type Shown = { label: string; sandbox: { readPaths: string[]; writePaths: string[] } }
  const shown = await cordon.ask<Shown>(['mcp', 'show', 'filesystem'])
  assert.deepEqual(shown.sandbox, { ...shown.sandbox, readPaths: [photos], writePaths: [notes] })
  assert.equal(shown.label, 'internal')

  const row = page.getByRole('region', { name: 'MCPs' }).getByRole('listitem')
  const enabled = page.getByRole('checkbox', { name: 'Enable Filesystem' })
  await enabled.uncheck()
  await row.locator('.badge').waitFor({ state: 'detached' })
  await enabled.check()
  await row.getByText(/Connected|Idle/).waitFor()
  // The badge may still be the one from before; a message that comes too early is answered that nothing is connected.
  await until(async () => {
    const { state } = await cordon.ask<{ state: { badge: string } }>(['mcp', 'show', 'filesystem'])
    return ['connected', 'idle'].includes(state.badge) && (await enabled.isEnabled())
  })

  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByLabel('Message').fill(`read ${join(notes, 'plan.txt')}`)
  await page.keyboard.press('Enter')
  await page.getByLabel('Words of a server').getByText('buy bread').waitFor()
  await page.locator('.chip', { hasText: 'filesystem' }).waitFor()
  await page.getByRole('button', { name: 'Save as flow' }).click()
  await page.getByLabel('Name of the flow').fill('shopping')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved as shopping').waitFor()

  await settings.click()
  await page.getByRole('radio', { name: 'Filesystem' }).click()
  await page.getByRole('button', { name: 'Delete the selected MCP' }).click()
  await page
    .getByRole('dialog', { name: 'Delete "Filesystem"?' })
    .getByText('Delete')
    .last()
    .click()
  await page.getByText('Nothing is connected.').waitFor()
  const { servers } = await cordon.ask<{ servers: unknown[] }>(['mcp', 'list'])
  assert.deepEqual(servers, [])
})

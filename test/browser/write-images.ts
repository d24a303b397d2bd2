/**
 * Writes the pictures of docs/images: the main screens of a real kernel in which a folder is connected and a change waits
 * for an answer. Started by `npm run images`.
 */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { environmentFor, finish, MAIN, root } from '../fixtures/cordon.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'
import { openScreen, settled } from './visit-screens.ts'

/** Shown in the pictures. */
const person = path.join(tmpdir(), 'ana')
const notes = path.join(person, 'notes')
const home = path.join(person, '.cordon')
const images = path.join(root, 'docs', 'images')
const MOST_BYTES = 120_000

async function cordon(...args: readonly string[]): Promise<string> {
  const program = ['--disallow-code-generation-from-strings', MAIN, '--json', ...args]
  const child = spawn(process.execPath, program, { cwd: person, env: environmentFor(home) })
  child.stdin.end()
  const { code, stdout, stderr } = await finish(child)
  if (code !== 0) throw new Error(`cordon ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

async function take(page: Page, name: string): Promise<void> {
  const file = path.join(images, `${name}.png`)
  await page.screenshot({ path: file, animations: 'disabled' })
  const { size } = statSync(file)
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes`)
  process.stdout.write(`${name}.png ${Math.round(size / 1000)} KB\n`)
}

async function say(page: Page, text: string, answer: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.keyboard.press('Enter')
  await page.getByText(answer).last().waitFor()
}

async function connectFolder(page: Page): Promise<void> {
  await openScreen(page, '#/servers/add')
  await take(page, 'connect')
  await page.getByRole('button', { name: /^Filesystem/ }).click()
  await page.getByRole('region', { name: 'Connecting Filesystem' }).getByRole('textbox').fill(notes)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^write/ }).click()
  await page.getByRole('heading', { name: 'Filesystem' }).waitFor()
}

async function talk(page: Page): Promise<void> {
  await openScreen(page, '#/chat')
  await say(page, 'list the files in ~/notes', 'todo.txt')
  await say(page, 'remember that my dentist is Dr. Adeyemi', 'I keep that')
  await say(page, 'write "call Dr. Adeyemi" to ~/notes/tomorrow.txt', 'Yes, once')
  await page.locator('.toast').first().waitFor({ state: 'detached' })
  await take(page, 'chat')
  await page.getByRole('button', { name: 'Yes, once' }).click()
  await page.getByText('filesystem.write_file completed').waitFor()
}

async function takeForm(page: Page): Promise<void> {
  const { connection } = JSON.parse(await startNotion(page)) as Output<'connect.view'>
  await page.goto(connection?.question?.form ?? '')
  await page.getByRole('button', { name: 'Store it' }).waitFor()
  await take(page, 'credential')
}

/** The view of a connection that waits for a token, asked for with the session of the browser. */
async function startNotion(page: Page): Promise<string> {
  await say(page, 'connect notion', 'Your Notion token is needed.')
  return String(
    await page.evaluate(`fetch('/api/connect.view', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Cordon-Csrf': localStorage.getItem('cordon-csrf') },
      body: '{}',
    }).then((response) => response.text())`),
  )
}

async function takeAll(page: Page): Promise<void> {
  await page.goto((JSON.parse(await cordon('open')) as Output<'page.link'>).url)
  await connectFolder(page)
  await settled(page)
  await take(page, 'server')
  await talk(page)
  for (const [address, name] of [
    ['#/', 'home'],
    ['#/servers', 'servers'],
    ['#/approvals', 'approvals'],
    ['#/memory', 'memory'],
    ['#/audit', 'audit'],
  ] as const) {
    await openScreen(page, address)
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('.toast').first().waitFor({ state: 'detached' })
    await take(page, name)
  }
  await page.locator('.record a', { hasText: 'approval.answered' }).first().click()
  await page.getByRole('dialog').getByText('Whole').waitFor()
  await take(page, 'record')
  await page.keyboard.press('Escape')
  await openScreen(page, '#/')
  await page.emulateMedia({ colorScheme: 'dark' })
  await take(page, 'home-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await openScreen(page, '#/chat')
  await takeForm(page)
}

if (existsSync(person)) throw new Error(`${person} is there already`)
mkdirSync(notes, { recursive: true })
mkdirSync(images, { recursive: true })
chmodSync(notes, 0o777) // servers of a Cordon that runs as root are somebody else
writeFileSync(path.join(notes, 'todo.txt'), 'buy milk\n')
const browser = await launchChromium([], 'chromium')
try {
  await cordon('up', '--detach')
  const page = await browser.newPage({
    viewport: { width: 1100, height: 760 },
    colorScheme: 'light',
  })
  page.setDefaultTimeout(PATIENCE_MS)
  await takeAll(page)
} finally {
  await browser.close()
  await cordon('down')
  rmSync(person, { recursive: true, force: true })
}

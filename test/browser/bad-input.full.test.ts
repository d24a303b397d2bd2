/**
 * Bad input and faults on the page, against the real kernel: a registry that is slow, that fails, and that has ten thousand
 * servers with names made to break a page; and a kernel that dies under a save. Each is said in one sentence, what was typed
 * stays, and the next step is there.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon, OUTSIDE_MAIN, root } from '../fixtures/cordon.ts'
import { freePort } from '../fixtures/free-port.ts'
import { openOutsideWorld, type OutsideWorld } from '../fixtures/outside-world.ts'
import { answerAsOfficial, type RegistryEntry } from '../fixtures/registry-answers.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'
import { openScreen } from './visit-screens.ts'
import { type Watched, watchContext } from './watch-context.ts'

const TITLES = [
  'Notes <img src=x onerror=ran(1)>',
  'Notes \u202eelif ruoy',
  `Notes ${'long'.repeat(1250)}`,
]

const WORDS = ['onerror', 'elif', 'longlong'] as const

const entries: readonly RegistryEntry[] = Array.from({ length: 10_000 }, (_, n) => ({
  server: {
    name: `test.many/${WORDS[n] ?? 'notes'}-${n}`,
    title: TITLES[n] ?? `Notes ${n}`,
    description: `${TITLES[n] ?? 'Keeps'} notes`,
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `https://n${n}.example/mcp` }],
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
}))

/** The registry holds its answers back while `held` is a list, and fails while `isBroken`. */
const registry: { held: (() => void)[] | undefined; isBroken: boolean } = {
  held: [],
  isBroken: false,
}

function answer(url: string, response: ServerResponse): void {
  const found = registry.isBroken ? 500 : answerAsOfficial(entries, new URL(url, 'https://r'))
  const status = typeof found === 'number' ? found : 200
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found))
}

let world: OutsideWorld
let cordon: Cordon
let browser: Browser
let context: BrowserContext
let watched: Watched
let page: Page

before(async () => {
  world = await openOutsideWorld({
    'registry.modelcontextprotocol.io': ({ url = '' }, response) => {
      const send = (): void => answer(url, response)
      if (registry.held) registry.held.push(send)
      else send()
    },
  })
  const environment = { ...world.environment, CORDON_PORT: String(await freePort()) }
  cordon = openCordon({ entry: OUTSIDE_MAIN, environment })
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  const script = path.join(root, 'test', 'fixtures', 'servers', 'echo.mjs')
  const text = `name = "Echo"\n[server]\ncommand = "node"\nargs = ["${script}"]\n`
  writeFileSync(path.join(cordon.home, 'mcp', 'echo.toml'), text, { mode: 0o600 })
  await cordon.ask(['up', '--detach'])
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 320, height: 640 } })
  context.setDefaultTimeout(PATIENCE_MS)
  watched = await watchContext(context)
  page = await context.newPage()
  await page.goto((await cordon.ask<Output<'page.link'>>(['open'])).url)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})
after(async () => {
  await browser.close()
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

test('a slow registry is said to be slow, and what was typed stays', async () => {
  await openScreen(page, '#/servers/add')
  await page.getByLabel('Registry:').selectOption('Official')
  await page.getByLabel('Search:').fill('notes')
  await page.getByText('The registry is slow to answer.').waitFor()
  assert.equal(await page.getByLabel('Search:').inputValue(), 'notes')
  const held = registry.held ?? []
  registry.held = undefined
  for (const send of held) send()
})

test('of ten thousand results no more are drawn than can be read, and no name breaks the page', async () => {
  const results = page.getByRole('radiogroup', { name: 'Results' })
  await results.getByText('Notes 3', { exact: true }).waitFor()
  const drawn = await results.getByRole('radio').count()
  assert.ok(drawn > 0 && drawn <= 100, `${drawn} results`)
  for (const [word, shown] of [
    ['onerror', '<img src=x onerror=ran(1)>'],
    ['elif', 'elif ruoy'],
    ['longlong', 'longlong'],
  ] as const) {
    await page.getByLabel('Search:').fill(word)
    const row = results.locator('label', { hasText: shown }).first()
    await row.waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.ok(
      !((await row.textContent()) ?? '').includes('\u202e'),
      'no mark turns the text around',
    )
    const isWider = 'document.documentElement.scrollWidth > innerWidth'
    assert.equal(await page.evaluate(isWider), false, 'fits 320 px')
    const { height = 0 } = (await row.boundingBox()) ?? {}
    assert.ok(height < 640, `a row of ${height} px`)
  }
})

test('a registry that fails is said in a sentence, and is asked again with one click', async () => {
  registry.isBroken = true
  await page.getByLabel('Search:').fill('quagmire')
  await page.getByRole('main').getByRole('alert').waitFor()
  registry.isBroken = false
  await page.getByRole('button', { name: 'Search again' }).click()
  await page.getByText('No server is called so.').waitFor()
  assert.equal(await page.getByLabel('Search:').inputValue(), 'quagmire')
})

test('a kernel that dies under a save leaves the form as it was, and the save works once it is back', async () => {
  await openScreen(page, '#/settings/mcp/echo')
  await page.getByLabel('Name:').fill('Echo of mine')
  const { pid } = await cordon.ask<Output<'status'>>(['status'])
  process.kill(pid, 'SIGSTOP') // takes the request, and never answers it
  await page.getByRole('button', { name: 'Save' }).click()
  process.kill(pid, 'SIGKILL')
  const message = page.getByRole('status').getByText('Cannot reach Cordon.')
  await message.waitFor()
  assert.equal(await page.getByLabel('Name:').inputValue(), 'Echo of mine')
  await cordon.ask(['up', '--detach'])
  await page.getByText('Cordon does not answer.').waitFor({ state: 'detached' })
  await message.waitFor({ state: 'detached' }) // its reason is over
  assert.equal(await page.getByLabel('Name:').inputValue(), 'Echo of mine')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'MCPs' }).waitFor()
  const saved = (): string => readFileSync(path.join(cordon.home, 'mcp', 'echo.toml'), 'utf8')
  await until(() => saved().includes('Echo of mine'))
  assert.deepEqual([watched.ran, watched.violations, watched.errors], [[], [], []])
})

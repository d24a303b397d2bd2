/**
 * The page against a real kernel, a registry, a remote server and its authorization server with a consent page: found in
 * the registry, refused once, allowed, used from the chat with an approval, and found again in the audit log. The steps
 * build on each other.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon, OUTSIDE_MAIN } from '../fixtures/cordon.ts'
import { createNotesService, NOTES_TITLE, type NotesService } from '../fixtures/notes-service.ts'
import { openOAuthServer, type OAuthServer } from '../fixtures/oauth-server.ts'
import { openOutsideWorld, type OutsideWorld } from '../fixtures/outside-world.ts'
import { until } from '../fixtures/until.ts'
import { findBarriers } from './find-barriers.ts'
import { launchChromium } from './open-page.ts'
import { openScreen } from './visit-screens.ts'
import { type Watched, watchContext } from './watch-context.ts'

const PATIENCE_MS = 120_000

let oauth: OAuthServer
let notes: NotesService
let world: OutsideWorld
let cordon: Cordon
let browser: Browser
let context: BrowserContext
let watched: Watched
let page: Page
let server: string

before(async () => {
  oauth = await openOAuthServer({ asksConsent: true })
  notes = createNotesService(oauth.port)
  world = await openOutsideWorld(notes.hosts)
  cordon = openCordon({ entry: OUTSIDE_MAIN, environment: world.environment })
  await cordon.ask(['up', '--detach'])
  const { port } = world.places
  browser = await launchChromium([`--host-resolver-rules=MAP as.cordon.test 127.0.0.1:${port}`])
  context = await browser.newContext({ ignoreHTTPSErrors: true })
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
  await oauth[Symbol.asyncDispose]()
})

test('a server of the registry is found once a registry is selected, and Next begins its connection', async () => {
  await openScreen(page, '#/servers/add')
  const search = page.getByLabel('Search:')
  assert.ok(await search.isDisabled())
  await page.getByText('(select registry first)').waitFor()
  await page.getByLabel('Registry:').selectOption('Both')
  const next = page.getByRole('button', { name: 'Next' })
  assert.ok(await next.isDisabled())
  await search.fill('acme notes')
  const results = page.getByRole('radiogroup', { name: 'Results' })
  await results.getByText('[Official]').first().waitFor()
  await results.getByRole('radio').first().check()
  await next.click()
  await panel().waitFor()
  // A stranger from a registry is described before anything of it is used.
  await answerUntilSignIn()
})

function panel() {
  return page.getByRole('region', { name: /^Connecting/ })
}

/** A server that nobody vouches for is offered first. */
async function answerUntilSignIn(): Promise<void> {
  const link = panel().getByRole('link', { name: /^Authorize with/ })
  const yes = panel().getByRole('button', { name: /^yes/ })
  await link.or(yes).first().waitFor()
  if ((await link.count()) === 0) await yes.click()
  await link.waitFor()
}

async function answerConsent(answer: 'Allow' | 'Deny'): Promise<void> {
  const opened = context.waitForEvent('page')
  await panel()
    .getByRole('link', { name: /^Authorize with/ })
    .click()
  const tab = await opened
  await tab.getByRole('heading', { name: /May .* use your notes\?/ }).waitFor()
  await tab.getByRole('button', { name: answer }).click()
  await until(async () => new URL(tab.url()).hostname !== 'as.cordon.test')
  await tab.close()
}

test('a no on the consent page is said in one sentence, and Retry begins anew', async () => {
  await answerConsent('Deny')
  await panel().getByText('Authorization failed. Please try again.').waitFor()
  await panel().getByRole('button', { name: 'Retry' }).click()
  await answerUntilSignIn()
})

test('after a yes on the consent page the server is connected, and its page is shown', async () => {
  await answerConsent('Allow')
  await page.waitForURL(/#\/servers\/(?!add)/)
  server = decodeURIComponent(/#\/servers\/(.+)$/.exec(page.url())?.[1] ?? '')
  const head = page.getByRole('main').getByRole('region').first()
  await head.getByText('Connected', { exact: true }).waitFor()
  await head.getByText('Connected as @ann').waitFor()
  await openScreen(page, `#/settings/mcp/${encodeURIComponent(server)}`)
  await page.getByText('This MCP requires OAuth authentication.').waitFor()
  await page.getByRole('button', { name: /^Reauthorize with/ }).waitFor()
  // R129: as the provider itself tells, once it has been asked who signed in.
  await page.getByText('Status: Connected as @ann').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await openScreen(page, '#/')
  await page
    .getByRole('region', { name: 'Sign-ins' })
    .getByText(/^expires in/)
    .waitFor()
  const signIn = page.getByRole('region', { name: 'Sign-ins' })
  await signIn.getByText('as @ann').waitFor()
})

test('a change that the chat asks for waits for the owner, is done once, and is in the audit log', async () => {
  await openScreen(page, '#/chat')
  await page.getByLabel('Message').fill(`${server}.add_note text="call Dr. Adeyemi"`)
  await page.keyboard.press('Enter')
  const card = page.getByRole('region', { name: 'You are asked' })
  await card.getByText('call Dr. Adeyemi').first().waitFor()
  assert.deepEqual(notes.added, [])
  await card.getByRole('button', { name: 'Yes, once' }).click()
  await until(() => notes.added.length > 0)
  assert.deepEqual(notes.added, ['call Dr. Adeyemi'])
  await openScreen(page, '#/audit')
  await page.getByLabel('Search').fill('add_note')
  const records = page.getByRole('list', { name: 'Records' })
  await records.getByText('approval.answered').first().waitFor()
  await records.getByText('call.end').first().waitFor()
})

test('the protocol log has the call, and neither the page nor the log has a token', async () => {
  await openScreen(page, `#/servers/${encodeURIComponent(server)}`)
  const log = page.getByRole('region', { name: 'Protocol' })
  await log.getByText('secrets are masked').click()
  const messages = log.getByRole('list', { name: 'Messages' })
  const call = messages
    .getByRole('listitem')
    .filter({ hasText: /sent.*tools\/call/s })
    .last()
  await call.locator('summary').click()
  await call.getByText('"call Dr. Adeyemi"').waitFor()
  await messages.getByText('answer to tools/call').last().waitFor()
  const shown = await cordon.run(['mcp', 'logs', server, '--protocol'])
  assert.match(shown.stdout, /→ .*"tools\/call"[^]*← .*Added: call Dr\. Adeyemi/)
  assert.deepEqual(await findBarriers(page), [])
})

test(`over the whole walk with ${NOTES_TITLE} no policy of the page was violated`, () => {
  assert.deepEqual(watched.violations, [])
  assert.deepEqual(watched.ran, [])
  assert.deepEqual(watched.errors, [])
})

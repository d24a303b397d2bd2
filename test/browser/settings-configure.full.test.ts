/** Configuring one server, in a real Chromium: its credential or sign-in, its settings and its cordon. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { ServerSettings } from '../../src/api/server-settings.ts'
import type { ConnectionView } from '../../src/ports/setup-port.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { FakeDeps } from '../../src/web/fake-deps.ts'
import { becomes } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { connecting, listing, NO_USE, settings, tellAgainAndAgain } from './settings-answers.ts'

const KEY = 'ghp_canary0canary0canary0canary0canary0'
const ASKED: ConnectionView = connecting({ question: { title: 'token', isSecret: true } })

describe('configuring a server', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  interface Opened {
    readonly page: Page
    readonly inputOf: (route: string) => unknown
  }

  /** The views that a connection goes through, one for each time that it is followed. */
  const following = (views: ConnectionView[]) => async (): Promise<ConnectionView> => {
    const next = views.shift()
    if (next) return next
    await new Promise((resolve) => setTimeout(resolve, 1000).unref())
    return ASKED
  }

  async function configure(
    t: Parameters<typeof openPage>[1],
    shown: Partial<ServerSettings>,
    answers: Parameters<typeof openPage>[2] = {},
  ): Promise<Opened> {
    const opened = await openPage(browser, t, {
      'mcp.list': async () => listing({ GitHub: 'connected' }),
      'profiles.list': async () => ({ profiles: [], today: NO_USE }),
      'mcp.settings': async () => settings(shown),
      'tools.proposal': async () => ({ server: parseServerId('github'), set: '', tools: [] }),
      ...answers,
    })
    const { page, web, calls }: FakeDeps & typeof opened = opened
    await page.goto(web.createLink().url)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('radio', { name: 'GitHub' }).click()
    await page.getByRole('region', { name: 'MCPs' }).getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Configure: GitHub' }).waitFor()
    return { page, inputOf: (wanted) => calls.find(({ route }) => route === wanted)?.input }
  }

  test('SETUP-1: a key is tried before the screen is left, and is in no field afterwards', async (t) => {
    const { page, inputOf } = await configure(
      t,
      {},
      {
        'connect.start': async () => connecting({ phase: 'connecting' }),
        'connect.follow': following([
          ASKED,
          connecting({
            version: 4,
            trouble: 'token-refused',
            question: { title: 'token', isSecret: true },
          }),
          connecting({ version: 6, phase: 'connected' }),
        ]),
        'connect.provide': async () => connecting({ version: 3, phase: 'verifying' }),
      },
    )
    await shows(page, 'This MCP requires authentication.')
    await shows(page, 'One is stored; empty leaves it as it is.')
    await page.getByRole('textbox', { name: 'API Key / PAT' }).fill(KEY)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    await page.getByRole('status').getByText('GitHub is connected.').waitFor()
    assert.deepEqual(inputOf('connect.start'), { name: 'github', again: true })
    assert.deepEqual(inputOf('connect.provide'), { connection: 'c1', value: KEY })
    assert.equal(inputOf('mcp.configure'), undefined)
    assert.ok(!(await page.content()).includes(KEY))
  })

  test('a key that is refused is told, and asked for again', async (t) => {
    const again = connecting({
      version: 4,
      trouble: 'token-refused',
      question: { title: 'token', isSecret: true },
    })
    const { page } = await configure(
      t,
      {},
      {
        'connect.start': async () => ASKED,
        'connect.provide': async () => again,
        'connect.follow': following([again]),
      },
    )
    await page.getByRole('textbox', { name: 'API Key / PAT' }).fill(KEY)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Authentication failed. Check your API key.').waitFor()
    await becomes(() => page.getByRole('textbox', { name: 'API Key / PAT' }).inputValue(), '')
    await page.getByRole('region', { name: 'Connecting GitHub' }).getByLabel('token').waitFor()
  })

  test('a keyfile is named instead of a key', async (t) => {
    const { page, inputOf } = await configure(
      t,
      {},
      {
        'connect.start': async () => ASKED,
        'connect.provide': async () => connecting({ phase: 'connected', version: 2 }),
      },
    )
    assert.ok(await page.getByRole('textbox', { name: 'Keyfile Path' }).isDisabled())
    await shows(page, '(e.g. ~/.github_token)')
    await page.getByRole('radio', { name: 'Keyfile Path:' }).check()
    await page.getByRole('textbox', { name: 'Keyfile Path' }).fill('~/.github_token')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    assert.deepEqual(inputOf('connect.provide'), {
      connection: 'c1',
      value: 'file:~/.github_token',
    })
  })

  test('a sign-in that takes too long can be tried again, and then names the account', async (t) => {
    let isThere = false
    let starts = 0
    const authorize = 'https://github.example/login?x=1'
    const { page, inputOf } = await configure(
      t,
      {},
      {
        'mcp.settings': async () =>
          settings({
            access: isThere
              ? { kind: 'oauth', isThere, account: 'acoliver' }
              : { kind: 'oauth', isThere },
          }),
        'connect.start': async () => {
          starts += 1
          const question = { title: 'token', isSecret: true, authorize }
          return connecting({ connection: `c${starts}`, question })
        },
        'connect.follow': async ({ connection, after }) => {
          if (connection === 'c1' && after === 1) {
            return connecting({ version: 2, trouble: 'sign-in-timed-out' })
          }
          if (connection === 'c2') {
            isThere = true
            return connecting({ connection, version: 2, phase: 'connected' })
          }
          await new Promise((resolve) => setTimeout(resolve, 1000).unref())
          return connecting({ version: 2, trouble: 'sign-in-timed-out' })
        },
        'events.follow': tellAgainAndAgain('setup.connected'),
      },
    )
    await shows(page, 'This MCP requires OAuth authentication.')
    await shows(page, 'Status: Not connected')
    await page.getByRole('button', { name: 'Authorize with GitHub' }).click()
    await page
      .getByRole('alert')
      .getByText('Authorization timed out after 2 minutes.', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await shows(page, 'Status: Connected as @acoliver')
    await page.getByRole('button', { name: 'Reauthorize with GitHub' }).waitFor()
    assert.deepEqual(inputOf('connect.start'), { name: 'github', again: true })
  })

  test('a sign-in leads to a page that is named first', async (t) => {
    const authorize = 'https://github.example/login?x=1'
    const view = connecting({ question: { title: 'token', isSecret: true, authorize } })
    const { page } = await configure(
      t,
      { access: { kind: 'oauth', isThere: false } },
      { 'connect.start': async () => view, 'connect.follow': following([]) },
    )
    await page.getByRole('button', { name: 'Authorize with GitHub' }).click()
    const link = page.getByRole('link', { name: 'Authorize with GitHub' })
    assert.equal(await link.getAttribute('href'), authorize)
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
    await shows(page, 'at github.example')
  })

  test('folders, hosts and label are changed with their consequences, and nothing else is sent', async (t) => {
    const { page, inputOf } = await configure(
      t,
      {
        access: { kind: 'none' },
        writePaths: ['/home/ana/Documents', '/home/ana/Downloads'],
      },
      { 'mcp.configure': async () => settings() },
    )
    await shows(page, 'No authentication required.')
    await shows(
      page,
      'It can change and delete anything below /home/ana/Documents, /home/ana/Downloads.',
    )
    await page.getByRole('button', { name: 'Remove /home/ana/Downloads' }).click()
    await page.getByLabel('New path').fill('~/photos')
    await page.getByRole('button', { name: '[+ Add Path]' }).click()
    await shows(page, 'It can read everything below ~/photos, and change nothing there.')
    await page.getByRole('button', { name: 'Remove api.github.com' }).click()
    await shows(page, 'It reaches no host: nothing that it knows leaves this machine by it.')
    await page.getByLabel('New domain').fill('uploads.github.com')
    await page.keyboard.press('Enter')
    await shows(page, 'Every other host is blocked.')
    await page.getByLabel('Label:').selectOption('internal')
    await shows(page, 'may go to your other servers and to your models unasked')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    assert.deepEqual(inputOf('mcp.configure'), {
      server: 'github',
      changes: {
        readPaths: ['~/photos'],
        writePaths: ['/home/ana/Documents'],
        allowedDomains: ['uploads.github.com'],
        label: 'internal',
      },
    })
    assert.equal(inputOf('connect.start'), undefined)
  })

  test('a setting of the service has a title, and its variable is shown only on request', async (t) => {
    const field = { key: 'ATLASSIAN_SITE_NAME', title: 'site name', value: 'acme' }
    const { page, inputOf } = await configure(
      t,
      { settings: [field] },
      { 'mcp.configure': async () => settings() },
    )
    const variable = page.getByText('ATLASSIAN_SITE_NAME')
    assert.equal(await variable.isVisible(), false)
    await page.getByText('How the server gets it').click()
    await variable.waitFor()
    await page.getByLabel('site name:').fill('other')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    assert.deepEqual(inputOf('mcp.configure'), {
      server: 'github',
      changes: { settings: { ATLASSIAN_SITE_NAME: 'other' } },
    })
  })

  test('another account of the service is a server of its own', async (t) => {
    const { page, inputOf } = await configure(
      t,
      { accounts: [{ server: 'github-home', name: 'GitHub (home)' }] },
      { 'connect.start': async () => ASKED, 'connect.follow': following([]) },
    )
    const link = page.getByRole('link', { name: 'GitHub (home)' })
    assert.equal(await link.getAttribute('href'), '#/settings/mcp/github-home')
    await page.getByLabel('Connect GitHub as').fill('work')
    await page.getByRole('button', { name: 'Connect another account' }).click()
    await page.getByRole('region', { name: 'Connecting GitHub' }).waitFor()
    assert.deepEqual(inputOf('connect.start'), { name: 'github', account: 'work' })
  })

  test('an event leaves what is being typed as it is', async (t) => {
    let isTyped = false
    const { page } = await configure(
      t,
      {},
      {
        'mcp.settings': async () => settings({ name: isTyped ? 'GitHub anew' : 'GitHub' }),
        'events.follow': tellAgainAndAgain('servers.edit'),
      },
    )
    await page.getByRole('textbox', { name: 'API Key / PAT' }).fill(KEY)
    await page.getByLabel('New path').fill('~/half')
    isTyped = true
    await page.getByRole('heading', { name: 'Configure: GitHub anew' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'API Key / PAT' }).inputValue(), KEY)
    assert.equal(await page.getByLabel('New path').inputValue(), '~/half')
  })
})

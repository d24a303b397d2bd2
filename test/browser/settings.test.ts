/** The settings: profiles, servers and the shortcut, in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Input, Output } from '../../src/api/contract.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { Web } from '../../src/web/open-web.ts'
import { becomes, until } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { listing, NO_USE, profile, settings } from './settings-answers.ts'

async function openSettings(page: Page, web: Web): Promise<void> {
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
}

const refusal = (message: string): CordonError =>
  new CordonError('servers.not-yours', { exit: 2, hint: 'Edit it by hand' }, message)

describe('the settings', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  const LISTS = {
    'vault.status': async () => ({ state: 'absent', secrets: 0, warnings: [] }) as const,
    'vault.sources': async () => ({ sources: ['passphrase', 'keyfile'] }) as const,
    'profiles.list': async () => ({
      profiles: [profile('claude', { isActive: true }), profile('gpt', { model: 'gpt-4o' })],
      today: NO_USE,
    }),
    'mcp.list': async () =>
      listing({ GitHub: 'connected', Filesystem: 'idle', Brave: 'error', Notes: 'disabled' }),
  } as const

  test('list profiles and servers, with a badge for all but the disabled', async (t) => {
    const { page, web } = await openPage(browser, t, LISTS)
    await openSettings(page, web)
    const rows = async (name: string): Promise<readonly string[]> => {
      const all = page.getByRole('region', { name }).getByRole('listitem')
      return (await all.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    }
    await becomes(
      () => rows('MCPs'),
      ['GitHub Connected', 'Filesystem Idle', 'Brave Error', 'Notes'],
    )
    const boxes = page.getByRole('checkbox')
    await becomes(
      () => Promise.all([0, 1, 2, 3].map((at) => boxes.nth(at).isChecked())),
      [true, true, true, false],
    )
    await becomes(async () => (await rows('Profiles')).length, 2)
    const profiles = await rows('Profiles')
    assert.match(profiles[0] ?? '', /claude[^]*\[\*\]/)
    assert.doesNotMatch(profiles[1] ?? '', /\[\*\]/)
    const remove = page.getByRole('button', { name: 'Delete the selected MCP' })
    await becomes(() => remove.isDisabled(), true)
  })

  test('a checkbox changes at once, and back if that is refused', async (t) => {
    const held = Promise.withResolvers<never>()
    const { page, web, calls } = await openPage(browser, t, {
      ...LISTS,
      'mcp.configure': () => held.promise,
    })
    await openSettings(page, web)
    const box = page.getByRole('checkbox', { name: 'Enable GitHub' })
    const sent = () => calls.find(({ route }) => route === 'mcp.configure')
    await box.click()
    await becomes(() => box.isChecked(), false)
    await until(() => sent() !== undefined) // a refusal that nobody waits for would fail the test
    held.reject(refusal('Cannot change "github"'))
    await page.getByRole('status').getByText('Cannot change "github".').waitFor()
    await page.locator('input[aria-label="Enable GitHub"]:checked').waitFor()
    assert.deepEqual(sent()?.input, { server: 'github', changes: { enabled: false } })
  })

  test('a server is deleted after a question, with its credentials', async (t) => {
    let isThere = true
    const { page, web, calls } = await openPage(browser, t, {
      ...LISTS,
      'mcp.list': async () => listing(isThere ? { GitHub: 'connected' } : {}),
      'connect.remove': async () => {
        isThere = false
        return { removedSecrets: ['github_token'], removedData: false }
      },
    })
    await openSettings(page, web)
    await page.getByRole('radio', { name: 'GitHub' }).click()
    const remove = page.getByRole('button', { name: 'Delete the selected MCP' })
    await remove.click()
    const dialog = page.getByRole('dialog', { name: 'Delete "GitHub"?' })
    await dialog.getByText('This will remove the MCP and its stored credentials.').waitFor()
    await dialog.locator('button:focus', { hasText: /^Cancel$/ }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.ok(!calls.some(({ route }) => route === 'connect.remove'))
    await remove.click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await shows(page, 'Nothing is connected.')
    const sent = calls.find(({ route }) => route === 'connect.remove')
    assert.deepEqual(sent?.input, { server: 'github', keepSecrets: false })
  })

  test('SETUP-1: a key that is typed is sent once, and stays in no field when that fails', async (t) => {
    let isRefused = true
    const key = 'sk-canary-canary-canary'
    const { page, web, calls } = await openPage(browser, t, {
      ...LISTS,
      'profiles.add': async ({ name }) => {
        if (!isRefused) return profile(name)
        throw new CordonError('vault.locked', { exit: 4, hint: 'Unlock it' }, 'Cannot store a key')
      },
    })
    await openSettings(page, web)
    await page.getByRole('link', { name: 'Add a new profile' }).click()
    await page.getByLabel('Name:').fill('work')
    await page.getByLabel('Model:').fill('claude-opus')
    await page.getByLabel('API Key:').fill(key)
    await shows(page, 'whoever can read your files can read it')
    await page.getByLabel('It may read what is sensitive').check()
    assert.equal(await page.getByLabel('API Key:').getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Cannot store a key.').waitFor()
    await becomes(() => page.getByLabel('API Key:').inputValue(), '')
    assert.equal(await page.getByLabel('Model:').inputValue(), 'claude-opus')
    isRefused = false
    await page.getByLabel('API Key:').fill(key)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    const sent = calls.filter(({ route }) => route === 'profiles.add')
    assert.deepEqual(sent.at(-1)?.input, {
      name: 'work',
      model: 'claude-opus',
      key,
      protect: 'keyfile',
      mayReadSensitive: true,
      provider: 'anthropic',
    })
    assert.ok(!(await page.content()).includes(key))
  })

  test('a profile is edited, tried, chosen and deleted', async (t) => {
    const used = { profile: 'gpt', model: 'gpt-4o', inputTokens: 9, outputTokens: 1, ms: 40 }
    const { page, web, calls } = await openPage(browser, t, {
      ...LISTS,
      'profiles.edit': async ({ name }) => profile(name),
      'profiles.test': async () => ({ ...used, text: 'OK' }),
      'profiles.use': async ({ name }) => profile(name),
      'profiles.remove': async ({ name }) => ({ name }),
      'profiles.refresh': async () => ({
        offered: [{ profile: 'gpt', models: ['gpt-5', 'gpt-6'] }],
      }),
    })
    await openSettings(page, web)
    await page.getByRole('button', { name: 'Refresh Models' }).click()
    await page.getByRole('status').getByText('gpt: 2 models').waitFor()
    await page.getByRole('radio', { name: 'gpt' }).check()
    await page.getByRole('region', { name: 'Profiles' }).getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByRole('status').getByText('gpt-4o answered after 40 ms.').waitFor()
    await page.getByRole('button', { name: 'Make it the one that is asked' }).click()
    await page.getByRole('status').getByText('gpt is the one that is asked.').waitFor()
    await becomes(() => page.locator('datalist option').count(), 2)
    await page.getByLabel('Model:').fill('gpt-5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'MCPs' }).waitFor()
    await page.getByRole('radio', { name: 'gpt' }).check()
    await page.getByRole('button', { name: 'Delete the selected profile' }).click()
    await page.getByText('This will remove the profile and its stored key.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('status').getByText('gpt is removed.').waitFor()
    const inputOf = (wanted: string): unknown => calls.find(({ route }) => route === wanted)?.input
    assert.deepEqual(inputOf('profiles.edit'), {
      name: 'gpt',
      model: 'gpt-5',
      mayReadSensitive: false,
    })
    assert.deepEqual(inputOf('profiles.use'), { name: 'gpt' })
    assert.deepEqual(inputOf('profiles.remove'), { name: 'gpt' })
  })

  test('the shortcut leads to the chat, and can be another one', async (t) => {
    const { page, web } = await openPage(browser, t, LISTS)
    await openSettings(page, web)
    await page.keyboard.press('Control+Shift+Space')
    await page.getByRole('heading', { name: 'Chat' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Global Hotkey:').focus()
    await page.keyboard.press('Alt+j')
    await becomes(() => page.getByLabel('Global Hotkey:').inputValue(), 'Alt+J')
    await page.reload()
    await page.getByLabel('Global Hotkey:').waitFor()
    await page.keyboard.press('Alt+j')
    await page.getByRole('heading', { name: 'Chat' }).waitFor()
  })

  test('a server that ends, and one that is given up, are told on every screen', async (t) => {
    const events: Output<'events.follow'>['events'][number][][] = [
      [{ kind: 'servers.crash', subject: 'github' }],
      [
        { kind: 'servers.crash', subject: 'brave' },
        { kind: 'servers.disabled', subject: 'brave' },
      ],
    ]
    const follow = async ({ after }: Input<'events.follow'>): Promise<Output<'events.follow'>> => {
      const next = after === undefined ? undefined : events.shift()
      if (after !== undefined && !next) await new Promise((resolve) => setTimeout(resolve, 1000))
      return { boot: '1', after: (after ?? 0) + 1, notices: 1, traffic: 1, events: next ?? [] }
    }
    const { page, web } = await openPage(browser, t, {
      ...LISTS,
      'events.follow': follow,
      'mcp.settings': async () => settings({ server: 'brave', name: 'Brave' }),
      'tools.proposal': async () => ({ server: 'brave' as never, set: '', tools: [] }),
    })
    const toasts = page.locator('.toast')
    // Waited for before the page is there: on a busy machine they may be gone when it is loaded.
    const told = [
      toasts.getByText('GitHub disconnected. Reconnecting...').waitFor(),
      toasts.getByText('Brave failed to restart. Check settings.').waitFor(),
    ]
    await Promise.all([page.goto(web.createLink().url), ...told])
    assert.equal(await toasts.getByText('Brave disconnected').count(), 0)
    await page.getByRole('button', { name: 'Open its settings' }).click()
    await page.getByRole('heading', { name: 'Configure: Brave' }).waitFor()
  })
})

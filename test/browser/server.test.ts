/** The page of one server in a real Chromium: quarantine with its difference, switches, a call by hand, memory and the way out. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { ToolListing } from '../../src/ports/tool-view.ts'
import { becomes } from '../fixtures/until.ts'
import { DETAILS, launchChromium, openPage, shows } from './open-page.ts'

const notion = parseServerId('notion')
const HASH = 'b'.repeat(64)

function listing(name: string): ToolListing {
  const card = { id: { server: notion, name }, title: name, summary: '', args: [] }
  return { card: { ...card, effect: 'remote-read' } }
}

const ANSWERS: FakeAnswers = {
  'mcp.show': async () => DETAILS,
  'mcp.logs': async () => ({ lines: [] }),
  'mcp.tools': async () => ({
    tools: [
      {
        name: 'search',
        inputSchema: {
          type: 'object',
          required: ['query'],
          properties: {
            query: { type: 'string', description: '<b>words</b>' },
            limit: { type: 'integer' },
            sort: { enum: ['new', 'old'] },
          },
        },
        hash: HASH,
        quarantined: false,
      },
    ],
  }),
  'tools.list': async () => ({ tools: [listing('search')], flags: [] }),
  'tools.proposal': async () => ({ server: notion, set: HASH, tools: [] }),
}

describe('the page of a server', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('SERVER-1: shows which words of a tool changed, as text, and accepts exactly the hash it shows', async (t) => {
    let isOpen = true
    const { page, web, calls } = await openPage(browser, t, {
      ...ANSWERS,
      'mcp.show': async () => ({
        ...DETAILS,
        state: { ...DETAILS.state, quarantined: isOpen ? 1 : 0 },
      }),
      'mcp.changes': async () => ({
        changes: [
          {
            name: 'search',
            before: { description: 'Searches pages' },
            now: { description: 'Searches <img src=x> pages\u202e' },
            hash: HASH,
          },
        ],
      }),
      'mcp.accept': async () => {
        isOpen = false
        return { tools: [] }
      },
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    const change = page.getByRole('region', { name: 'Change of search' })
    await change.waitFor()
    assert.equal(await change.locator('del').innerText(), 'pages"')
    assert.equal(
      await change
        .locator('ins')
        .allInnerTexts()
        .then((all) => all.join('')),
      '<img src=x> pages\\u202e"',
    )
    assert.equal(await page.locator('main img').count(), 0)
    await change.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('Quarantined').waitFor({ state: 'detached' })
    assert.deepEqual(calls.find(({ route }) => route === 'mcp.accept')?.input, {
      server: 'notion',
      tools: { search: HASH },
    })
  })

  test('switches a tool off, and switches it back where that is refused', async (t) => {
    let isRefused = false
    const { page, web, calls } = await openPage(browser, t, {
      ...ANSWERS,
      'tools.set': async () => {
        if (isRefused)
          throw new CordonError('store.x', { exit: 5, hint: 'Wait' }, 'Cannot write it')
        return {} as never
      },
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    const box = page.getByLabel('search may be called')
    await box.uncheck()
    const off = () => calls.find(({ route }) => route === 'tools.set')?.input
    await becomes(off, { server: 'notion', tool: 'search', enabled: false })
    isRefused = true
    await box.click()
    await page.getByRole('status').getByText('Cannot write it.').waitFor()
    await becomes(() => box.isChecked(), false)
  })

  test('calls a tool from a form made of its schema, and shows the answer as text', async (t) => {
    const { page, web, calls } = await openPage(browser, t, {
      ...ANSWERS,
      'mcp.question': async () => ({ question: null }),
      'mcp.call': async () => ({ kind: 'ok', value: '<script>alert(1)</script>' }),
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    const inspector = page.getByRole('region', { name: 'Call a tool by hand' })
    await inspector.getByRole('combobox').first().selectOption('search')
    const form = page.getByRole('form', { name: 'Call search' })
    await form.getByText('<b>words</b>').waitFor()
    await form.getByLabel('query').fill("it's 5")
    await form.getByLabel('limit').fill('5')
    await form.getByLabel('sort').selectOption('old')
    const args = { query: "it's 5", limit: 5, sort: 'old' }
    await shows(
      page,
      String.raw`cordon mcp call notion.search '{"query":"it'\''s 5","limit":5,"sort":"old"}'`,
    )
    await form.getByRole('button', { name: 'Call' }).click()
    await shows(page, '<script>alert(1)</script>')
    const call = calls.find(({ route }) => route === 'mcp.call')
    const { callId: _id, ...sent } = (call?.input ?? {}) as { readonly callId?: string }
    assert.deepEqual(sent, {
      server: 'notion',
      tool: 'search',
      args,
      approval: 'wait',
      canAnswer: true,
    })
  })

  test('shows memory against its limit, the hosts that were blocked, and each attempt that was stopped', async (t) => {
    const { page, web } = await openPage(browser, t, {
      ...ANSWERS,
      'mcp.show': async () => ({
        ...DETAILS,
        state: {
          ...DETAILS.state,
          memoryBytes: 64 * 2 ** 20,
          blockedHosts: ['telemetry.example', '<img src=x>'],
        },
      }),
      'audit.search': async ({ kind, subject }) => ({
        records:
          kind === 'egress.*' && subject === 'notion'
            ? [
                {
                  seq: 1,
                  at: '2030-01-01T00:00:00Z',
                  prev: '',
                  hash: '',
                  principal: 'principal:owner' as never,
                  kind: 'egress.blocked',
                  details: { host: 'evil.example', port: 443, reason: 'host is not allowed' },
                },
              ]
            : [],
      }),
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    await shows(page, '64 MiB, at most 256 MiB')
    const meter = page.getByRole('meter', { name: 'Memory' })
    assert.equal(
      Number(await meter.getAttribute('value')) / Number(await meter.getAttribute('max')),
      0.25,
    )
    await shows(page, 'evil.example:443')
    await shows(page, 'host is not allowed')
    const hosts = page.getByRole('region', { name: 'Way out' }).locator('.hosts li')
    await becomes(
      () => hosts.allInnerTexts(),
      [
        'may reach api.notion.com no connection yet',
        'blocked telemetry.example',
        'blocked <img src=x>',
      ],
    )
    await shows(page, 'no connection was made')
    await shows(page, 'cordon notices allow notion:blocked')
    assert.equal(await page.locator('main img').count(), 0)
  })

  test('takes a newer version only after its differences were shown, and exactly that one', async (t) => {
    const none = { added: [], removed: [] }
    const facts = { bytes: 2 ** 20, packages: 1 }
    const plan = {
      server: 'notion',
      package: '@notion/mcp',
      manifest: 'sha512-abc',
      before: { version: '1.0.0', publisher: 'ann', ...facts },
      after: { version: '2.0.0', publisher: 'mallory', ...facts },
      files: { added: 1, removed: 0, changed: 2 },
      named: ['+ <img src=x>.js'],
      parts: none,
      hosts: { added: ['collect.evil.test'], removed: [] },
      unread: 0,
      scripts: none,
      tools: [{ name: 'search', before: {}, now: {}, hash: 'a'.repeat(64) }],
      tried: [],
      willRun: [],
    }
    const taken = { server: 'notion', from: '1.0.0', to: '2.0.0', waiting: [] }
    const { page, web, calls } = await openPage(browser, t, {
      ...ANSWERS,
      'mcp.updates': async () => ({
        servers: [
          { server: 'notion', package: 'x', version: '1.0.0', newer: '2.0.0', isCordons: false },
        ],
      }),
      'upgrades.plan': async () => ({ plan, before: '0.9.0' }),
      'upgrades.take': async () => taken,
      'upgrades.undo': async () => ({ ...taken, from: '2.0.0', to: '0.9.0' }),
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    await page.getByRole('button', { name: 'Look for a newer version' }).click()
    assert.equal(await page.getByRole('button', { name: /^Take/ }).count(), 0)
    await page.getByRole('button', { name: 'See what an upgrade changes' }).click()
    await shows(page, 'publisher: ann → mallory')
    await shows(page, 'collect.evil.test')
    await shows(page, 'search changes')
    assert.equal(await page.locator('main img').count(), 0)
    await page.getByRole('button', { name: 'Take 2.0.0' }).click()
    await page.getByRole('status').getByText('notion is at 2.0.0.').waitFor()
    const input = calls.find(({ route }) => route === 'upgrades.take')?.input
    const tools = { search: 'a'.repeat(64) }
    assert.deepEqual(input, { server: 'notion', version: '2.0.0', manifest: 'sha512-abc', tools })
    await page.getByRole('button', { name: 'Go back to 0.9.0' }).click()
    await page.getByRole('status').getByText('notion is at 0.9.0.').waitFor()
  })
})

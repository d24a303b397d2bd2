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

  test('takes a newer version only as a connection, and no line that a registry made up', async (t) => {
    let newer = '2.0.0 && evil'
    const { page, web, calls } = await openPage(browser, t, {
      ...ANSWERS,
      'mcp.updates': async () => ({
        servers: [
          { server: 'notion', package: '@notion/mcp', version: '1.0.0', newer, isCordons: false },
        ],
      }),
      'connect.start': async () => {
        throw new CordonError('setup.x', { exit: 5, hint: 'Wait' }, 'Cannot connect it')
      },
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/servers/notion`)
    await page.getByRole('button', { name: 'Look for a newer version' }).click()
    await shows(page, '2.0.0 && evil')
    assert.equal(await page.getByRole('button', { name: /^Take/ }).count(), 0)
    newer = '2.0.0'
    await page.getByRole('button', { name: 'Look for a newer version' }).click()
    await page.getByRole('button', { name: 'Take 2.0.0' }).click()
    await page.getByRole('status').getByText('Cannot connect it.').waitFor()
    const asked = calls.filter(({ route }) => route === 'mcp.updates').map(({ input }) => input)
    assert.deepEqual(asked, [{ server: 'notion' }, { server: 'notion' }])
    const started = calls.find(({ route }) => route === 'connect.start')?.input
    assert.deepEqual(started, { name: 'npx -y @notion/mcp@2.0.0' })
  })
})

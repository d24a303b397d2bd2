/** The owner's word on tools, and the answer to a question, on the page in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { Web } from '../../src/web/open-web.ts'
import { becomes, until } from '../fixtures/until.ts'
import { DETAILS, launchChromium, openPage, shows } from './open-page.ts'

const SET = 'a'.repeat(64)
const notion = parseServerId('notion')

function proposal(by: 'unsaid' | 'mark'): Output<'tools.proposal'> {
  const rest = { by, isWaiting: false, because: 'its name says it' } as const
  return {
    server: notion,
    set: SET,
    ...(by === 'unsaid' && { summary: 'Nobody vouches for 2 tools: 1 says it only reads' }),
    tools: [
      { ...rest, name: '<b>list</b>', says: 'read', effect: 'destructive' },
      { ...rest, name: 'get', says: 'read', effect: 'destructive', doubt: 'it says "run"' },
    ],
  }
}

const APPROVAL: ShownApproval = {
  id: 'q1',
  taskId: 't',
  state: 'pending',
  createdAt: '2030-01-01T00:00:00.000Z',
  expiresAt: '2030-01-01T00:05:00.000Z',
  isWaitedFor: true,
  needsFullView: true,
  answeredHow: [],
  lines: [[{ text: 'Delete <i>everything</i>', tone: 'strong' }]],
  more: [[{ text: 'Question q1', tone: 'quiet' }]],
  items: [
    {
      digest: 'd'.repeat(64),
      callId: 'c',
      tool: { server: notion, name: 'delete' },
      serverName: 'Notion',
      effect: 'destructive',
      rule: 'destructive',
      reason: 'x',
      offers: ['tool'],
      args: {},
      labels: {},
    },
  ],
}

/** The answers for the page of one server. */
const SERVER = {
  'mcp.show': async () => DETAILS,
  'mcp.logs': async () => ({ lines: [] }),
  'mcp.tools': async () => ({ tools: [] }),
  'tools.list': async () => ({ tools: [], flags: [] }),
} as const

async function openServer(page: Page, web: Web): Promise<void> {
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('main').getByRole('link', { name: '<img' }).click()
}

describe('the page', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('shows what the tools of a server claim, as text, and takes it with one button', async (t) => {
    let by: 'unsaid' | 'mark' = 'unsaid'
    const { page, web, calls } = await openPage(browser, t, {
      ...SERVER,
      'tools.proposal': async () => proposal(by),
      'tools.mark': async () => proposal((by = 'mark')),
    })
    await openServer(page, web)
    await shows(page, 'Nobody vouches for 2 tools')
    await shows(page, '<b>list</b>')
    await shows(page, 'read? it says "run"')
    await page.getByRole('button', { name: 'Take them so' }).click()
    await shows(page, 'Somebody has spoken for every tool.')
    const effects = page.getByRole('region', { name: 'What its tools do' }).getByRole('combobox')
    const marked = () => calls.filter(({ route }) => route === 'tools.mark')
    await effects.last().selectOption('read')
    await until(() => marked().length === 2)
    await effects.last().selectOption('')
    await shows(page, 'you said so')
    const about = { server: 'notion', set: SET }
    await becomes(
      () => marked().map(({ input }) => input),
      [
        { ...about, change: { kind: 'as-said' } },
        { ...about, change: { kind: 'effect', effect: 'read', tools: ['get'] } },
        { ...about, change: { kind: 'clear', tools: ['get'] } },
      ],
    )
  })

  test('shows a notice as text, and marks it as seen with one button', async (t) => {
    const notice: Output<'notices.list'>['notices'][number] = {
      id: 'notion:sign-in',
      kind: 'sign-in',
      server: 'notion',
      items: [],
      what: 'The sign-in of notion is over: <b>gone</b>',
      hint: 'Sign in again with `cordon connect notion`',
      since: '2030-01-01T00:00:00Z',
      last: '2030-01-01T00:00:00Z',
      count: 3,
      isSeen: false,
    }
    let isOpen = true
    const { page, web, calls } = await openPage(browser, t, {
      'notices.list': async () => ({ version: 1, notices: isOpen ? [notice] : [] }),
      'notices.seen': async () => {
        isOpen = false
        return { seen: 1 }
      },
    })
    await page.goto(web.createLink().url)
    await shows(page, 'The sign-in of notion is over: <b>gone</b> (3 times).')
    await shows(page, 'cordon connect notion')
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByText('Needs attention').waitFor({ state: 'detached' })
    const marked = calls.find(({ route }) => route === 'notices.seen')
    assert.deepEqual(marked?.input, { ids: ['notion:sign-in'] })
  })

  test('says so when the tools changed meanwhile', async (t) => {
    const { page, web } = await openPage(browser, t, {
      ...SERVER,
      'tools.proposal': async () => proposal('unsaid'),
      'tools.mark': async () => {
        throw new CordonError('servers.other-tools', { exit: 3, hint: 'Look again' }, 'Cannot mark')
      },
    })
    await openServer(page, web)
    await page.getByRole('button', { name: 'Take them so' }).click()
    await page.getByRole('status').getByText('Cannot mark.').waitFor()
    await shows(page, 'Nobody vouches for 2 tools')
  })

  for (const [name, said] of [
    ['No', { allow: [] }],
    ['Yes, once', { allow: ['d'.repeat(64)] }],
    ['Always, for this tool', { allow: ['d'.repeat(64)], grant: 'tool' }],
  ] as const) {
    test(`answers a question with "${name}", after showing it whole`, async (t) => {
      let isOpen = true
      const { page, web, calls } = await openPage(browser, t, {
        'approvals.list': async () => ({ version: 1, approvals: isOpen ? [APPROVAL] : [] }),
        'approvals.show': async () => APPROVAL,
        'approvals.answer': async () => {
          isOpen = false
          return { approval: APPROVAL, grants: [], quarantined: [] }
        },
      })
      await page.goto(web.createLink().url)
      await shows(page, 'Delete <i>everything</i>')
      const shown = () => calls.find(({ route }) => route === 'approvals.show')
      await becomes(() => shown()?.input, { id: 'q1', full: true })
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByText('You are asked').waitFor({ state: 'detached' })
      const answer = calls.find(({ route }) => route === 'approvals.answer')
      assert.deepEqual(answer?.input, { id: 'q1', server: 'notion', channel: 'page', ...said })
    })
  }
})

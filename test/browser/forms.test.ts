/** Forms of servers, the protocol log and the way of a newcomer, in a real Chromium with fake rooms behind it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Input } from '../../src/api/contract.ts'
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import type { TurnEvent } from '../../src/ports/turn-port.ts'
import type { Web } from '../../src/web/open-web.ts'
import { DETAILS, LISTING, launchChromium, openPage, shows } from './open-page.ts'
import { openScreen } from './visit-screens.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

const FORM: TurnEvent = {
  number: 1,
  kind: 'question',
  text: 'shop asks you: How many?',
  form: {
    run: 'r1',
    question: {
      id: 'q1',
      kind: 'input',
      node: 'buy',
      server: 'shop',
      text: `shop asks: How many? ${HOSTILE}`,
      choices: ['accept', 'decline', 'cancel'],
      fields: [
        { kind: 'number', isWhole: true, name: 'count', title: HOSTILE, isRequired: true },
        { kind: 'text', name: 'note', title: 'Note', isRequired: false },
        {
          kind: 'choice',
          name: 'size',
          title: 'Size',
          isRequired: false,
          options: [{ value: 's', title: 'Small' }],
        },
      ],
    },
  },
}

const STUCK: TurnEvent = {
  number: 1,
  kind: 'question',
  text: 'Cordon ended 5 times',
  form: {
    run: 'r1',
    question: {
      id: 'q1',
      kind: 'stuck',
      node: '',
      text: 'Cordon ended 5 times',
      choices: ['retry', 'fail'],
    },
  },
}

/** A turn that asks by a form, and answers once the form was answered. */
function asking(answered: Input<'flows.answer'>[], form = FORM): FakeAnswers {
  const answer: TurnEvent = { number: 2, kind: 'answer', text: 'Bought.', isQuestion: false }
  return {
    'chat.send': async () => ({ reply: '', wasSecret: false, connection: null, turn: 't1' }),
    'chat.follow': async ({ after: seen }) => {
      const isAnswered = answered.length > 0
      if (seen > 0 && !isAnswered) await new Promise((resolve) => setTimeout(resolve, 100))
      const events = (isAnswered ? [form, answer] : [form]).filter(({ number }) => number > seen)
      return { turn: 't1', isOver: isAnswered, events }
    },
    'flows.answer': async (input) => {
      answered.push(input)
      return { id: 'r1', flow: 'x', state: 'running', principal: 'o', startedAt: '', stepsDone: 0 }
    },
  }
}

async function openChat(page: Page, web: Web): Promise<void> {
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByLabel('Message').waitFor()
}

describe('forms and first steps', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('a question of a server is a form under the name of the server, and empty fields are left out', async (t) => {
    const answered: Input<'flows.answer'>[] = []
    const { page, web } = await openPage(browser, t, asking(answered))
    await openChat(page, web)
    await page.getByLabel('Message').fill('buy')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'shop asks you' })
    await card.getByText('These are words of shop, not of Cordon.').waitFor()
    await card.getByText('Never type a password or a token').waitFor()
    await page.getByText('It waits for your answer.').waitFor()
    assert.equal(await card.locator('img, input[type=password]').count(), 0)
    await card.getByRole('spinbutton').fill('2')
    await card.getByRole('button', { name: 'Send' }).click()
    await shows(page, 'Bought.')
    assert.deepEqual(answered, [
      { id: 'r1', question: 'q1', choice: 'accept', value: { count: 2 } },
    ])
    await page.getByText('shop asked, and was answered.').waitFor()
    assert.equal(await card.count(), 0)
  })

  test('a run that ended Cordon again and again goes on only at the word of its owner', async (t) => {
    const answered: Input<'flows.answer'>[] = []
    const { page, web } = await openPage(browser, t, asking(answered, STUCK))
    await openChat(page, web)
    await page.getByLabel('Message').fill('buy')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'This run waits for your word' })
    await card.getByRole('button', { name: 'Go on with it' }).click()
    await shows(page, 'Bought.')
    assert.deepEqual(answered, [{ id: 'r1', question: 'q1', choice: 'retry' }])
  })

  test('the protocol log names answers after their requests, and none of it becomes markup', async (t) => {
    const at = '2030-01-01T00:00:00.000Z'
    const { page, web } = await openPage(browser, t, {
      'mcp.show': async () => DETAILS,
      'mcp.tools': async () => ({ tools: [] }),
      'mcp.logs': async () => ({ lines: [] }),
      'tools.list': async () => ({ tools: [], flags: [] }),
      'tools.proposal': async () => ({ server: 'notion' as never, set: 'a', tools: [] }),
      'mcp.messages': async () => ({
        messages: [
          { seq: 1, at, direction: 'sent', id: '7', method: 'tools/call', text: '{"a":1}' },
          { seq: 2, at, direction: 'received', id: '7', isError: true, text: `{"b":"${HOSTILE}` },
          { seq: 3, at, direction: 'received', method: HOSTILE, text: '{}' },
        ],
      }),
    })
    await page.goto(web.createLink().url)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.evaluate('location.hash = "#/servers/notion"')
    const log = page.getByRole('region', { name: 'Protocol' })
    await log.getByText('secrets are masked').click()
    const items = log.getByRole('listitem')
    await items.filter({ hasText: 'error to tools/call' }).locator('summary').click()
    await items.getByText(HOSTILE).first().waitFor()
    assert.equal(await items.count(), 3)
    assert.equal(await log.locator('img').count(), 0)
    await log.getByText('cordon mcp logs notion --protocol --follow').waitFor()
  })

  test('the chain goes over the chat to the first answer, with an example that can be answered', async (t) => {
    const files = {
      ...LISTING.servers[0]!,
      server: 'filesystem',
      name: 'Filesystem',
      readPaths: ['/home/ana/notes'],
    }
    const { page, web } = await openPage(browser, t, {
      'mcp.list': async () => ({ servers: [files], problems: [] }),
    })
    await page.goto(web.createLink().url)
    const chain = page.getByRole('region', { name: 'Where you are' })
    await chain.getByRole('link', { name: 'Open the chat' }).click()
    await page.getByRole('button', { name: 'list the files in /home/ana/notes' }).waitFor()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await chain.getByRole('link', { name: 'Ask with an example' }).click()
    await page.getByLabel('Message').waitFor()
    assert.equal(await page.getByLabel('Message').inputValue(), 'list the files in /home/ana/notes')
  })

  test('a toast of the chat never lies over the field and its button', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'chat.send': async () => ({ reply: 'Hello', wasSecret: false, connection: null }),
    })
    for (const width of [1200, 320]) {
      await page.setViewportSize({ width, height: 700 })
      if (width === 1200) await openChat(page, web)
      await page.evaluate(`for (const text of ['One', 'Two']) {
        const toast = document.createElement('div')
        toast.className = 'toast failed'
        toast.textContent = text
        document.querySelector('.toasts').append(toast)
      }`)
      const send = await page.getByRole('button', { name: 'Send' }).boundingBox()
      const toasts = await page.locator('.toasts').boundingBox()
      assert.ok(send && toasts)
      assert.ok(toasts.y + toasts.height <= send.y, `${width} px: ${JSON.stringify(toasts)}`)
    }
  })

  test('of ten thousand results of a registry the first hundred are drawn, and the rest is counted', async (t) => {
    const found = Array.from({ length: 10_000 }, (_, n) => ({
      service: {
        slug: `n${n}`,
        title: `Notes ${n}`,
        about: 'x',
        source: { kind: 'official', name: `a/n${n}` },
      },
      badge: 'Official',
      verified: false,
      auth: 'none',
    }))
    const { page, web } = await openPage(browser, t, {
      'catalog.list': async () => ({ services: [] }),
      'registry.search': async () => ({ found, notices: [] }) as never,
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/servers/add')
    await page.getByLabel('Registry:').selectOption('Both')
    await page.getByLabel('Search:').fill('notes')
    await page.getByText('And 9900 more: search with more words.').waitFor()
    assert.equal(await page.getByRole('radiogroup').getByRole('radio').count(), 100)
  })

  test('a server of a registry is connected by its name there, and the selected row is marked', async (t) => {
    const started: string[] = []
    const service = (slug: string, source: object) => ({
      service: { ...source, slug, title: 'GitHub', about: 'Repos' },
      badge: 'Official',
      verified: false,
      auth: 'none',
    })
    const { page, web } = await openPage(browser, t, {
      'catalog.list': async () => ({ services: [] }),
      'registry.search': async () =>
        ({
          found: [
            service('github', { source: { kind: 'official', name: 'io.github.a/github' } }),
            service('github', { source: { kind: 'smithery', qualifiedName: '@b/github' } }),
          ],
          notices: [],
        }) as never,
      'connect.start': async ({ name }) => {
        started.push(name)
        return {
          connection: 'c1',
          service: 'github',
          title: 'GitHub',
          phase: 'awaiting-answer',
          question: { title: 'Take it?', isSecret: false, choices: { yes: 'a', no: 'b' } },
          expiresAt: '2030-01-01T00:00:00Z',
          said: [],
          version: 1,
        }
      },
      'connect.follow': async () => await new Promise(() => undefined),
    })
    await page.goto(web.createLink().url)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.evaluate('location.hash = "#/servers/add"')
    await page.getByRole('heading', { name: 'Add MCP' }).waitFor()
    await page.getByLabel('Registry:').selectOption('Both')
    await page.getByLabel('Search:').fill('github')
    const rows = page.getByRole('radiogroup', { name: 'Results' }).getByRole('radio')
    await rows.nth(1).check()
    assert.equal(await page.locator('.result', { hasText: '>' }).count(), 1)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('region', { name: 'Connecting GitHub' }).waitFor()
    assert.deepEqual(started, ['registry:@b/github'])
  })
})

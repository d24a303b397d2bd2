/** Live data in a real Chromium: a change that is told before it is made, and answers that overtake each other. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Request } from 'playwright-core'
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import type { FactView } from '../../src/api/memory.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { openScreen, settled } from './visit-screens.ts'

const FACT: FactView = {
  number: 1,
  text: 'I am vegetarian',
  isOthers: false,
  from: [],
  channel: 'page',
  message: 'x',
  keptAt: '2030-01-01T00:00:00.000Z',
}

/** A stream of events that the test lets go on, one event each time. */
function createEvents(): { readonly follow: FakeAnswers; readonly tell: () => Promise<void> } {
  let release: (() => void) | undefined
  return {
    async tell() {
      await until(() => release !== undefined) // the page follows by now
      release?.()
    },
    follow: {
      'events.follow': async ({ after: seen }) => {
        if (seen !== undefined) await new Promise<void>((resolve) => (release = resolve))
        const events = seen === undefined ? [] : [{ kind: 'memory.kept' as const }]
        return { boot: '1', after: (seen ?? 0) + 1, notices: 1, traffic: 1, events }
      },
    },
  }
}

describe('live data', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('shows a change whose record was written before the change was made', async (t) => {
    const { follow, tell } = createEvents()
    let asked = 0
    const { page, web } = await openPage(browser, t, {
      ...follow,
      // The second answer, right after the event, still comes before the change.
      'memory.list': async () => ({ facts: ++asked > 2 ? [FACT] : [], results: [] }),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await tell()
    await shows(page, 'I am vegetarian')
  })

  test('does not replace an answer by an earlier one that comes late', async (t) => {
    const { follow, tell } = createEvents()
    const waiting: (() => void)[] = []
    let asked = 0
    const { page, web } = await openPage(browser, t, {
      ...follow,
      'memory.list': async () => {
        asked += 1
        if (asked === 2) {
          await new Promise<void>((resolve) => waiting.push(resolve))
          return { facts: [], results: [] }
        }
        return { facts: asked > 2 ? [FACT] : [], results: [] }
      },
    })
    const sent: Request[] = []
    page.on('request', (one) => {
      if (one.url().endsWith('/api/memory.list')) sent.push(one)
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await tell()
    await shows(page, 'I am vegetarian') // the third answer; the second still waits
    await until(() => waiting.length === 1 && sent.length >= 3)
    waiting[0]?.()
    await (await sent[1]?.response())?.finished()
    await settled(page)
    assert.equal(await page.getByText('I am vegetarian').count(), 1)
  })
})

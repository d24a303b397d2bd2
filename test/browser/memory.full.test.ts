/** Memory, schedules, the home screen's figures and notifications, in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { FactView } from '../../src/api/memory.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { becomes, until } from '../fixtures/until.ts'
import { ASKED, createFullHouse } from './full-house.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { openScreen, settled } from './visit-screens.ts'

const FACT: FactView = {
  number: 3,
  text: 'my dentist is Dr. Adeyemi',
  isOthers: false,
  from: [],
  channel: 'telegram',
  message: 'remember that my dentist is Dr. Adeyemi',
  keptAt: '2030-01-01T00:00:00.000Z',
}

describe('the page', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('keeps, changes and forgets a fact, and asks before it forgets', async (t) => {
    let facts = [FACT]
    const { page, web, calls } = await openPage(browser, t, {
      'memory.list': async () => ({ facts, results: [] }),
      'memory.remember': async ({ text }) => {
        const fact = { ...FACT, number: 4, text, message: text }
        facts = [...facts, fact]
        return { fact }
      },
      'memory.edit': async ({ number, text }) => {
        const fact = { ...FACT, text, message: text }
        facts = facts.map((one) => (one.number === number ? fact : one))
        return { fact }
      },
      'memory.forget': async ({ facts: gone = [] }) => {
        facts = facts.filter(({ number }) => !gone.includes(number))
        return { facts: gone.length, results: 0, turns: 0 }
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await shows(page, 'You wrote (telegram): remember that my dentist is Dr. Adeyemi')
    await page.getByLabel('Remember that').fill('I am vegetarian')
    await page.keyboard.press('Enter')
    await shows(page, 'I am vegetarian')
    await becomes(() => page.getByLabel('Remember that').inputValue(), '')
    const first = page.getByRole('listitem').filter({ hasText: 'Adeyemi' })
    await first.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Fact 3').fill('my dentist is Dr. Osei')
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'my dentist is Dr. Osei')
    const changed = page.getByRole('listitem').filter({ hasText: 'Osei' })
    await changed.getByRole('button', { name: 'Forget' }).click()
    await page
      .getByRole('dialog')
      .locator('button:focus', { hasText: /^Cancel$/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.ok(!calls.some(({ route }) => route === 'memory.forget'))
    await changed.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click()
    await changed.waitFor({ state: 'detached' })
    const forgotten = calls.find(({ route }) => route === 'memory.forget')
    assert.deepEqual(forgotten?.input, { facts: [3] })
  })

  test('keeps what was typed when a fact is refused', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'memory.list': async () => ({ facts: [], results: [] }),
      'memory.remember': async () => {
        throw new CordonError('memory.secret', { exit: 2, hint: 'Use the vault' }, 'Cannot keep it')
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await page.getByLabel('Remember that').fill('something')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Cannot keep it.').waitFor()
    assert.equal(await page.getByLabel('Remember that').inputValue(), 'something')
  })

  test('says how much would be forgotten, then forgets what came from one place', async (t) => {
    const { page, web, calls } = await openPage(browser, t, {
      ...createFullHouse((where) => where),
      'memory.forget': async () => ({ facts: 2, results: 0, turns: 1 }),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await page.getByLabel('Everything that came from').fill('notion')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 facts, no results and 1 turn from notion will be gone.').waitFor()
    await dialog.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('status').getByText('Forgotten: 2 facts').waitFor()
    const asked = calls.filter(({ route }) => route === 'memory.forget').map(({ input }) => input)
    assert.deepEqual(asked, [{ from: 'notion', dryRun: true }, { from: 'notion' }])
  })

  test('finds earlier turns by their words', async (t) => {
    const { page, web, calls } = await openPage(
      browser,
      t,
      createFullHouse((where) => where),
    )
    await page.goto(web.createLink().url)
    await openScreen(page, '#/memory')
    await page.getByLabel('Search').fill('dentist')
    await page.keyboard.press('Enter')
    await shows(page, '1 turn with these words')
    const searched = calls.find(({ route }) => route === 'memory.search')
    assert.deepEqual(searched?.input, { words: 'dentist' })
  })

  test('shows schedules with their last runs, and what watches told', async (t) => {
    const soon = new Date(Date.now() + 3.5 * 3_600_000).toISOString()
    const house = createFullHouse((where) => where)
    const notice = {
      id: 'watch-1:watch',
      kind: 'watch',
      server: 'watch-1',
      items: [],
      what: '~/notes/todo.txt changed',
      hint: 'Look at it',
      since: soon,
      last: soon,
      count: 2,
      isSeen: true,
    }
    const looks = { everyMs: 600_000, nextAt: soon, hasFailed: false }
    let watches = [{ number: 1, about: '~/notes/todo.txt', ...looks }]
    const schedule = { name: 'morning', cron: '0 8 * * *', timezone: 'UTC', sinks: ['owner'] }
    const { page, web } = await openPage(browser, t, {
      ...house,
      'flows.schedules': async () => ({
        schedules: [
          {
            ...schedule,
            template: 'reads',
            inputs: {},
            overlap: 'skip',
            catchUp: 'once',
            createdAt: soon,
            next: soon,
          },
        ],
      }),
      'notices.list': async ({ all }) => ({ version: 1, notices: all ? [notice] : [] }),
      'watches.list': async () => ({ watches }),
      'watches.stop': async ({ number }) => {
        watches = watches.filter((one) => one.number !== number)
        return { removed: true }
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/schedules')
    await shows(page, 'runs in 3 hours')
    await shows(page, 'run problem.')
    await shows(page, '~/notes/todo.txt changed')
    await shows(page, 'every 10 minutes; looks again in 3 hours')
    await page.getByRole('button', { name: 'Stop watching ~/notes/todo.txt' }).click()
    await shows(page, 'Nothing is watched.')
  })

  test('says when a sign-in expires, and plots what ran', async (t) => {
    const expiresAt = new Date(Date.now() + 3.5 * 86_400_000).toISOString()
    const past = new Date(Date.now() - 3.5 * 3_600_000).toISOString()
    const { page, web } = await openPage(browser, t, {
      ...createFullHouse((where) => where),
      'auth.status': async () => ({
        tokens: [
          { name: 'notion', expiresAt, state: 'fresh' },
          { name: 'github', expiresAt: past, state: 'expired' },
        ],
      }),
    })
    await page.goto(web.createLink().url)
    await settled(page)
    await shows(page, 'expires in 3 days')
    await shows(page, 'expired 3 hours ago')
    await page.getByRole('row', { name: '2030-01-01 5 2' }).waitFor()
    const heights = await page
      .locator('.plot rect.ran')
      .evaluateAll((bars) =>
        bars.map((bar) =>
          Number((bar as unknown as { getAttribute(name: string): string }).getAttribute('height')),
        ),
      )
    assert.deepEqual(heights, [36, 60])
  })

  test('notifies of a question once, after the owner allowed it, and says nothing of its content', async (t) => {
    const { page, web } = await openPage(browser, t, {
      ...createFullHouse((where) => where),
      'approvals.list': async () => ({ version: 1, approvals: [ASKED] }),
    })
    await page.addInitScript(`
      globalThis.shown = []
      globalThis.Notification = class {
        static permission = 'default'
        static async requestPermission() { return (this.permission = 'granted') }
        constructor(title, { body, tag }) { shown.push({ title, body, tag }) }
        addEventListener() {}
      }
    `)
    await page.goto(web.createLink().url)
    await openScreen(page, '#/approvals')
    assert.deepEqual(await page.evaluate('shown'), [])
    await page.getByRole('button', { name: 'Notify me when I am asked' }).click()
    await shows(page, 'This browser notifies you')
    await until(async () => (await page.evaluate('shown.length')) === 1)
    await openScreen(page, '#/audit')
    await openScreen(page, '#/approvals')
    assert.deepEqual(await page.evaluate('shown'), [
      { title: 'Cordon asks you', body: 'notion waits for your answer.', tag: 'cordon-q1' },
    ])
  })
})

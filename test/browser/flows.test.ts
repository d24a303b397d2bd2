/** Flows on the page in a real Chromium: text and picture, findings on the nodes, saving, schedules, a run with its question. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { FlowTrace } from '../../src/ports/flow-port.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { becomes } from '../fixtures/until.ts'
import { FLOW_ANSWERS, irOf } from './flow-answers.ts'
import { launchChromium, openPage, shows } from './open-page.ts'

const RUN = '6f1c1f1e-0000-4000-8000-000000000001'

const TRACE: FlowTrace = {
  id: RUN,
  flow: 'digest',
  state: 'asking',
  principal: 'owner',
  startedAt: '2030-01-01T00:00:00.000Z',
  stepsDone: 1,
  ir: irOf('look >> ask'),
  steps: [
    {
      node: 'look',
      state: 'done',
      startedAt: '2030-01-01T00:00:00.000Z',
      ms: 1200,
      args: [],
      outputs: [
        {
          name: 'result',
          from: '',
          integrity: 'external',
          level: 'sensitive',
          origins: ['mail'],
          shown: '<script>alert(1)</script>',
        },
      ],
    },
  ],
}

function approval(id: string, taskId: string): ShownApproval {
  return {
    id,
    taskId,
    state: 'pending',
    createdAt: '2030-01-01T00:00:00.000Z',
    expiresAt: '2030-01-01T00:05:00.000Z',
    isWaitedFor: true,
    needsFullView: false,
    answeredHow: [],
    lines: [[{ text: `Send for ${id}`, tone: 'strong' }]],
    more: [],
    items: [
      {
        digest: 'd'.repeat(64),
        callId: 'c',
        tool: { server: parseServerId('mail'), name: 'send' },
        serverName: 'Mail',
        effect: 'destructive',
        rule: 'destructive',
        reason: 'x',
        offers: [],
        args: {},
        labels: {},
      },
    ],
  }
}

describe('flows on the page', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('are drawn as they are typed, with findings and questions on their nodes', async (t) => {
    const { page, web } = await openPage(browser, t, FLOW_ANSWERS)
    await page.goto(web.createLink().url)
    await page.getByRole('link', { name: 'Flows' }).click()
    await page.getByRole('link', { name: 'Write the first one' }).click()
    const text = page.getByLabel('The flow as text')
    await text.fill('look >> ask')
    const asking = page.getByRole('button', { name: /^ask: .*asks you: cannot be undone/ })
    await asking.waitFor()
    await becomes(() => page.locator('.flow .edge').count(), 1)
    await shows(page, 'It asks you about 1 call.')
    await asking.press('Enter')
    await shows(page, 'it sends')
    const chosen = `(() => { const f = document.querySelector("textarea"); return f.value.slice(f.selectionStart, f.selectionEnd) })()`
    await becomes(() => page.evaluate(chosen), 'ask')

    await text.fill('look >> wrong')
    await page.getByRole('button', { name: /^wrong: .*There is no <b>such<\/b> node/ }).waitFor()
    await shows(page, 'It cannot run as it is')
    await becomes(() => page.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true)
    await becomes(() => page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    assert.equal(await page.locator('main img, main b').count(), 0)
  })

  test('offer the word that could come next', async (t) => {
    const { page, web } = await openPage(browser, t, FLOW_ANSWERS)
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/flows/_new`)
    await page.getByLabel('The flow as text').fill('look >> summ')
    await page.getByRole('button', { name: 'summarize-text' }).click()
    const text = page.getByLabel('The flow as text')
    await becomes(() => text.inputValue(), 'look >> summarize-text ')
  })

  test('are saved under a name, which is replaced only on a second word, and keep what was typed', async (t) => {
    const saves: unknown[] = []
    const { page, web } = await openPage(browser, t, {
      ...FLOW_ANSWERS,
      'flows.save': async (input) => {
        saves.push(input)
        if (!input.replace)
          throw new CordonError('flows.name-taken', { exit: 2, hint: 'x' }, 'Cannot save')
        return { name: input.name, description: '', savedAt: '2030-01-01T00:00:00Z', nodes: [] }
      },
      'flows.read': async ({ name }) => ({
        name,
        description: '',
        savedAt: '2030-01-01T00:00:00Z',
        nodes: [],
        ir: {},
        text: 'look',
      }),
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/flows/_new`)
    await page.getByLabel('The flow as text').fill('look')
    await page.getByLabel('Name').fill('digest')
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(page, 'There is already a flow of this name.')
    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor()
    await page.goBack()
    await becomes(() => page.getByLabel('The flow as text').inputValue(), 'look')
    await page.getByLabel('Name').fill('digest')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Replace digest' }).click()
    await page.getByRole('heading', { name: 'digest', level: 1 }).waitFor()
    const source = { kind: 'text', text: 'look' }
    assert.deepEqual(saves.at(-1), { name: 'digest', source, replace: true })
  })

  test('start with their inputs, in the type that the flow declares, and show the question of the run', async (t) => {
    let isOpen = true
    const answered = Promise.withResolvers<void>()
    t.after(() => answered.resolve())
    const { page, web, calls } = await openPage(browser, t, {
      ...FLOW_ANSWERS,
      'flows.start': async () => TRACE,
      'flows.show': async () =>
        isOpen ? TRACE : { ...TRACE, state: 'completed', outputs: { result: 'sent' } },
      'flows.follow': async () => {
        await answered.promise
        return { run: TRACE, events: [] }
      },
      'approvals.list': async () => ({
        version: 1,
        approvals: isOpen ? [approval('mine', RUN), approval('other', 'another run')] : [],
      }),
      'approvals.show': async ({ id }) => approval(id, RUN),
      'approvals.answer': async () => {
        isOpen = false
        answered.resolve()
        return { approval: approval('mine', RUN), grants: [], quarantined: [] }
      },
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/flows/_new`)
    await page.getByLabel('The flow as text').fill('look >> ask')
    await page.getByLabel('count').fill('5')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await shows(page, 'Send for mine')
    assert.equal(await page.getByText('Send for other').count(), 0)
    const started = calls.find(({ route }) => route === 'flows.start')
    const input = started?.input as { readonly id: string }
    assert.deepEqual(
      { ...input, id: '' },
      {
        id: '',
        source: { kind: 'text', text: 'look >> ask' },
        inputs: { count: 5 },
        approval: 'wait',
      },
    )
    await page.getByRole('button', { name: /^look: .*done · 1\.2 s/ }).click()
    await shows(page, '<script>alert(1)</script>')
    await shows(page, 'sensitive')
    await page.getByRole('button', { name: 'Yes, once' }).click()
    await shows(page, 'sent')
    await becomes(() => page.getByRole('button', { name: 'Cancel the run' }).count(), 0)
  })

  test('say the next time of their schedule in words, and end it; making one is for the terminal', async (t) => {
    const next = new Date(Date.now() + 7_260_000).toISOString()
    const schedule: Output<'flows.schedules'>['schedules'][number] = {
      name: 'digest',
      cron: '0 9 * * 1',
      timezone: 'Europe/Lisbon',
      template: 'nightly',
      sinks: ['sink:owner'],
      inputs: {},
      overlap: 'skip',
      catchUp: 'once',
      createdAt: next,
      next,
    }
    let isThere = true
    const { page, web, calls } = await openPage(browser, t, {
      ...FLOW_ANSWERS,
      'flows.read': async ({ name }) => ({
        name,
        description: '',
        savedAt: '2030-01-01T00:00:00Z',
        nodes: [],
        ir: irOf('look'),
      }),
      'flows.schedules': async () => ({ schedules: isThere ? [schedule] : [] }),
      'flows.unschedule': async () => {
        isThere = false
        return { removed: true }
      },
    })
    await page.goto(web.createLink().url)
    await page.goto(`${web.page}/#/flows/digest`)
    await shows(page, '(in 2 hours)')
    await page.getByRole('button', { name: 'Unschedule' }).click()
    await page.getByText('(in 2 hours)').waitFor({ state: 'detached' })
    assert.deepEqual(calls.find(({ route }) => route === 'flows.unschedule')?.input, {
      name: 'digest',
    })
    const form = page.getByRole('form', { name: 'Schedule' })
    await form.getByLabel('When').fill('sometimes')
    await form.getByText('For example: every weekday at 8').waitFor()
    assert.equal(await form.locator('code').count(), 0)
    await form.getByLabel('When').fill('every monday at 7:30')
    const line = await form.locator('code').innerText()
    assert.match(line, /^cordon flow schedule digest 'every monday at 7:30' --timezone \S+$/)
    await form.getByLabel('While it still runs').selectOption('queue')
    await form.getByLabel('Missed times').selectOption('all')
    await form.locator('code', { hasText: '--overlap queue --catch-up all' }).waitFor()
  })
})

/** The programs at the gateway, and others that move in and out, on the page in a real Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { CordonError } from '../../src/kernel/error.ts'
import type { ClientPlan } from '../../src/ports/client-import-port.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'

let browser: Browser
before(async () => {
  browser = await launchChromium()
})
after(() => browser.close())

const entry = { hosts: ['api.example.com'], secrets: ['x/TOKEN'], needsSignIn: false, notes: [] }
const PLAN: ClientPlan = {
  client: 'cursor',
  name: 'Cursor',
  path: '/home/ana/.cursor/mcp.json',
  seen: 'a',
  entries: [
    { ...entry, name: '<b>files</b>', fate: 'moves', server: 'files' },
    { ...entry, name: 'boxed', fate: 'stays', why: 'Cordon does not run container images yet' },
  ],
  starts: { command: 'node', args: [], env: {} },
  isNewFile: false,
  registers: true,
  isDone: false,
}

test('the screen of clients shows them, ends an access, and shows what would move in', async (t) => {
  const removed: string[] = []
  const found = {
    exists: true,
    isConnected: false,
    canUndo: true,
    servers: ['files', 'boxed'],
    risks: [],
  }
  const { page, web } = await openPage(browser, t, {
    'clients.list': async () => ({
      clients: [{ name: 'claude', taint: 'ask', createdAt: '', limits: { callsPerMinute: 60 } }],
    }),
    'clients.remove': async ({ name }) => {
      removed.push(name)
      return {}
    },
    'imports.list': async () => ({
      clients: [{ ...found, id: 'cursor', name: 'Cursor', path: PLAN.path }],
    }),
    'imports.plan': async () => PLAN,
  })
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Clients' }).click()
  await shows(page, '60 calls a minute')
  await page.getByRole('button', { name: 'What would move in' }).click()
  await shows(page, '<b>files</b>')
  await shows(page, 'Cordon does not run container images yet')
  await page.getByRole('button', { name: 'End its access' }).click()
  await until(() => removed.length > 0)
  assert.deepEqual(removed, ['claude'])
})

interface Program {
  readonly calls: string[]
  /** Why its start line does not connect. */
  problem?: CordonError
}

/** Answers as the API does while Cursor moves in and out. */
function cursorAnswers(program: Program): Parameters<typeof openPage>[2] {
  let isMoved = false
  const { calls } = program
  const undone = {
    client: 'cursor',
    path: PLAN.path,
    file: 'restored',
    told: `${PLAN.path} is as it was, byte for byte`,
    servers: [],
    notes: [],
  } as const
  return {
    'clients.list': async () => ({
      clients: [{ name: 'cursor', taint: 'ask', createdAt: '', contexts: ['work'] }],
    }),
    'contexts.list': async () => ({
      contexts: [{ name: 'work', members: ['github'], createdAt: '', clients: ['cursor'] }],
    }),
    'contexts.cost': async () => ({
      servers: [{ server: 'github', tools: 41, tokens: 23_456 }],
      tools: 41,
      tokens: 23_456,
      searchTokens: 678,
    }),
    'imports.list': async () => {
      const state = {
        exists: true,
        isConnected: isMoved,
        canUndo: isMoved,
        servers: isMoved ? [] : ['files'],
        risks: [],
      }
      return { clients: [{ ...state, id: 'cursor', name: 'Cursor', path: PLAN.path }] }
    },
    'imports.plan': async () => PLAN,
    'imports.move': async ({ client, seen }) => {
      calls.push(`move ${client} ${seen}`)
      isMoved = true
      return { ...PLAN, id: 'm', startable: [{ server: 'files' }] }
    },
    'mcp.start': async ({ server }) => {
      calls.push(`start ${server}`)
      throw new CordonError(
        'servers.failed',
        { exit: 1, hint: 'Look at its log' },
        'Cannot start it',
      )
    },
    'imports.finish': async () => {
      calls.push('check')
      if (program.problem) throw program.problem
      return { tools: 7 }
    },
    'imports.undo': async ({ merge }) => {
      calls.push(`undo ${merge}`)
      isMoved = false
      return undone
    },
  }
}

test('a program moves in as its plan was seen, and out again on a second word', async (t) => {
  const program: Program = { calls: [] }
  const { page, web } = await openPage(browser, t, cursorAnswers(program))
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Clients' }).click()
  await shows(page, 'may use only work')
  await shows(page, 'used by cursor')
  await shows(page, '23,456 tokens')
  await page.getByRole('button', { name: 'What would move in' }).click()
  await page.getByRole('button', { name: 'Move in', exact: true }).click()
  await page.getByText('Cursor is connected: 7 tools through Cordon').waitFor()
  await page.getByText('files: Cannot start it.').waitFor()
  assert.deepEqual(program.calls, ['move cursor a', 'start files', 'check'])
  await page.getByRole('button', { name: 'Move Cursor out again' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Move Cursor out again' }).click()
  await page.getByRole('button', { name: 'Restore it byte for byte' }).click()
  await page.getByText('is as it was, byte for byte').waitFor()
  assert.equal(program.calls.at(-1), 'undo false')
})

test('a program that does not connect after the move is shown with the reason', async (t) => {
  const hint = 'Run `cordon doctor`'
  const problem = new CordonError('clients.not-connected', { exit: 1, hint }, 'Cannot list tools')
  const program: Program = { calls: [], problem }
  const { page, web } = await openPage(browser, t, cursorAnswers(program))
  await page.goto(web.createLink().url)
  await page.getByRole('link', { name: 'Clients' }).click()
  await page.getByRole('button', { name: 'What would move in' }).click()
  await page.getByRole('button', { name: 'Move in', exact: true }).click()
  await page.getByText('Cannot list tools').waitFor()
  await page.getByText('Cannot start it').waitFor()
  assert.equal(program.calls.at(-1), 'check', 'the API has restored its file')
})

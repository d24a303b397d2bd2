/** Opens the page in a real Chromium, against the real listeners with fake rooms behind them. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { createFakeDeps, type FakeDeps } from '../../src/web/fake-deps.ts'
import { openWeb, type Web } from '../../src/web/open-web.ts'

const CHROMIUM = '/usr/bin/chromium'
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const STATUS: KernelStatus = {
  version: '1.2.3',
  node: 'v24',
  pid: 7,
  home: '/home/ana/.cordon',
  startedAt: '2030-01-01T00:00:00Z',
  page: 'http://127.0.0.1:19275',
  notices: [],
  store: 'sqlite',
  vault: { state: 'locked', secrets: 0, warnings: ['The key file can be read by anyone'] },
  auditDamage: 'It is cut short',
  servers: 1,
}
const LISTING: Output<'mcp.list'> = {
  servers: [
    {
      server: 'notion',
      name: '<img src=x onerror=alert(1)>',
      description: '',
      transport: 'stdio',
      label: 'sensitive',
      state: { badge: 'connected', tools: 3, quarantined: 0, restarts: 0 },
      scope: 'user',
      cordon: 'bwrap',
      isInsecure: false,
      path: '/home/ana/.cordon/mcp/notion.toml',
      allowedDomains: ['api.notion.com'],
      warnings: ['Edited by hand'],
    },
  ],
  problems: [{ path: '/home/ana/.cordon/mcp/slack.toml', line: 7, message: 'Cannot read "mode"' }],
}

interface OpenPage extends FakeDeps {
  readonly web: Web
  readonly context: BrowserContext
  readonly page: Page
}

export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`No ${CHROMIUM}: install the Debian package "chromium"`)
  }
  return await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}

export async function openPage(
  browser: Browser,
  t: TestContext,
  answers: Parameters<typeof createFakeDeps>[0] = {},
): Promise<OpenPage> {
  const folder = await mkdtemp(join(tmpdir(), 'cordon-page-'))
  const rooms = createFakeDeps({
    status: async () => STATUS,
    'mcp.list': async () => LISTING,
    'approvals.list': async () => ({ approvals: [] }),
    ...answers,
  })
  const web = await openWeb({ ...rooms, socketPath: join(folder, 'cordon.sock'), port: 0 })
  await web.serve(rooms.api)
  const context = await browser.newContext()
  context.setDefaultTimeout(15_000)
  t.after(async () => {
    await context.close()
    await web[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  return { ...rooms, web, context, page: await context.newPage() }
}

export async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('main').getByText(text).first().waitFor()
}

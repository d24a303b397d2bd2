/** Opens the page in a real Chromium, against the real listeners with fake rooms behind them. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Input, Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import type { ServerDetails, ServerSummary } from '../../src/api/servers.ts'
import { limitsInForce } from '../../src/text/server-limits.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { createFakeDeps, type FakeDeps } from '../../src/web/fake-deps.ts'
import { openWeb, type Web } from '../../src/web/open-web.ts'
import { type Watched, watchContext } from './watch-context.ts'

/**
 * The browser as people have it in full rounds; otherwise the same Chromium without its windows, which takes less than half
 * of the processor time.
 */
const PACKAGE = rounds<ChromiumPackage>('chromium', 'chromium-headless-shell')

type ChromiumPackage = 'chromium' | 'chromium-headless-shell'
/** Of one wait. A busy machine is slow; a wait that is met ends at once. */
export const PATIENCE_MS = 120_000
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
  unseen: [],
}
const NOTION: ServerSummary = {
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
}
export const LISTING: Output<'mcp.list'> = {
  servers: [NOTION],
  problems: [{ path: '/home/ana/.cordon/mcp/slack.toml', line: 7, message: 'Cannot read "mode"' }],
}
export const DETAILS: ServerDetails = {
  ...NOTION,
  args: [],
  scopes: [],
  sandbox: {
    memoryLimitBytes: 256 * 2 ** 20,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [],
    writePaths: [],
  },
  limits: limitsInForce({}, 256 * 2 ** 20),
  credentials: [{ key: 'NOTION_TOKEN', ref: 'vault:notion_token', present: true }],
}

export interface OpenPage extends FakeDeps, Watched {
  readonly web: Web
  readonly context: BrowserContext
  readonly page: Page
}

interface OpenOptions {
  /** The test itself runs scripts that break the policy of the page. */
  readonly isHostile?: boolean
}

export async function launchChromium(
  more: readonly string[] = [],
  name: ChromiumPackage = PACKAGE,
): Promise<Browser> {
  const executablePath = `/usr/bin/${name}`
  if (!existsSync(executablePath)) {
    throw new Error(`No ${executablePath}: install the Debian package ${JSON.stringify(name)}`)
  }
  const args = [...ARGS, ...more]
  return await chromium.launch({ executablePath, args, timeout: PATIENCE_MS })
}

export async function openPage(
  browser: Browser,
  t: TestContext,
  answers: Parameters<typeof createFakeDeps>[0] = {},
  { isHostile = false }: OpenOptions = {},
): Promise<OpenPage> {
  const folder = await mkdtemp(join(tmpdir(), 'cordon-page-'))
  const rooms = createFakeDeps({
    status: async () => STATUS,
    'mcp.list': async () => LISTING,
    'approvals.list': async () => ({ version: 1, approvals: [] }),
    'notices.list': async () => ({ version: 1, notices: [] }),
    'memory.history': async () => ({ turns: [] }),
    'audit.search': async () => ({ records: [] }),
    'audit.daily': async () => ({ days: [] }),
    'auth.status': async () => ({ tokens: [] }),
    'clients.list': async () => ({ clients: [] }),
    'watches.list': async () => ({ watches: [] }),
    'events.follow': followNothing,
    ...answers,
  })
  const web = await openWeb({ ...rooms, socketPath: join(folder, 'cordon.sock'), port: 0 })
  await web.serve(rooms.api)
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(MESSAGES_STAY)
  const watched = await watchContext(context)
  t.after(async () => {
    await context.close()
    await web[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
    if (!isHostile) watched.assertHarmless(new URL(web.page).port)
  })
  return { ...rooms, ...watched, web, context, page: await context.newPage() }
}

/** A message that leaves after some seconds may be gone before a busy machine looks for it. */
const MESSAGES_STAY = `{
  const own = setTimeout
  globalThis.setTimeout = (run, ms, ...rest) => own(run, ms >= 6000 ? ${PATIENCE_MS} : ms, ...rest)
}`

/** The stream of a kernel in which nothing happens. */
async function followNothing({ after }: Input<'events.follow'>): Promise<Output<'events.follow'>> {
  if (after !== undefined) await new Promise((resolve) => setTimeout(resolve, 1000).unref())
  return { boot: '1', after: 1, notices: 1, traffic: 1, events: [] }
}

export async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('main').getByText(text).first().waitFor()
}

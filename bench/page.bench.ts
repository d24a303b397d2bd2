/**
 * The page in a real Chromium against a real kernel, bundled as it is published: its size, a cold load, an event until it
 * is on the screen, a restart of the kernel until the page is live again, and scrolling through 10,000 audit records. A
 * frame is judged by the processor time of the page's thread, and every frame counts: by the clock it also waits for other
 * programs, as an empty page beside it does.
 */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openAudit } from '../src/audit/open-audit.ts'
import type { Output } from '../src/api/contract.ts'
import type { Log, Redactor } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { launchChromium } from '../test/browser/open-page.ts'
import { type Cordon, openCordon } from '../test/fixtures/cordon.ts'
import { apiOf } from '../test/fixtures/owner-elsewhere.ts'
import { type Scrolled, scrollThrough, workOfSteps } from './page/scroll-through.ts'
import { type BenchReport, quantile } from './report.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const RECORDS = 10_000
const LOADS = 12
const EVENTS = 40
/** 480 px each, over rows of 34 px. */
const LEAST_FRAMES = 600
const PASSES = 4
const RESTARTS = 3
const PATIENCE_MS = 120_000

export async function run(): Promise<BenchReport> {
  const { bundleForTests } = (await import(
    new URL('../scripts/test-bundle.mjs', import.meta.url).href
  )) as { readonly bundleForTests: (folder: string) => Promise<string> }
  const entry = path.join(await bundleForTests(root), 'main.js')
  await using cordon = openCordon({ entry, environment: { CORDON_PORT: await freePort() } })
  await fillAudit(cordon.home)
  await cordon.ask(['up', '--detach'])
  const browser = await launchChromium([], 'chromium')
  try {
    const load = await measureLoad(cordon, browser)
    const { page, context } = await openSignedIn(cordon, browser)
    const event = await measureEvents(cordon, page)
    const scrolling = await measureScroll(page)
    const restart = await measureRestarts(cordon, page)
    await context.close()
    return report({ ...load, event, restart, scrolling })
  } finally {
    await browser.close()
  }
}

/** The port stays the same over a restart, as a page is bound to its origin. */
async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const redactor: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}

async function fillAudit(home: string): Promise<void> {
  const folder = path.join(home, 'audit')
  const anchorPath = path.join(home, 'audit-head')
  await using audit = await openAudit({ owner: OWNER.id, folder, anchorPath, redactor, log })
  for (let number = 1; number <= RECORDS; number++) {
    audit.append({
      kind: number % 2 === 0 ? 'call.end' : 'call.begin',
      principal: OWNER.id,
      subject: `notion.search_pages_${number % 17}`,
      details: { callId: String(number), kind: 'ok', level: 'private' },
    })
  }
}

async function openSignedIn(
  cordon: Cordon,
  browser: Browser,
): Promise<{ page: Page; context: BrowserContext; sizes: Map<string, number> }> {
  const { url } = await cordon.ask<Output<'page.link'>>(['open'])
  const context = await browser.newContext({ viewport: { width: 1200, height: 850 } })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(WHEN_INTERACTIVE)
  const sizes = new Map<string, number>()
  const reading: Promise<void>[] = []
  context.on('response', (response) => {
    if (response.url().includes('/api/')) return
    const read = async (): Promise<void> => {
      sizes.set(response.url(), gzipSync(await response.body()).length)
    }
    reading.push(read())
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.chain .button').waitFor()
  await Promise.all(reading)
  return { page, context, sizes }
}

/** The first moment at which the next step of the home screen can be clicked; counted from the start of the navigation. */
const WHEN_INTERACTIVE = `new MutationObserver((_changes, observer) => {
  if (!document.querySelector('.chain .button')) return
  observer.disconnect()
  globalThis.interactiveMs = performance.now()
}).observe(document, { childList: true, subtree: true })`

async function measureLoad(
  cordon: Cordon,
  browser: Browser,
): Promise<{ readonly kilobytes: number; readonly loads: readonly number[] }> {
  const loads: number[] = []
  let kilobytes = 0
  for (let round = 0; round < LOADS; round++) {
    // A context of its own has an empty cache and no session.
    const { page, context, sizes } = await openSignedIn(cordon, browser)
    loads.push(Number(await page.evaluate('interactiveMs')))
    kilobytes = [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1000
    await context.close()
  }
  return { kilobytes, loads }
}

/** From the request that keeps a fact until the fact is on the screen, by one clock. */
async function measureEvents(cordon: Cordon, page: Page): Promise<readonly number[]> {
  await page.evaluate('location.hash = "#/memory"')
  await page.getByRole('heading', { name: 'Memory' }).waitFor()
  await page.evaluate(`globalThis.seen = {}
    new MutationObserver(() => {
      for (const fact of document.querySelectorAll('.fact')) seen[fact.textContent.trim()] ??= Date.now()
    }).observe(document.body, { childList: true, subtree: true })`)
  await using api = await apiOf(cordon)
  const taken: number[] = []
  for (let round = 0; round < EVENTS; round++) {
    const text = `I counted round ${round}`
    const began = Date.now()
    await api.call('memory.remember', { text })
    await page.locator('.fact', { hasText: new RegExp(`${text}\\s*$`) }).waitFor()
    taken.push(Number(await page.evaluate(`seen[${JSON.stringify(text)}]`)) - began)
  }
  return taken
}

/** Once step by step; then passes by the clock, each followed by one over an empty page. */
async function measureScroll(page: Page): Promise<Scrolling> {
  await page.evaluate('location.hash = "#/audit"')
  const older = page.getByRole('button', { name: 'Show older records' })
  const read = page.getByText(/records, the newest first/)
  await older.waitFor()
  while ((await older.count()) > 0) {
    const before = await read.textContent()
    await older.click()
    await page.getByText(before ?? '', { exact: true }).waitFor({ state: 'detached' })
  }
  const rows = Number((await read.textContent())?.match(/^\d+/)?.[0])
  const workMs = await workOfSteps(page) // before another page is in front, behind which no frame is drawn
  const empty = await page.context().newPage()
  await empty.setContent('<style>body { height: 336000px }</style>')
  const scrolling: Scrolling = { full: [], empty: [], workMs }
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [name, scrolled] of [
      ['full', page],
      ['empty', empty],
    ] as const) {
      await scrolled.bringToFront()
      scrolling[name].push(await scrollThrough(scrolled))
    }
  }
  await empty.close()
  await page.bringToFront()
  const frames = Math.min(scrolling.workMs.length, ...scrolling.full.map((one) => one.frames))
  if (rows < RECORDS || frames < LEAST_FRAMES)
    throw new Error(`Only ${rows} rows in ${frames} frames were scrolled through`)
  return scrolling
}

/** From the command that starts the kernel again until the page has heard from it. */
async function measureRestarts(cordon: Cordon, page: Page): Promise<readonly number[]> {
  const away = page.getByText('Cordon does not answer.')
  const taken: number[] = []
  for (let round = 0; round < RESTARTS; round++) {
    await cordon.run(['down'])
    await away.waitFor()
    const began = performance.now()
    const starting = cordon.ask(['up', '--detach'])
    await away.waitFor({ state: 'detached' })
    taken.push(performance.now() - began)
    await starting
  }
  return taken
}

interface Scrolling {
  readonly full: Scrolled[]
  readonly empty: Scrolled[]
  /** Of each step, in processor time. */
  readonly workMs: readonly number[]
}

interface Measured {
  readonly kilobytes: number
  readonly loads: readonly number[]
  readonly event: readonly number[]
  readonly restart: readonly number[]
  readonly scrolling: Scrolling
}

function report(measured: Measured): BenchReport {
  const { kilobytes, loads, event, restart, scrolling } = measured
  const { workMs: work } = scrolling
  const median = (passes: readonly Scrolled[]): number =>
    quantile(
      passes.map(({ longFrames }) => longFrames),
      0.5,
    )
  const bar = (name: string, value: number, unit: string, limit: number) => ({
    name,
    value,
    unit,
    limit,
    kind: 'most' as const,
  })
  return {
    figures: [
      { name: 'cold load to interactive p95', value: quantile(loads, 0.95), unit: 'ms' },
      { name: 'event to screen p50', value: quantile(event, 0.5), unit: 'ms' },
      { name: 'steps of scrolling', value: work.length, unit: 'steps' },
      { name: 'work of a step p50', value: quantile(work, 0.5), unit: 'ms' },
      { name: 'work of a step p99', value: quantile(work, 0.99), unit: 'ms' },
      { name: 'most work of a step', value: Math.max(...work), unit: 'ms' },
      {
        name: 'frames late by the clock, median pass',
        value: median(scrolling.full),
        unit: 'frames',
      },
      { name: 'the same, of an empty page', value: median(scrolling.empty), unit: 'frames' },
      {
        name: 'load average per core',
        value: (loadavg()[0] ?? 0) / availableParallelism(),
        unit: '',
      },
    ],
    bars: [
      bar('first screen, gzip in all', kilobytes, 'KB', 90),
      bar('cold load to interactive p50', quantile(loads, 0.5), 'ms', 1000),
      bar('event to screen p95', quantile(event, 0.95), 'ms', 100),
      bar('kernel restart to live page p50', quantile(restart, 0.5), 'ms', 3000),
      bar(
        'steps with over 50 ms of work, 10,000 audit rows',
        work.filter((ms) => ms > 50).length,
        'frames',
        0,
      ),
    ],
  }
}

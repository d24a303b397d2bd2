/**
 * A browser that dies, and pages that want more than there is, behind a real browser server: the call ends with one
 * sentence, the other servers answer meanwhile, the browser stays within its limits, a restart brings it back, and
 * nothing of it is left when it is stopped. The browser is the machine's own.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openCordon, OUTSIDE_MAIN, type Ran } from '../../fixtures/cordon.ts'
import { openOutsideWorld } from '../../fixtures/outside-world.ts'

const HOST = 'mcp.acme.dev'
const MOST_PROCESSES = 768
const MOST_BYTES = 1500 * 2 ** 20
let sent = 0

/** Goes on until the browser goes away. */
function endless(): Readable {
  const chunk = Buffer.alloc(2 ** 16, 'a ')
  return new Readable({
    read() {
      sent += chunk.length
      this.push(chunk)
    },
  })
}

const PAGES: Readonly<Record<string, readonly [Record<string, string>, () => Readable]>> = {
  '/shop': [{}, () => Readable.from(['<!doctype html><h1>Open from 9 to 5</h1>'])],
  '/endless': [{}, endless],
  '/file': [{ 'Content-Disposition': 'attachment; filename=a.bin' }, endless],
}
const answer: RequestListener = (request, response) => {
  const [headers, body] = PAGES[(request.url ?? '').replace(/\?.*/, '')] ?? [
    {},
    () => Readable.from(['']),
  ]
  response.writeHead(200, { 'Content-Type': 'text/html', ...headers })
  const content = body().on('error', () => undefined)
  response.on('close', () => content.destroy())
  content.pipe(response)
}

const world = await openOutsideWorld({ [HOST]: answer })
const cordon = openCordon({ entry: OUTSIDE_MAIN, environment: world.environment })
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
await cordon.ask(['connect', 'puppeteer'])
await cordon.ask(['connect', 'everything'])
const trust = 'PUPPETEER_LAUNCH_OPTIONS={"acceptInsecureCerts":true}'
await cordon.ask([
  'mcp',
  'edit',
  'puppeteer',
  '--allow',
  HOST,
  '--call-timeout',
  '20s',
  '--env',
  trust,
])

const call = (tool: string, args: object): Promise<Ran> =>
  cordon.run(['mcp', 'call', `puppeteer.puppeteer_${tool}`, JSON.stringify(args), '--yes'])
const open = (page: string): Promise<Ran> => call('navigate', { url: `https://${HOST}${page}` })
const evaluate = (script: string): Promise<Ran> => call('evaluate', { script })

interface Seen {
  readonly pid: number
  readonly parent: number
  readonly words: string
  readonly isOurs: boolean
}

function processes(): readonly Seen[] {
  const home = `CORDON_HOME=${cordon.home}\0`
  return readdirSync('/proc').flatMap((name) => {
    try {
      const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, 'utf8')
      const [state = 'Z', parent = '0'] = read('stat')
        .replace(/^.*\) /s, '')
        .split(' ')
      const words = read('cmdline').replaceAll('\0', ' ')
      const isOurs = read('environ').includes(home)
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), words, isOurs }]
    } catch {
      return [] // not a process, or gone by now
    }
  })
}

/** The processes of the browser that this kernel's server has started. */
function browser(): readonly Seen[] {
  const all = processes()
  const own = new Set(all.filter(({ isOurs }) => isOurs).map(({ pid }) => pid))
  for (let before = 0; before < own.size; ) {
    before = own.size
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid)
  }
  return all.filter(({ pid, words }) => own.has(pid) && /\/chrom\w+ /.test(words))
}

/** The memory that the limit counts: pages of Chromium's own files are the machine's, and were there before. */
function memoryOf(seen: readonly Seen[]): number {
  const bytes = seen.map(({ pid }) => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const own = [...rollup.matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm)]
      return own.reduce((sum, [, size]) => sum + Number(size) * 1024, 0)
    } catch {
      return 0
    }
  })
  return bytes.reduce((sum, one) => sum + one, 0)
}

/** One answer or one sentence; never a stack. */
function assertTold({ code, stdout, stderr }: Ran): void {
  const told = stdout + stderr
  assert.ok(code !== null && code !== 1, told)
  assert.notEqual(told.trim(), '')
  assert.doesNotMatch(told, /\n\s+at |node:internal|\.ts:\d/)
}

/** The other server answers, the browser comes back after a restart, and is gone after a stop. */
async function isUndisturbed(): Promise<void> {
  const other = await cordon.run(['mcp', 'call', 'everything.echo', '{"message":"here"}', '--yes'])
  assert.match(other.stdout, /here/, other.stderr)
  await cordon.ask(['mcp', 'restart', 'puppeteer'])
  await open('/shop')
  const { stdout, stderr } = await evaluate('document.body.innerText')
  assert.match(stdout, /Open from 9 to 5/, stderr)
  assert.ok(browser().length > 0)
  await cordon.ask(['mcp', 'stop', 'puppeteer'])
  assert.deepEqual(browser(), [])
}

/** The most that was seen while the work was done. */
async function watching(work: Promise<unknown>): Promise<{ bytes: number; count: number }> {
  const end = new AbortController()
  void work.then(
    () => end.abort(),
    () => end.abort(),
  )
  let [bytes, count] = [0, 0]
  while (!end.signal.aborted) {
    const seen = browser()
    bytes = Math.max(bytes, memoryOf(seen))
    count = Math.max(count, seen.length)
    await delay(500, undefined, { signal: end.signal }).catch(() => undefined)
  }
  return { bytes, count }
}

test('a browser that is killed in the middle of a call ends that call', async () => {
  await open('/shop')
  const began = performance.now()
  const waiting = evaluate('new Promise(() => undefined)')
  await delay(2_000)
  const main = browser().find(({ words }) => !words.includes('--type='))
  assert.ok(main, 'no browser runs')
  process.kill(main.pid, 'SIGKILL')
  const told = await waiting
  assertTold(told)
  assert.match(told.stdout + told.stderr, /closed|detached|crash/i)
  assert.ok(performance.now() - began < 18_000, 'it ended by the limit of calls')
  await isUndisturbed()
})

for (const page of ['/endless', '/file']) {
  test(`a page that downloads without end is given up, and the download ends: ${page}`, async () => {
    await cordon.ask(['mcp', 'start', 'puppeteer'])
    sent = 0
    const opened = open(page)
    const { bytes } = await watching(opened)
    assertTold(await opened)
    assert.ok(bytes < MOST_BYTES, `${bytes}`)
    await isUndisturbed()
    const before = sent
    await delay(1_000)
    assert.equal(sent, before, 'the download goes on')
  })
}

test('a page that opens a thousand tabs stays within the limits of its server', async () => {
  await cordon.ask(['mcp', 'start', 'puppeteer'])
  await open('/shop')
  const work = evaluate(
    'for (let i = 0; i < 1000; i++) window.open("/shop?" + i, "w" + i); document.body.innerText',
  )
  const { bytes, count } = await watching(work)
  assertTold(await work)
  assert.ok(count <= MOST_PROCESSES, `${count}`)
  assert.ok(bytes < MOST_BYTES, `${bytes}`)
  await isUndisturbed()
})

test('a page that fills the profile of its browser meets the end of its scratch space, and no other disk', async () => {
  await cordon.ask(['mcp', 'start', 'puppeteer'])
  await open('/shop')
  const told = await evaluate(`
    const root = await navigator.storage.getDirectory()
    let written = 0
    try {
      for (let file = 0; file < 64; file++) {
        const handle = await root.getFileHandle('f' + file, { create: true })
        const stream = await handle.createWritable()
        await stream.write(new Uint8Array(16 * 2 ** 20))
        await stream.close()
        written += 16
      }
    } catch (error) { written = -1 - written }
    return 'wrote ' + written
  `)
  assertTold(told)
  assert.doesNotMatch(told.stdout, /wrote \d/)
  await isUndisturbed()
})

/**
 * Servers that start a browser, as npm has them, against the real kernel: each opens a page of a host on its list through
 * the proxy, takes a picture of it, and gets nowhere else. The browser is the machine's own.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../../src/api/contract.ts'
import { type Cordon, openCordon, OUTSIDE_MAIN } from '../../fixtures/cordon.ts'
import { openOutsideWorld } from '../../fixtures/outside-world.ts'

const HOST = 'mcp.acme.dev'
const PAGE =
  '<!doctype html><title>Stand</title><body style="background:#c00"><h1>Open from 9 to 5</h1>'

interface Driver {
  readonly slug: string
  /** Takes the test's authority, which the browser does not know. */
  readonly trust: readonly string[]
  readonly open: (url: string) => readonly string[]
  readonly read: readonly string[]
  readonly picture: readonly string[]
}

const DRIVERS: readonly Driver[] = [
  {
    slug: 'playwright',
    trust: ['--env', 'PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS=1'],
    open: (url) => ['playwright.browser_navigate', '--url', url],
    read: ['playwright.browser_evaluate', '--function', '() => document.body.innerText'],
    picture: ['playwright.browser_take_screenshot', '--scale', 'css'],
  },
  {
    slug: 'puppeteer',
    trust: ['--env', 'PUPPETEER_LAUNCH_OPTIONS={"acceptInsecureCerts":true}'],
    open: (url) => ['puppeteer.puppeteer_navigate', '--url', url],
    read: ['puppeteer.puppeteer_evaluate', '--script', 'document.body.innerText'],
    picture: ['puppeteer.puppeteer_screenshot', '--name', 'shop'],
  },
  {
    slug: 'chrome-devtools',
    trust: [],
    open: (url) => ['chrome-devtools.new_page', '--url', url],
    read: [
      'chrome-devtools.evaluate_script',
      '--pageId',
      '2',
      '--function',
      '() => document.body.innerText',
    ],
    picture: ['chrome-devtools.take_screenshot', '--pageId', '2'],
  },
]

type Result = Output<'mcp.call'>

async function call(cordon: Cordon, words: readonly string[]): Promise<string> {
  const { stdout } = await cordon.run(['mcp', 'call', ...words, '--yes', '--json'])
  const result = JSON.parse(stdout) as Result
  return JSON.stringify(result)
}

/** The server's only way to accept a test's authority is a flag. */
function acceptAuthority(cordon: Cordon): void {
  const file = path.join(cordon.home, 'mcp', 'chrome-devtools.toml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('"--isolated"', '"--isolated", "--acceptInsecureCerts"'))
}

for (const { slug, trust, open, read, picture } of DRIVERS) {
  test(`${slug} opens a page of its list through the proxy, and no other`, async () => {
    const asked: string[] = []
    await using world = await openOutsideWorld({
      [HOST]: (request, response) => {
        asked.push(request.url ?? '')
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE)
      },
    })
    await using cordon = openCordon({ entry: OUTSIDE_MAIN, environment: world.environment })
    await cordon.ask(['connect', slug])
    await cordon.ask(['mcp', 'edit', slug, '--allow', HOST, '--call-timeout', '120s', ...trust])
    if (slug === 'chrome-devtools') acceptAuthority(cordon)
    await cordon.ask(['mcp', 'restart', slug])

    const opened = await call(cordon, open(`https://${HOST}/shop`))
    assert.ok(asked.includes('/shop'), opened)
    assert.match(await call(cordon, read), /Open from 9 to 5/)
    const shown = await call(cordon, picture)
    assert.match(shown, /"mimeType":"image\/png"/)

    const away = await call(cordon, open('https://evil.example/'))
    assert.match(away, /ERR_TUNNEL_CONNECTION_FAILED/)
    const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', slug])
    assert.ok(state.blockedHosts?.includes('evil.example'))
  })
}

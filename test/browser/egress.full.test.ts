/**
 * The way out of a server, live, against the real kernel: a sandboxed server holds a connection to a host that it may reach,
 * and asks for one that it may not. Page, API and command line show both, and nothing of what was asked for.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, OUTSIDE_MAIN, root } from '../fixtures/cordon.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { until } from '../fixtures/until.ts'
import { launchChromium, PATIENCE_MS } from './open-page.ts'
import { openScreen } from './visit-screens.ts'

const HOST = 'mcp.acme.dev'

test('EGRESS-1: the page shows a connection that was let through while it lasts, and one that was not', async () => {
  const waiting: ServerResponse[] = []
  await using world = await openOutsideWorld({ [HOST]: (_, response) => waiting.push(response) })
  await using cordon = openCordon({ entry: OUTSIDE_MAIN, environment: world.environment })
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  const script = path.join(root, 'test', 'fixtures', 'servers', 'fetcher.mjs')
  const text = `name = "Fetcher"\nallowed_domains = ["${HOST}"]\n[server]\ncommand = "node"\nargs = ["${script}"]\n`
  writeFileSync(path.join(cordon.home, 'mcp', 'fetcher.toml'), text, { mode: 0o600 })
  await cordon.ask(['mcp', 'start', 'fetcher'])
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto((await cordon.ask<Output<'page.link'>>(['open'])).url)
    await openScreen(page, '#/servers/fetcher')
    const hosts = page.getByRole('region', { name: 'Way out' }).getByRole('list', { name: 'Hosts' })
    await hosts.getByText('no connection yet').waitFor()
    const inspector = page.getByRole('region', { name: 'Call a tool by hand' })
    await inspector.getByRole('combobox').first().selectOption('get')
    const get = async (url: string): Promise<void> => {
      await inspector.getByLabel('url').fill(url)
      await inspector.getByRole('button', { name: 'Call', exact: true }).click()
      await inspector.getByRole('button', { name: 'Yes, once' }).click()
    }

    await get(`https://${HOST}/secret-path?token=1`)
    await until(() => waiting.length === 1)
    // Nothing has ended, so nothing is recorded yet: it is the count of the proxy that is shown.
    await hosts.getByText('1 connection (1 open)').waitFor()
    waiting[0]?.end('hello')
    await inspector.getByLabel('Words of the server').getByText('200 hello').waitFor()

    await get('https://evil.example/secret-path')
    await hosts.getByText('evil.example').waitFor()
    const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'fetcher'])
    assert.deepEqual(state.blockedHosts, ['evil.example'])
    assert.partialDeepStrictEqual(state.reached?.[0], { host: HOST, port: 443, connections: 1 })
    assert.ok(Number(state.reached?.[0]?.down) > 500)
    const shown = await cordon.run(['mcp', 'show', 'fetcher'])
    assert.match(shown.stdout, /reached +mcp\.acme\.dev: 1 connection/)
    assert.match(shown.stdout, /blocked +evil\.example/)

    await cordon.ask(['mcp', 'stop', 'fetcher'])
    const records = page.getByRole('list', { name: 'Connections' })
    await records.getByText('allowed', { exact: true }).waitFor()
    await records.getByText('blocked', { exact: true }).waitFor()
    const { records: kept } = await cordon.ask<Output<'audit.search'>>([
      'audit',
      'search',
      '--kind',
      'egress.*',
    ])
    const egress = JSON.stringify(kept.filter(({ kind }) => kind.startsWith('egress.')))
    assert.ok(egress.includes(HOST) && !egress.includes('secret-path'))
  } finally {
    await browser.close()
  }
})

/** The HTTP clients that servers are written with, unmodified: each gets out through the proxy, and only there. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'node:test'
import { openOutside } from '../../../src/egress/test-outside.ts'

const run = promisify(execFile)
const authority = fileURLToPath(new URL('fixtures/ca.pem', import.meta.url))

const PYTHON = `
import ssl, sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], context=ssl.create_default_context(cafile=sys.argv[2])).read().decode())`

const CLIENTS: readonly (readonly [string, string, (url: string) => string[]])[] = [
  [
    'fetch',
    process.execPath,
    (url) => ['-e', `fetch('${url}').then(async (r) => console.log(await r.text()))`],
  ],
  [
    'node:https',
    process.execPath,
    (url) => ['-e', `require('https').get('${url}', (r) => r.pipe(process.stdout))`],
  ],
  ['curl', 'curl', (url) => ['-sS', '--cacert', authority, url]],
  ['python', 'python3', (url) => ['-c', PYTHON, url, authority]],
]

for (const [name, program, argsFor] of CLIENTS) {
  test(`${name} reaches an allowed host through the proxy, and no other`, async (t) => {
    const isThere = await run(program, ['--version']).then(
      () => true,
      () => false,
    )
    if (!isThere) return t.skip(`${program} is not installed`)
    await using outside = await openOutside()
    await using proxy = await outside.openProxy(['allowed.example'])
    const way = `http://127.0.0.1:${proxy.port}`
    const env = {
      PATH: process.env['PATH'],
      HTTPS_PROXY: way,
      https_proxy: way,
      HTTP_PROXY: way,
      http_proxy: way,
      NODE_USE_ENV_PROXY: '1',
      NODE_EXTRA_CA_CERTS: authority,
    }
    const get = async (url: string): Promise<string> =>
      (await run(program, argsFor(url), { env, timeout: 60_000 })).stdout.trim()
    assert.equal(await get('https://allowed.example/'), 'hello allowed.example')
    await assert.rejects(get('https://evil.example/'))
    assert.deepEqual(proxy.blocked, ['Blocked: MCP server tried to reach evil.example'])
    assert.deepEqual(outside.queries, ['allowed.example'])
  })
}

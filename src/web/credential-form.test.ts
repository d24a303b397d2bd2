import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import type { ConnectionView } from '../ports/setup-port.ts'
import type { VaultStatus } from '../kernel/vault-status.ts'
import { HONEST, openFakePage, refused } from './fake-page.ts'

const KEY = 'k'.repeat(43)
const PLACE = `/credential/notion/${KEY}`
const TOKEN = ['ntn', 'a1b2c3d4e5f6'].join('_')
const connection: ConnectionView = {
  connection: 'f1',
  service: 'notion',
  title: 'Notion',
  phase: 'awaiting-credential',
  question: {
    title: 'token',
    isSecret: true,
    where: 'notion.so → <Create> → "Copy"',
    form: `http://localhost:19275${PLACE}`,
  },
  expiresAt: '2030-01-01T00:10:00.000Z',
  said: [],
  version: 1,
}
const FORM = { ...HONEST, 'content-type': 'application/x-www-form-urlencoded' }

async function open(
  provide: (value: string) => Promise<ConnectionView> = async () => connection,
  vault: VaultStatus['state'] = 'unlocked',
) {
  let view: ConnectionView | null = connection
  const page = await openFakePage({
    'vault.status': async () => ({ state: vault, secrets: 0, warnings: [] }),
    'vault.sources': async () => ({ sources: ['passphrase', 'keyfile'] }),
    'connect.view': async () => ({ connection: view }),
    'connect.provide': async ({ value }) => await provide(value),
  })
  const get = async (path = PLACE) => await page.fetch(path, { headers: { host: HONEST.host } })
  return {
    ...page,
    get,
    endFlow: () => {
      view = null
    },
    nonce: async () => /name="nonce" value="([^"]+)"/.exec(await (await get()).text())?.[1] ?? '',
    send: async (
      nonce: string,
      headers: Record<string, string> = {},
      more: Record<string, string> = {},
    ) =>
      await page.fetch(PLACE, {
        method: 'POST',
        headers: { ...FORM, ...headers },
        body: new URLSearchParams({ nonce, value: TOKEN, ...more }).toString(),
      }),
  }
}

test('the form hides what is typed, loads nothing from elsewhere, and escapes what it shows', async () => {
  const { get } = await open()
  const response = await get()
  const text = await response.text()
  assert.equal(response.status, 200)
  assert.match(text, /<input type="password" name="value"/)
  assert.match(text, /notion\.so → &lt;Create&gt; → &quot;Copy&quot;/)
  assert.doesNotMatch(text, /https?:|<script/)
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
})

// Regression 22
test('what is sent reaches the flow, once', async () => {
  const { nonce, send, calls } = await open()
  const once = await nonce()
  const first = await send(once)
  assert.match(await first.text(), /✓ Stored securely/)
  await refused(await send(once), 403, 'web.nonce')
  const provided = calls.filter(({ route }) => route === 'connect.provide')
  assert.deepEqual(
    provided.map(({ input }) => input),
    [{ connection: 'f1', value: TOKEN }],
  )
})

test('the first credential says how it will be protected, and the choice goes with it; no passphrase is taken', async () => {
  const { get, nonce, send, calls } = await open(undefined, 'absent')
  const text = await (await get()).text()
  assert.match(text, /name="protect" value="keyfile" checked/)
  assert.doesNotMatch(text, /value="keychain"|value="passphrase"/)
  assert.match(text, /cordon vault init/)
  await send(await nonce(), {}, { protect: 'keyfile' })
  await send(await nonce(), {}, { protect: 'passphrase' })
  const provided = calls.filter(({ route }) => route === 'connect.provide')
  assert.deepEqual(
    provided.map(({ input }) => input),
    [
      { connection: 'f1', value: TOKEN, protect: 'keyfile' },
      { connection: 'f1', value: TOKEN },
    ],
  )
})

test('a locked vault is said before anything is typed', async () => {
  const { get } = await open(undefined, 'locked')
  assert.match(await (await get()).text(), /role="alert">The vault is locked\./)
})

// Regression 22
test('a form of another flow, too old, or made up is refused', async () => {
  const page = await open()
  await refused(await page.send('made-up'), 403, 'web.nonce')
  const old = await page.nonce()
  page.wait(10 * 60_000)
  await refused(await page.send(old), 403, 'web.nonce')
  const late = await page.nonce()
  page.endFlow()
  assert.equal((await page.send(late)).status, 404)
  assert.equal((await page.get()).status, 404)
  assert.ok(page.calls.every(({ route }) => route !== 'connect.provide'))
})

// Regression 22
test('only the page itself may send it: other hosts, origins and types are refused', async () => {
  const page = await open()
  const nonce = await page.nonce()
  await refused(await page.send(nonce, { host: 'evil.example:19275' }), 421, 'web.host')
  await refused(await page.send(nonce, { origin: 'http://evil.example' }), 403, 'web.origin')
  await refused(await page.send(nonce, { 'sec-fetch-site': 'cross-site' }), 403, 'web.fetch-site')
  await refused(await page.send(nonce, { 'content-type': 'text/plain' }), 415, 'web.content-type')
  assert.match(await (await page.send(nonce)).text(), /Stored/)
})

test('a credential that is not accepted says why and asks again, without repeating it', async () => {
  const { nonce, send } = await open(async () => {
    throw new CordonError('setup.shape', { exit: 2, hint: 'Copy it again' }, 'Cannot use it')
  })
  const response = await send(await nonce())
  const text = await response.text()
  assert.equal(response.status, 400)
  assert.match(text, /Cannot use it\. Copy it again\./)
  assert.match(text, /name="nonce"/)
  assert.doesNotMatch(text, new RegExp(TOKEN))
})

test('without the whole link there is no form, nothing can be sent, and nothing is told', async () => {
  const page = await open()
  const nonce = await page.nonce()
  const others = [
    'notion',
    'notion/',
    `notion/${'x'.repeat(43)}`,
    `github/${KEY}`,
    `notion/${KEY}/`,
  ]
  for (const other of [...others, `..%2Fapi/${KEY}`]) {
    const path = `/credential/${other}`
    const shown = await page.get(path)
    assert.equal(shown.status, 404, path)
    const text = await shown.text()
    assert.match(text, /Open the whole link that Cordon printed/)
    assert.doesNotMatch(text, new RegExp(`nonce|${KEY}|Notion`))
    const body = new URLSearchParams({ nonce, value: TOKEN }).toString()
    const sent = await page.fetch(path, { method: 'POST', headers: FORM, body })
    assert.equal(sent.status, 404, path)
  }
  assert.match(await (await page.send(nonce)).text(), /Stored/, 'its nonce is still good')
})

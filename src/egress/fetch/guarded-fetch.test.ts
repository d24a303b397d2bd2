import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { GuardedFetchOptions } from '../../ports/egress-port.ts'
import { createAgent } from './agent.ts'
import { createEgress, type EgressParts } from '../create-egress.ts'
import { DEFAULT_LIMITS } from '../proxy/limits.ts'
import { AUTHORITY, CERTIFICATE, listen, openOutside, type Outside } from '../test-outside.ts'

function fetchOf(
  outside: Outside,
  options: Partial<GuardedFetchOptions> = {},
  changes: Partial<EgressParts> = {},
): typeof fetch {
  const { dangerouslyTrustAuthority, ...rest } = outside.parts(changes)
  const trust = options.pinnedCertificate === undefined ? { dangerouslyTrustAuthority } : {}
  return createEgress({ ...rest, ...(trust as object) }).createFetch({
    allowedDomains: ['allowed.example'],
    ...options,
  })
}

test('a guarded fetch reaches a host on its list over TLS, and hands back a Response of Node itself', async () => {
  await using outside = await openOutside()
  const guarded = fetchOf(outside)
  const response = await guarded('https://ALLOWED.example./path?a=b', { method: 'POST', body: 'x' })
  assert.ok(response instanceof Response)
  assert.equal(await response.text(), 'hello allowed.example')
  assert.deepEqual([outside.reached, outside.queries], [['allowed.example'], ['allowed.example']])
})

test('a guarded fetch sends what a request holds, and sends it again to where it is redirected', async () => {
  await using outside = await openOutside()
  outside.answer = (request, response) => {
    if (request.url === '/first') response.writeHead(307, { location: '/second' }).end()
    else void text(request).then((sent) => response.end(`got ${sent}`))
  }
  const guarded = fetchOf(outside)
  const url = 'https://allowed.example/second'
  const request = new Request(url, { method: 'POST', body: 'content' })
  assert.equal(await (await guarded(request)).text(), 'got content')
  const post = { method: 'POST', body: 'content' }
  const again = await guarded('https://allowed.example/first', post)
  assert.equal(await again.text(), 'got content')
  const once = new Request('https://allowed.example/first', post)
  await assert.rejects(
    guarded(once),
    { code: 'egress.redirect' },
    'a stream is gone once it is sent',
  )
})

// Regression 16
test('a guarded fetch refuses before anything is looked up, and never repeats a secret', async () => {
  await using outside = await openOutside()
  const guarded = fetchOf(outside)
  for (const url of [
    'https://evil.example/?token=hidden',
    'https://sub.allowed.example/?token=hidden',
    'http://allowed.example/?token=hidden',
    'https://user:hidden@allowed.example/',
    'https://hidden@allowed.example/',
    'https://127.0.0.1/?token=hidden',
    'https://2130706433/?token=hidden',
    'https://[::1]/?token=hidden',
    'https://localhost/?token=hidden',
    'http://localhost/?token=hidden',
    'ftp://allowed.example/hidden',
    'file:///hidden',
    'data:text/plain,hidden',
    'hidden',
  ]) {
    await assert.rejects(guarded(url), (error: Error & { code?: string; hint?: string }) => {
      assert.match(error.code ?? '', /^egress\.(not-allowed|bad-url)$/, url)
      assert.doesNotMatch(`${error.message} ${error.hint}`, /hidden/, url)
      return true
    })
  }
  const headers = { authorization: 'Bearer hidden\nhidden' }
  await assert.rejects(guarded('https://allowed.example/', { headers }), (error: Error) => {
    return !/hidden/.test(error.message) && 'code' in error && error.code === 'egress.bad-request'
  })
  assert.deepEqual([outside.queries, outside.dialled], [[], []])
})

// Regression 16
test('a guarded fetch does not dial a private address, nor look a name up twice', async () => {
  await using outside = await openOutside()
  const strict = { dangerouslyAllowAddress: () => false }
  outside.names.set('allowed.example', ['10.0.0.1', '127.0.0.1', '64:ff9b::7f00:1'])
  const guarded = fetchOf(outside, {}, strict)
  await assert.rejects(guarded('https://allowed.example/'), { code: 'egress.private-address' })
  assert.deepEqual(outside.dialled, [])

  const answers = [['93.184.216.34'], ['127.0.0.1']]
  outside.names.set('allowed.example', () => answers.shift() ?? [])
  const again = fetchOf(outside, {}, strict)
  assert.equal((await again('https://allowed.example/')).status, 200)
  assert.deepEqual(outside.dialled, ['93.184.216.34'])
})

test('a guarded fetch checks every hop of a redirect', async () => {
  await using outside = await openOutside()
  const seen: string[] = []
  outside.answer = (request, response) => {
    seen.push(`${request.headers.host}${request.url} ${request.headers.authorization ?? '-'}`)
    const to = decodeURIComponent(request.url?.split('?to=')[1] ?? '')
    if (to === '') response.end('arrived')
    else response.writeHead(302, { location: to }).end('moved')
  }
  const guarded = fetchOf(outside, { allowedDomains: ['allowed.example', 'other.example'] })
  const go = (to: string, redirect: 'follow' | 'error' | 'manual' = 'follow'): Promise<Response> =>
    guarded(`https://allowed.example/?to=${encodeURIComponent(to)}`, {
      redirect,
      headers: { authorization: 'Bearer x' },
    })

  assert.equal(await (await go('https://other.example/end')).text(), 'arrived')
  assert.deepEqual(seen.slice(-1), ['other.example/end -'])
  await (await go('/end')).text()
  assert.deepEqual(seen.slice(-1), ['allowed.example/end Bearer x'])
  for (const to of ['https://evil.example/', 'https://127.0.0.1/', 'https://a:b@other.example/']) {
    await assert.rejects(go(to), { code: 'egress.not-allowed' }, to)
  }
  await assert.rejects(go('http://allowed.example/'), { code: 'egress.redirect' })
  await assert.rejects(go('/end', 'error'), { code: 'egress.too-many-redirects' })
  assert.equal((await go('/end', 'manual')).status, 302)
  assert.deepEqual(new Set(outside.reached), new Set(['allowed.example', 'other.example']))

  outside.answer = (_, response) => response.writeHead(302, { location: '/again' }).end()
  await assert.rejects(guarded('https://allowed.example/'), { code: 'egress.too-many-redirects' })
})

test('a guarded fetch trusts the usual authorities, or the pinned certificate alone', async () => {
  await using outside = await openOutside()
  const get = (options: Partial<GuardedFetchOptions>, changes = {}): Promise<Response> =>
    fetchOf(outside, options, changes)('https://allowed.example/')
  assert.equal((await get({ pinnedCertificate: CERTIFICATE })).status, 200)
  assert.equal((await get({ pinnedCertificate: AUTHORITY })).status, 200)
  const unknown = { dangerouslyTrustAuthority: '' }
  await assert.rejects(get({}, unknown), { code: 'egress.untrusted' })
  await assert.rejects(get({ pinnedCertificate: 'nonsense' }), { code: 'egress.untrusted' })
  const wrongName = { allowedDomains: ['wrong.example'], pinnedCertificate: CERTIFICATE }
  outside.names.set('wrong.example', ['127.0.0.1'])
  await assert.rejects(fetchOf(outside, wrongName)('https://wrong.example/'), {
    code: 'egress.untrusted',
  })
})

test('a guarded fetch checks certificates whatever the environment says', async (t) => {
  await using outside = await openOutside()
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
  const guarded = fetchOf(outside, {}, { dangerouslyTrustAuthority: '' })
  await assert.rejects(guarded('https://allowed.example/'), { code: 'egress.untrusted' })
})

test('a guarded fetch goes its own way, also for a caller that brings another', async () => {
  await using outside = await openOutside()
  const own = createAgent(DEFAULT_LIMITS, async () => {
    throw new Error('the dispatcher of the caller was used')
  })
  const init = { dispatcher: own } as unknown as RequestInit
  const url = 'https://allowed.example/'
  for (const asked of [() => [url, init], () => [new Request(url, init)]] as const) {
    const response = await fetchOf(outside)(...(asked() as Parameters<typeof fetch>))
    assert.equal(await response.text(), 'hello allowed.example')
  }
})

test('a guarded fetch streams, and stops when it is told to', async () => {
  await using outside = await openOutside()
  outside.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: one\n\n')
  }
  const stop = new AbortController()
  const response = await fetchOf(outside)('https://allowed.example/', { signal: stop.signal })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  assert.equal(Buffer.from(first?.value as Uint8Array).toString(), 'data: one\n\n')
  stop.abort()
  await assert.rejects(async () => await reader?.read(), { name: 'AbortError' })
  const late = fetchOf(outside)('https://allowed.example/', { signal: AbortSignal.abort() })
  await assert.rejects(late, { name: 'AbortError' })
})

test('a guarded fetch still stops when it is told to after its garbage was collected', async () => {
  await using outside = await openOutside()
  outside.answer = (_, response) => void response.write('first')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const stop = new AbortController()
  const response = await fetchOf(outside)('https://allowed.example/', { signal: stop.signal })
  const reader = response.body?.getReader()
  await reader?.read()
  const next = reader?.read().catch((error: Error) => error.name)
  for (let round = 0; round < 5; round += 1) {
    collect()
    await setImmediate()
  }
  stop.abort()
  assert.equal(await next, 'AbortError')
})

test('a guarded fetch uses plain http for loopback alone, and only where that is asked for', async () => {
  await using outside = await openOutside()
  const local = createHttpServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://localhost:1/' }).end()
    else response.end('local')
  })
  const port = await listen(local)
  const direct = { connect: (address: string, to: number) => connect({ host: address, port: to }) }
  const options = {
    allowedDomains: ['localhost', '127.0.0.1', 'allowed.example'],
    dangerouslyAllowHttp: true,
  }
  const guarded = fetchOf(outside, options, direct)
  for (const host of ['localhost', '127.0.0.1']) {
    assert.equal(await (await guarded(`http://${host}:${port}/`)).text(), 'local', host)
  }
  assert.deepEqual(outside.queries, [])
  await assert.rejects(guarded('http://allowed.example/'), { code: 'egress.not-allowed' })
  await assert.rejects(guarded(`http://[::1]:${port}/`), { code: 'egress.not-allowed' })
  await assert.rejects(guarded(`http://localhost:${port}/away`), { code: 'egress.redirect' })
  assert.throws(() => fetchOf(outside, { allowedDomains: ['localhost'] }), {
    code: 'egress.bad-domain',
  })
  local.close().closeAllConnections()
})

test('a guarded fetch says that a host cannot be reached', async () => {
  await using outside = await openOutside()
  const refused = { connect: () => connect({ host: '127.0.0.1', port: 1 }) }
  const guarded = fetchOf(
    outside,
    { allowedDomains: ['allowed.example', 'nowhere.example'] },
    refused,
  )
  for (const host of ['allowed.example', 'nowhere.example']) {
    await assert.rejects(guarded(`https://${host}/?token=hidden`), {
      code: 'egress.unreachable',
      message: `Cannot reach "${host}"`,
    })
  }
})

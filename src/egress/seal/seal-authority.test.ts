import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import test from 'node:test'
import { listen } from '../test-outside.ts'
import { createSealAuthority } from './seal-authority.ts'

const DAY_MS = 86_400_000

async function certificateFor(
  authority: ReturnType<typeof createSealAuthority>,
  host: string,
): Promise<X509Certificate | string> {
  const server = createServer((socket: Socket) => {
    const secureContext = authority.contextFor(host)
    new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined).resume()
  })
  const port = await listen(server)
  const tls = connectTls({
    socket: connect(port, '127.0.0.1'),
    servername: host,
    ca: authority.certificate,
  })
  const outcome = await once(tls, 'secureConnect').then(
    () => tls.getPeerX509Certificate(),
    (error: unknown) => String((error as NodeJS.ErrnoException).code),
  )
  tls.destroy()
  server.close()
  return outcome ?? 'no certificate'
}

test('createSealAuthority() vouches for a host with a certificate of a day', async () => {
  const authority = createSealAuthority(Date.now)
  const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.example`
  for (const host of ['api.example', long]) {
    const found = await certificateFor(authority, host)
    assert.ok(found instanceof X509Certificate, String(found))
    assert.equal(found.checkHost(host), host)
    assert.equal(found.checkHost(`evil-${host}`), undefined)
    assert.equal(found.ca, false)
    assert.ok(found.validToDate.getTime() - Date.now() <= DAY_MS)
    assert.ok(found.verify(new X509Certificate(authority.certificate).publicKey))
  }
})

test('createSealAuthority() makes authorities that do not vouch for each other', async () => {
  const [one, two] = [createSealAuthority(Date.now), createSealAuthority(Date.now)]
  assert.ok(new X509Certificate(one.certificate).ca)
  const mixed = { certificate: one.certificate, contextFor: two.contextFor }
  assert.match(String(await certificateFor(mixed, 'api.example')), /UNABLE_TO_VERIFY|SIGNATURE/)
})

test('createSealAuthority() makes a new certificate before the old one ends, and keeps few', () => {
  let now = Date.now()
  const authority = createSealAuthority(() => now)
  const first = authority.contextFor('api.example')
  assert.equal(authority.contextFor('api.example'), first)
  now += 13 * 3_600_000
  const second = authority.contextFor('api.example')
  assert.notEqual(second, first)
  for (let n = 0; n < 64; n += 1) authority.contextFor(`n${n}.example`)
  assert.notEqual(authority.contextFor('api.example'), second)
})

import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import test from 'node:test'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { parseClientHello } from './client-hello.ts'
import { extension, helloFor, helloMessage, records, serverName, vector } from './test-hello.ts'

const plain = extension(10, vector(2, Buffer.of(0, 29)))

test('parseClientHello() reads the name out of the hello of a real TLS client', async () => {
  const first = Promise.withResolvers<Buffer>()
  const wire = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      first.resolve(chunk)
      done()
    },
  })
  const client = connect({ socket: wire, servername: 'Api.Example.com' }).on(
    'error',
    () => undefined,
  )
  const hello = await first.promise
  client.destroy()
  assert.deepEqual(parseClientHello(hello), { kind: 'hello', serverName: 'api.example.com' })
})

test('parseClientHello() gives the same answer however the hello is cut into up to 16 records, and waits for the last byte', () => {
  const message = helloMessage(Buffer.concat([plain, serverName('allowed.example')]))
  const smallest = Math.ceil(message.length / 16)
  fc.assert(
    fc.property(fc.integer({ min: smallest, max: message.length }), (size) => {
      const bytes = records(message, size)
      const expected = { kind: 'hello', serverName: 'allowed.example' }
      assert.deepEqual(parseClientHello(bytes), expected)
      assert.deepEqual(
        parseClientHello(Buffer.concat([bytes, Buffer.from('early data')])),
        expected,
      )
      for (let length = 0; length < bytes.length; length += 1) {
        assert.equal(parseClientHello(bytes.subarray(0, length)).kind, 'more', `${length}`)
      }
    }),
    { numRuns: 20 },
  )
})

test('parseClientHello() gives up on a hello in many small records at the seventeenth', () => {
  const bytes = records(helloMessage(serverName('allowed.example')), 1)
  assert.equal(parseClientHello(bytes.subarray(0, 16 * 6)).kind, 'more')
  const found = parseClientHello(bytes.subarray(0, 17 * 6))
  assert.match(found.kind === 'bad' ? found.reason : found.kind, /too many pieces/)
})

test('parseClientHello() says why it refuses what is not a hello with one readable name', () => {
  const hello = (...extensions: Buffer[]): Buffer =>
    records(helloMessage(Buffer.concat(extensions)))
  const twoNames = Buffer.concat([Buffer.of(0), vector(2, Buffer.from('a.com'))])
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ['plain http', Buffer.from('GET / HTTP/1.1\r\n'), /not TLS/],
    ['an SSH banner', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), /not TLS/],
    ['another CONNECT', Buffer.from('CONNECT evil.example:443 HTTP/1.1\r\n\r\n'), /not TLS/],
    ['an SSL 2 hello', Buffer.of(0x80, 0x2e, 1, 3, 1), /not TLS/],
    ['an alert', Buffer.of(21, 3, 1, 0, 2, 1, 0), /not TLS/],
    ['an empty record', Buffer.of(22, 3, 1, 0, 0), /not TLS/],
    ['a record that is too long', Buffer.of(22, 3, 1, 0x40, 1), /not TLS/],
    [
      'an alert between two parts',
      Buffer.concat([records(Buffer.of(1, 0)), Buffer.of(21)]),
      /not TLS/,
    ],
    ['a ServerHello', records(Buffer.of(2, 0, 0, 0)), /ClientHello/],
    ['no name', hello(plain), /no server name/],
    [
      'no extensions at all',
      records(Buffer.concat([Buffer.of(1), vector(3, Buffer.alloc(39))])),
      /./,
    ],
    ['two name extensions', hello(serverName('a.com'), serverName('b.com')), /two server names/],
    [
      'two names in one',
      hello(extension(0, vector(2, Buffer.concat([twoNames, twoNames])))),
      /malformed/,
    ],
    ['a name of another type', hello(extension(0, vector(2, Buffer.of(1, 0, 1, 97)))), /malformed/],
    ['an empty name list', hello(extension(0, Buffer.alloc(0))), /malformed/],
    ['a hidden name', hello(serverName('a.com'), extension(0xfe0d, Buffer.alloc(8))), /ECH/],
    ['a draft of one', hello(serverName('a.com'), extension(0xfe0a, Buffer.alloc(8))), /ECH/],
    ['ESNI', hello(serverName('a.com'), extension(0xffce, Buffer.alloc(8))), /ECH/],
    ['a broken extension', hello(serverName('a.com'), Buffer.of(0, 5, 0xff, 0xff)), /malformed/],
    ['a body that is cut', records(Buffer.of(1, 0, 0, 3, 3, 3, 7)), /malformed/],
  ]
  for (const [what, bytes, expected] of cases) {
    const found = parseClientHello(bytes)
    assert.match(found.kind === 'bad' ? found.reason : found.kind, expected, what)
  }
})

test('parseClientHello() answers any bytes, also a good hello with any byte changed', () => {
  const good = helloFor('allowed.example')
  const kinds = new Set(['more', 'hello', 'bad'])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      assert.ok(kinds.has(parseClientHello(Buffer.from(bytes)).kind))
    }),
  )
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
      const changed = Buffer.from(good)
      changed[at] = value
      assert.ok(kinds.has(parseClientHello(changed).kind))
    }),
  )
})

/** DATABASE_URL as people write it for libpq. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CordonError } from '../kernel/error.ts'
import { parsePostgresUrl } from './postgres-url.ts'

test('parsePostgresUrl() reads what libpq reads', () => {
  const base = { host: 'localhost', port: 5432, database: 'db', ssl: false }
  const cases: readonly (readonly [string, object])[] = [
    ['postgres://localhost/db', base],
    ['postgresql://localhost/db', base],
    ['postgres:///db', base],
    ['postgres://127.0.0.1/db', { ...base, host: '127.0.0.1' }],
    ['postgres://[::1]:5433/db', { ...base, host: '::1', port: 5433 }],
    ['postgres://ann@localhost', { ...base, database: 'ann', user: 'ann' }],
    ['postgres://ann:p%40ss%2F@localhost/db', { ...base, user: 'ann', password: 'p@ss/' }],
    ['postgres:///db?host=/run/postgresql', { ...base, host: '/run/postgresql' }],
    ['postgres://%2Frun%2Fpostgresql/db', { ...base, host: '/run/postgresql' }],
    [
      'postgres://x@y/z?host=/s&port=7&dbname=db&user=u&password=p',
      { ...base, host: '/s', port: 7, user: 'u', password: 'p' },
    ],
  ]
  for (const [url, expected] of cases) assert.deepEqual(parsePostgresUrl(url), expected, url)
})

test('parsePostgresUrl() demands a certificate over the network, unless told otherwise', () => {
  const sslOf = (url: string): unknown => parsePostgresUrl(url).ssl
  assert.equal(sslOf('postgres://db.example.com/db'), 'verify-full')
  assert.equal(sslOf('postgres://10.0.0.7/db'), 'verify-full')
  assert.equal(sslOf('postgres://127.0.0.1.example.com/db'), 'verify-full')
  assert.equal(sslOf('postgres://localhost.example.com/db'), 'verify-full')
  assert.equal(sslOf('postgres://localhost/db?sslmode=require'), 'require')
  assert.equal(sslOf('postgres://db.example.com/db?sslmode=verify-ca'), 'verify-full')
  assert.equal(sslOf('postgres://db.example.com/db?sslmode=require'), 'require')
  assert.equal(sslOf('postgres://db.example.com/db?sslmode=prefer'), 'prefer')
  assert.equal(sslOf('postgres://db.example.com/db?sslmode=disable'), false)
  assert.equal(sslOf('postgres:///db?host=/run/postgresql&sslmode=require'), false)
})

test('parsePostgresUrl() refuses what it does not understand', () => {
  const wrong = [
    '',
    'db.example.com/db',
    'mysql://localhost/db',
    'postgres://localhost',
    'postgres://localhost:70000/db',
    'postgres:///db?port=x',
    'postgres:///db?port=0',
    'postgres:///db?sslmode=maybe',
    'postgres:///db?sslmode=constructor',
    'postgres:///db?sslcert=/x',
    'postgres://a%zz@localhost/db',
  ]
  for (const url of wrong)
    assert.throws(() => parsePostgresUrl(url), { code: 'store.url', exit: 2 }, url)
})

test('parsePostgresUrl() never repeats a password, whatever the URL looks like', () => {
  const shapes = fc.constantFrom(
    (word: string) => `postgres://u:${word}@localhost:99999/db`,
    (word: string) => `postgres://u:${word}@[::1/db`,
    (word: string) => `postgres//u:${word}@localhost/db`,
    (word: string) => `postgres://u:${word}%@localhost/db`,
    (word: string) => `postgres:///db?password=${word}&port=x`,
    (word: string) => `postgres:///db?sslmode=${word}`,
    (word: string) => word,
  )
  fc.assert(
    fc.property(shapes, fc.stringMatching(/^[a-z0-9]{12,20}$/), (shape, word) => {
      assert.throws(
        () => parsePostgresUrl(shape(word)),
        (error) => error instanceof CordonError && !JSON.stringify(error.toBody()).includes(word),
      )
    }),
  )
})

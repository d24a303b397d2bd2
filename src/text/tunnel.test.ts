import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesIn, parseTunnel, tunnelsIn } from './tunnel.ts'

test('parseTunnel() takes one host and one port, in one spelling', () => {
  assert.deepEqual(parseTunnel('DB.Example.com:5432'), { host: 'db.example.com', port: 5432 })
  assert.deepEqual(parseTunnel('db1:27017'), { host: 'db1', port: 27_017 })
  assert.deepEqual(parseTunnel('localhost:6543'), { host: 'localhost', port: 6543 })
  assert.deepEqual(parseTunnel('127.0.0.1:5432'), { host: '127.0.0.1', port: 5432 })
})

for (const text of [
  'db.example.com',
  '*.example.com:5432',
  'db.example.com:443', // a privileged port
  'db.example.com:3128', // the proxy's port
  'db.example.com:65536',
  'db.example.com:05432',
  '10.0.0.1:5432',
  '127.0.0.2:5432',
  '2130706433:5432',
  '0x7f.1:5432',
  '[::1]:5432',
  'db.example.com:5432/x',
  'u@db.example.com:5432',
  'db..example.com:5432',
  'db.example.com.:5432',
  'dß.example.com:5432',
  'db.example.com:5432\n',
  `${'a.'.repeat(130)}com:5432`,
]) {
  test(`parseTunnel() does not take ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.equal(parseTunnel(text), undefined)
  })
}

test('a list of hosts falls into names and tunnels', () => {
  const list = ['api.example.com', 'db.example.com:5432', '*.example.org']
  assert.deepEqual(namesIn(list), ['api.example.com', '*.example.org'])
  assert.deepEqual(tunnelsIn(list), [{ host: 'db.example.com', port: 5432 }])
})

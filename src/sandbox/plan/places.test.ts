/** Tunnels seen from inside a sandbox: their names lead to a listener; any other name or port leads nowhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostsFile, placesFor } from './places.ts'
import { listen, openTestSandbox } from '../test-sandbox.ts'

const { launch } = await openTestSandbox()

test('every host has an address of its own, and every tunnel a place', () => {
  const tunnels = [
    { host: 'a.example', port: 5432 },
    { host: 'b.example', port: 5432 },
    { host: 'a.example', port: 5433 },
    { host: 'localhost', port: 5432 },
  ]
  const places = placesFor({ networked: true, tunnels })
  assert.deepEqual(
    places.map(({ address, port }) => `${address}:${port}`),
    ['127.0.0.1:3128', '127.0.1.1:5432', '127.0.1.2:5432', '127.0.1.1:5433', '127.0.0.1:5432'],
  )
  assert.equal(
    hostsFile(places),
    '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 a.example\n127.0.1.2 b.example\n',
  )
  assert.deepEqual(placesFor({ networked: false }), [])
  const twice = ['localhost', '127.0.0.1'].map((host) => ({ host, port: 5432 }))
  assert.equal(placesFor({ networked: false, tunnels: twice }).length, 1)
})

const TRY = `
  const { connect } = require('node:net')
  const reach = (host, port) => new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.on('data', (bytes) => resolve(String(bytes))).on('error', ({ code }) => resolve(code))
  })
  const tried = [['a.example', 5432], ['b.example', 5432], ['a.example', 5433], ['c.example', 5432], ['127.0.0.1', 3128]]
  Promise.all(tried.map(([host, port]) => reach(host, port))).then((said) => {
    console.log(JSON.stringify(said))
    process.exit()
  })
`

test('SANDBOX-3: a tunnel is reached by its name and port; another port, another name and the proxy are not there', async () => {
  const tunnels = [
    { host: 'a.example', port: 5432 },
    { host: 'b.example', port: 5432 },
  ]
  const running = await launch('node', ['-e', TRY], { tunnels })
  const heard = listen(running)
  assert.equal(running.connections, undefined)
  for (const tunnel of running.tunnels)
    tunnel.onConnection((connection) => connection.end(`this is ${tunnel.to.host}`))
  assert.deepEqual(await running.ended, { kind: 'exited', code: 0 }, heard.errors)
  const [a, b, otherPort, otherName, proxy] = JSON.parse(heard.text) as string[]
  assert.deepEqual([a, b], ['this is a.example', 'this is b.example'])
  for (const reason of [otherPort, proxy]) assert.match(reason ?? '', /^(?:ECONNREFUSED|EACCES)$/)
  assert.match(otherName ?? '', /^(?:EAI_AGAIN|ENOTFOUND)$/)
})

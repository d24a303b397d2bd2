/**
 * Installs from the registry of the owner's own npm: in a private network, under an authority of its own, behind a
 * proxy, with a login. Real npm, real sandbox, real proxies.
 */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import { never } from '../../src/kernel/test-never.ts'
import { openForwardProxy } from './forward-proxy.ts'
import { egressTo, installFrom as install, openPackageHouse } from './package-house.ts'
import { AUTHORITY, HOST, openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
registry.add({ name: 'plain', description: { bin: 'run.js' }, files: { 'run.js': '' } })

const homeFolder = mkdtempSync('/var/tmp/cordon-npmrc-')
after(() => rmSync(homeFolder, { recursive: true }))
copyFileSync(AUTHORITY, path.join(homeFolder, 'corp.pem'))
const TOKEN = 'npm_CANARY0123456789'
const npm = (...lines: readonly string[]) => {
  const all = [`registry=https://${HOST}/`, 'cafile=~/corp.pem', ...lines]
  writeFileSync(path.join(homeFolder, '.npmrc'), all.join('\n'))
}
const environment = { npm_config_globalconfig: '/dev/null' }

test('INSTALL-1: a registry in a private network works as in npm, also behind a proxy with a login, and gets its token', async () => {
  await using proxy = await openForwardProxy(registry.port, 'ann:secret')
  const dialled: string[] = []
  const egress = egressTo(registry.port, {
    resolve: async (host) => [host === 'proxy.corp' ? '10.0.0.1' : '10.0.0.2'],
    dangerouslyAllowAddress: () => false,
    connect(address, port) {
      dialled.push(`${address}:${port}`)
      const isProxy = address === '10.0.0.1'
      return connect({ port: isProxy ? proxy.port : registry.port, allowHalfOpen: true })
    },
  })
  await using house = await openPackageHouse(egress, { environment, homeFolder })
  npm(`//${HOST}/:_authToken=${TOKEN}`, 'https-proxy=http://ann:secret@proxy.corp:3128')
  assert.equal((await install(house, 'plain')).package, 'plain')
  assert.deepEqual(await house.packages.tryRegistry(never), {
    name: 'npm registry',
    verdict: 'ok',
    finding: `${HOST} answers through your proxy proxy.corp`,
  })
  assert.deepEqual([...new Set(dialled)], ['10.0.0.1:3128'])
  assert.deepEqual(new Set(proxy.asked.map((line) => line.split(' ')[0])), new Set([`${HOST}:443`]))
  assert.deepEqual(new Set(registry.credentials), new Set([`Bearer ${TOKEN}`]))
  for (const file of readdirSync(house.root, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    assert.ok(!readFileSync(path.join(file.parentPath, file.name), 'latin1').includes(TOKEN))
  }
})

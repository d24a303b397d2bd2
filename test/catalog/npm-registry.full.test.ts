/** The npm registry: how it is chosen, how it may be reached, how it can fail. Real npm, real sandbox, real proxy. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import { openForwardProxy } from './forward-proxy.ts'
import {
  egressTo,
  installFrom as install,
  openPackageHouse,
  type PackageHouse,
  refuses,
  STAND_IN,
} from './package-house.ts'
import { HOST, openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
registry.add({ name: 'plain', description: { bin: 'run.js' }, files: { 'run.js': '' } })

const open = (changes: Parameters<typeof openPackageHouse>[1] = {}): Promise<PackageHouse> =>
  openPackageHouse(egressTo(registry.port), { ...STAND_IN, ...changes })

test('a registry at an address that nothing may reach is refused', async () => {
  const egress = egressTo(registry.port, { resolve: async () => ['169.254.169.254'] })
  await using house = await open({ egress })
  await refuses(house, install(house, 'plain'), 'catalog.registry-setting', /at a special address$/)
})

test('a registry that fails is told by how it fails', async () => {
  await using house = await open()
  const failing = async (status: number, body: string, code: string, message: RegExp) => {
    registry.answer = (_, response) => response.writeHead(status).end(body)
    try {
      await refuses(house, install(house, 'plain'), code, message)
    } finally {
      registry.answer = undefined
    }
  }
  await failing(401, '{}', 'catalog.registry-login', /"allowed\.example" asks for a login$/)
  await failing(200, '<html>', 'catalog.registry-unreachable', /answers with a web page where/)
  await failing(200, '{"half":', 'catalog.registry-unreachable', /something that is not JSON/)
  await failing(503, '', 'catalog.registry-unreachable', /answers with status 503$/)
  assert.match(house.logged[0] ?? '', /^A package was not installed .*"npm":".*E401/)
  await using away = await open({ egress: egressTo(1) })
  await refuses(away, install(away, 'plain'), 'catalog.registry-unreachable', /does not answer$/)
})

test('INSTALL-3: a registry that is silent is waited for half a minute at most, and nothing is left', async () => {
  await using house = await open({ silenceMs: 500 })
  registry.answer = (_, response) => void response.writeHead(200).write('{')
  try {
    const code = 'catalog.registry-unreachable'
    await refuses(house, install(house, 'plain'), code, /was silent for too long$/)
  } finally {
    registry.answer = undefined
  }
})

test('INSTALL-3: an archive that ends half-way is told as such, and nothing is left', async () => {
  registry.add({
    name: 'cut',
    description: { bin: 'run.js' },
    files: { 'run.js': 'x'.repeat(9999) },
  })
  await using house = await open({ silenceMs: 2000 })
  registry.cut('/cut/-/1.0.0.tgz')
  await refuses(
    house,
    install(house, 'cut'),
    'catalog.registry-unreachable',
    /broke off in the middle of an answer$/,
  )
})

test('INSTALL-3: a package that vanishes between look-up and fetch is named, and nothing is left', async () => {
  const files = { 'run.js': '' }
  registry.add({ name: 'fleeting' })
  const dependencies = { fleeting: '1.0.0' }
  registry.add({ name: 'outer', description: { bin: 'run.js', dependencies }, files })
  registry.forget('/fleeting/-/1.0.0.tgz')
  await using house = await open()
  const said = /"fleeting" was in the npm registry a moment ago and is gone$/
  await refuses(house, install(house, 'outer'), 'catalog.vanished', said)
  registry.add({ name: 'lacking', description: { bin: 'run.js', dependencies: { nowhere: '1' } } })
  const lacks = /it needs "nowhere@1", which is not in the npm registry "allowed\.example"$/
  await refuses(house, install(house, 'lacking'), 'catalog.bad-package', lacks)
})

test('INSTALL-2: a registry with a certificate nobody vouches for is refused', async () => {
  await using house = await open({ environment: { npm_config_registry: `https://${HOST}/` } })
  await refuses(house, install(house, 'plain'), 'catalog.registry-certificate', /certificate/)
})

test('INSTALL-1: no token of another host reaches npm, and no scope comes from elsewhere', async () => {
  const homeFolder = mkdtempSync('/var/tmp/cordon-npmrc-')
  after(() => rmSync(homeFolder, { recursive: true }))
  const lines = [
    '@corp:registry=https://npm.corp.example/',
    '//npm.corp.example/:_authToken=npm_CANARY',
    '_auth=CANARY',
  ]
  writeFileSync(path.join(homeFolder, '.npmrc'), lines.join('\n'))
  await using house = await open({ homeFolder })
  assert.equal((await install(house, 'plain')).package, 'plain')
  assert.deepEqual(registry.credentials, [])
  await assert.rejects(install(house, '@corp/tool', { version: '2.0.0' }), {
    code: 'catalog.registry-setting',
    message: /get "@corp\/tool" from another registry/,
  })
})

test('a registry without https, or without a name, is refused before anything is asked of it', async () => {
  for (const npm_config_registry of ['http://allowed.example/', 'https://127.0.0.1/']) {
    await using house = await open({ environment: { npm_config_registry } })
    const before = registry.requests.length
    await refuses(house, install(house, 'plain'), 'catalog.registry-setting', /the npm registry/)
    assert.equal(registry.requests.length, before)
  }
})

test('changed npm settings count at once, and a proxy that refuses is named', async () => {
  await using proxy = await openForwardProxy(registry.port, 'ann:secret')
  const egress = egressTo(registry.port, {
    connect: (_, port) =>
      connect({ port: port === 443 ? registry.port : proxy.port, allowHalfOpen: true }),
  })
  const homeFolder = mkdtempSync('/var/tmp/cordon-npmrc-')
  after(() => rmSync(homeFolder, { recursive: true }))
  const npm = (...lines: readonly string[]) =>
    writeFileSync(path.join(homeFolder, '.npmrc'), lines.join('\n'))
  await using house = await open({ egress, homeFolder })
  npm('https-proxy=http://ann:CANARY@proxy.corp:3128')
  await refuses(
    house,
    install(house, 'plain'),
    'catalog.registry-proxy',
    /your proxy "proxy\.corp:3128" asks for a login$/,
  )
  npm('https-proxy=http://ann:CANARY@proxy.corp:3128', `noproxy=${HOST}`)
  assert.equal((await install(house, 'plain')).package, 'plain')
})

/** The npm registry: how it is chosen, how it may be reached, how it can fail. Real npm, real sandbox, real proxy. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
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

test('a registry in a private network is refused unless the owner allowed it', async () => {
  const egress = egressTo(registry.port, { dangerouslyAllowAddress: () => false })
  await using house = await open({ egress })
  await refuses(
    house,
    install(house, 'plain'),
    'catalog.registry-private',
    new RegExp(`"${HOST}" is in a private network`),
  )
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
  await failing(401, '{}', 'catalog.registry-login', /asks for a login/)
  await failing(200, '<html>', 'catalog.registry-unreachable', /nonsense|does not answer/)
  const unreachable = egressTo(1)
  await using away = await open({ egress: unreachable })
  await refuses(away, install(away, 'plain'), 'catalog.registry-unreachable', /does not answer/)
})

test('INSTALL-2: a registry with a certificate nobody vouches for is refused', async () => {
  await using house = await openPackageHouse(egressTo(registry.port), {
    registryUrl: `https://${HOST}/`,
  })
  await refuses(house, install(house, 'plain'), 'catalog.registry-certificate', /certificate/)
})

test('INSTALL-1: of the npmrc only the registry counts: no token reaches npm, and no scope comes from elsewhere', async () => {
  const folder = mkdtempSync('/var/tmp/cordon-npmrc-')
  after(() => rmSync(folder, { recursive: true }))
  const npmrcPath = path.join(folder, '.npmrc')
  const lines = [
    `registry=https://${HOST}/`,
    '@corp:registry=https://npm.corp.example/',
    `//${HOST}/:_authToken=npm_CANARY`,
  ]
  writeFileSync(npmrcPath, lines.join('\n'))
  const { extraAuthorities = '' } = STAND_IN
  const egress = egressTo(registry.port)
  await using house = await openPackageHouse(egress, { extraAuthorities, npmrcPath })
  assert.equal((await install(house, 'plain')).package, 'plain')
  assert.deepEqual(registry.credentials, [])
  await assert.rejects(install(house, '@corp/tool', { version: '2.0.0' }), {
    code: 'catalog.registry-setting',
    message: /get "@corp\/tool" from another registry/,
  })
})

test('a registry without https, or without a name, is refused before anything is asked of it', async () => {
  for (const registryUrl of [
    'http://allowed.example/',
    'https://127.0.0.1/',
    'https://allowed.example:4873/',
  ]) {
    await using house = await open({ registryUrl })
    const before = registry.requests.length
    await refuses(house, install(house, 'plain'), 'catalog.registry-setting', /the npm registry/)
    assert.equal(registry.requests.length, before)
  }
})

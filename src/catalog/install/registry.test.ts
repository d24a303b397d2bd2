import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readRegistry } from './registry.ts'
import { isWithout } from './read-proxy.ts'

const homeFolder = mkdtempSync(path.join(tmpdir(), 'cordon-npmrc-'))
after(() => rmSync(homeFolder, { recursive: true }))
const npmPath = fileURLToPath(new URL('bin/npm-cli.js', import.meta.resolve('npm/package.json')))
const globalFile = path.join(homeFolder, 'global')

interface Files {
  readonly user?: string
  readonly global?: string
  readonly environment?: Readonly<Record<string, string>>
}

function read({ user = '', global = '', environment = {} }: Files) {
  writeFileSync(path.join(homeFolder, '.npmrc'), user)
  writeFileSync(globalFile, global)
  const all = { npm_config_globalconfig: globalFile, ...environment }
  return readRegistry({ environment: all, homeFolder, npmPath }, 'a@1.0.0')
}

test('readRegistry() takes the registry as npm does: variable, own npmrc, global npmrc, its own default', async () => {
  const [variable, user, global] = ['v', 'u', 'g'].map((name) => `https://${name}.example.test/`)
  const all = { environment: { npm_config_registry: variable ?? '' }, user: `registry=${user}` }
  const everywhere = { ...all, global: `registry=${global}` }
  assert.equal((await read(everywhere)).url, variable)
  assert.equal((await read({ ...everywhere, environment: {} })).url, user)
  assert.equal((await read({ global: `registry=${global}` })).url, global)
  const asked = [npmPath, 'config', 'get', 'registry']
  const none = path.join(homeFolder, 'none')
  const env = { npm_config_userconfig: none, npm_config_globalconfig: '/dev/null' }
  const usual = execFileSync(process.execPath, asked, { env, cwd: homeFolder, encoding: 'utf8' })
  assert.equal((await read({})).url, usual.trim())
})

test('readRegistry() finds the global npmrc beside the Node that npm runs on', async () => {
  const prefix = path.join(homeFolder, 'prefix')
  for (const folder of ['bin', 'etc']) mkdirSync(path.join(prefix, folder), { recursive: true })
  writeFileSync(path.join(prefix, 'bin/node'), '')
  writeFileSync(path.join(prefix, 'etc/npmrc'), 'registry=https://p.example.test/')
  writeFileSync(path.join(homeFolder, '.npmrc'), '')
  const environment = { PATH: `/x/node_modules/.bin:${prefix}/bin` }
  const { host } = await readRegistry({ environment, homeFolder, npmPath }, 'a@1.0.0')
  assert.equal(host, 'p.example.test')
})

test('readRegistry() takes a path, a port, and variables in the file', async () => {
  const user = 'registry = https://${WHERE}:8443/repository/npm/ ; ours'
  const { url, host, port } = await read({ user, environment: { WHERE: 'npm.corp.internal' } })
  assert.deepEqual([host, port], ['npm.corp.internal', 8443])
  assert.equal(url, 'https://npm.corp.internal:8443/repository/npm/')
})

test('readRegistry() refuses every other address, and repeats no password', async () => {
  const wrong = [
    'http://npm.example.test/',
    'https://localhost/',
    'https://10.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://user:CANARY@npm.example.test/',
    '${NPM_REGISTRY}',
    'file:///etc',
  ]
  for (const registry of wrong) {
    await assert.rejects(
      read({ user: `registry=${registry}` }),
      (error: Error & { code?: string }) =>
        error.code === 'catalog.registry-setting' && !error.message.includes('CANARY'),
      registry,
    )
  }
})

test('readRegistry() knows which scopes come from elsewhere', async () => {
  const user = [
    'registry=https://npm.example.test/',
    '@a:registry=https://a.example.test/',
    '@b:registry=https://npm.example.test/',
  ].join('\r\n')
  assert.deepEqual((await read({ user })).scopes, new Set(['@a']))
})

test('readRegistry() takes the login of this very host, and no other', async () => {
  const user = [
    'registry=https://npm.example.test/repo/',
    '//npm.example.test/repo/:_authToken=${TOKEN}',
    '//npm.example.test.evil.example/:_authToken=other',
    '//npm.example.test:8443/:_authToken=port',
    '//npm.example/:_authToken=parent',
    '_auth=everywhere',
  ].join('\n')
  const { login } = await read({ user, environment: { TOKEN: 'mine' } })
  assert.deepEqual(login, { '//npm.example.test/repo/:_authToken': 'mine' })
})

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`

test('readRegistry() trusts the authorities of npm alone where it has some, else the machine too', async () => {
  const [cafile, extra, system] = ['own.pem', 'extra.pem', 'system.pem'].map((name) => {
    writeFileSync(path.join(homeFolder, name), pem(name))
    return path.join(homeFolder, name)
  })
  const environment = { NODE_EXTRA_CA_CERTS: extra ?? '', SSL_CERT_FILE: system ?? '' }
  const own = await read({ user: 'cafile=~/own.pem', environment })
  assert.deepEqual(own.trust, { authorities: pem('own.pem'), isOnly: true, isIncomplete: false })
  const listed = await read({ user: `ca[]="${pem('a').replaceAll('\n', String.raw`\n`)}"` })
  assert.deepEqual(listed.trust, { authorities: pem('a'), isOnly: true, isIncomplete: false })
  for (const user of ['', `cafile=${cafile}.missing`, 'ca=null']) {
    const { trust } = await read({ user, environment })
    assert.deepEqual(trust, {
      authorities: `${pem('extra.pem')}\n${pem('system.pem')}`,
      isOnly: false,
      isIncomplete: false,
    })
  }
})

test('readRegistry() takes the proxy as npm does', async () => {
  const proxy = async (files: Files) => {
    const { host, port, isTls, authorization } = (await read(files)).proxy ?? {}
    return host === undefined ? undefined : [host, port, isTls, authorization]
  }
  const environment = { HTTPS_PROXY: 'http://env.example:3128' }
  assert.deepEqual(await proxy({ environment }), ['env.example', 3128, false, undefined])
  assert.deepEqual(await proxy({ environment, user: 'https-proxy=http://u:p%40@10.0.0.1/' }), [
    '10.0.0.1',
    80,
    false,
    `Basic ${Buffer.from('u:p@').toString('base64')}`,
  ])
  assert.deepEqual(await proxy({ user: 'proxy=https://p.example/' }), [
    'p.example',
    443,
    true,
    undefined,
  ])
  assert.equal(await proxy({ user: 'proxy=null' }), undefined)
  const registry = 'registry=https://npm.corp.example/'
  const without = { environment, user: `${registry}\nnoproxy=corp.example,x` }
  assert.equal(await proxy(without), undefined)
  const variable = { environment: { ...environment, no_proxy: '.example' }, user: registry }
  assert.equal(await proxy(variable), undefined)
  const socks = { user: 'https-proxy=socks5://u:CANARY@p.example' }
  await assert.rejects(proxy(socks), (error: Error) => !error.message.includes('CANARY'))
})

test('isWithout() compares whole labels from the right', () => {
  assert.ok(isWithout('npm.corp.example', 'a.example, .corp.example'))
  assert.ok(!isWithout('npm.mycorp.example', 'corp.example'))
  assert.ok(!isWithout('npm.example', ''))
})

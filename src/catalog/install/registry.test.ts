import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRegistry, registryLines } from './registry.ts'

const read = (registry: unknown) => parseRegistry({ registry }, 'a@1.0.0')

test('registryLines() keeps the lines that name registries, and no token', () => {
  const npmrc = [
    'registry = https://npm.example.test/',
    '@corp:registry=https://corp.example.test/',
    '//npm.example.test/:_authToken=npm_CANARY',
    '_auth=CANARY',
    'https-proxy=http://user:CANARY@proxy.example.test',
    '; registry=https://comment.example.test/',
    'script-shell=/tmp/evil',
  ].join('\r\n')
  assert.equal(
    registryLines(npmrc),
    'registry = https://npm.example.test/\n@corp:registry=https://corp.example.test/\n',
  )
})

test('parseRegistry() takes an https address with a name', () => {
  assert.deepEqual(read('https://npm.example.test/path'), {
    url: 'https://npm.example.test/path',
    host: 'npm.example.test',
    scopes: new Set(),
  })
})

test('parseRegistry() refuses every other address, and repeats no password', () => {
  const wrong = [
    'http://npm.example.test/',
    'https://localhost/',
    'https://10.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://npm.example.test:8443/',
    'https://user:CANARY@npm.example.test/',
    '${NPM_REGISTRY}',
    'file:///etc',
    7,
    undefined,
  ]
  for (const registry of wrong) {
    assert.throws(
      () => read(registry),
      (error: Error & { code?: string }) =>
        error.code === 'catalog.registry-setting' && !error.message.includes('CANARY'),
      String(registry),
    )
  }
})

test('parseRegistry() knows which scopes come from elsewhere', () => {
  const registry = 'https://npm.example.test/'
  const settings = { registry, '@a:registry': 'https://a.example.test/', '@b:registry': registry }
  assert.deepEqual(parseRegistry(settings, 'x@1.0.0').scopes, new Set(['@a']))
})

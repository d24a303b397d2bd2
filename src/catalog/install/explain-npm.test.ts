import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainNpm, type NpmStep } from './explain-npm.ts'
import type { NpmResult } from './run-npm.ts'

const failed: NpmResult = {
  end: { kind: 'exited', code: 1 },
  stdout: '',
  stderr: '',
  blocked: [],
  failed: [],
}
const registry = {
  host: 'npm.example.test',
  proxy: { host: '10.0.0.1', port: 3128, isTls: false },
}
const explain = (result: Partial<NpmResult>, step: NpmStep = 'look-up') =>
  explainNpm({ what: 'a@1.0.0', registry, step }, { ...failed, ...result })
const coded = (code: string, summary = '', step: NpmStep = 'look-up') =>
  explain({ stdout: JSON.stringify({ error: { code, summary } }) }, step)

test('explainNpm() tells a failure by its code', () => {
  const codes = {
    E404: 'no-such-package',
    ETARGET: 'no-such-package',
    EINTEGRITY: 'integrity',
    E401: 'registry-login',
    E503: 'registry-unreachable',
    ECONNRESET: 'registry-unreachable',
    ENOTFOUND: 'registry-unreachable',
    SELF_SIGNED_CERT_IN_CHAIN: 'registry-certificate',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'registry-certificate',
    ENOSPC: 'disk-full',
    EALLOWGIT: 'unsafe-package',
    EBADPLATFORM: 'bad-package',
    ESOMETHING: 'install-failed',
    E429: 'registry-unreachable',
    constructor: 'install-failed',
  }
  for (const [code, problem] of Object.entries(codes)) {
    assert.equal(coded(code).code, `catalog.${problem}`, code)
  }
})

test('explainNpm() reads the line where there is no JSON, and keeps the words for the cause', () => {
  const stderr = 'npm error code E404\nnpm error 404 words of a stranger\n'
  const error = explain({ stderr })
  assert.equal(error.code, 'catalog.no-such-package')
  assert.ok(!error.message.includes('stranger'))
  assert.match(String(error.cause), /words of a stranger/)
})

test('explainNpm() tells what the proxy refused before what npm made of it', () => {
  const own = explain({ blocked: ['Blocked: MCP server tried to reach npm.example.test'] })
  assert.equal(own.code, 'catalog.registry-setting')
  const other = explain({ blocked: ['Blocked: MCP server tried to reach cdn.example.test'] })
  assert.equal(other.code, 'catalog.unsafe-package')
  const proxy = explain({ failed: ['your proxy asks for a login'] })
  assert.equal(proxy.code, 'catalog.registry-proxy')
  assert.equal(proxy.why, 'your proxy "10.0.0.1:3128" asks for a login')
  const nowhere = explain({ failed: ['host cannot be resolved'] })
  assert.equal(nowhere.why, 'the npm registry "npm.example.test" has no address')
})

test('explainNpm() tells which limit was reached', () => {
  const memory = explain({ end: { kind: 'memory' } })
  assert.match(memory.message, /more than 1 GiB of memory/)
  assert.match(coded('EFBIG').message, /larger than 2 GiB/)
})

test('explainNpm() names the package that is missing, and says since when', () => {
  const why = (code: string, summary: string, step: NpmStep) => coded(code, summary, step).why
  assert.equal(
    why('ETARGET', 'No matching version found for @b/dep@^1.0.1.', 'resolve'),
    'it needs "@b/dep@^1.0.1", which is not in the npm registry "npm.example.test"',
  )
  assert.equal(
    why(
      'ETARGET',
      'No matching version found for dep@1.0.1 with a date before 1/2/2026.',
      'resolve',
    ),
    'it needs "dep@1.0.1", of which every fitting version was published in the last days',
  )
  assert.equal(
    why('E404', 'Not Found - GET https://npm.example.test/@b%2fdep/-/dep-1.0.1.tgz', 'fetch'),
    '"@b/dep" was in the npm registry a moment ago and is gone',
  )
  assert.equal(
    why('E404', 'Not Found - GET https://npm.example.test/\u001b[31mx', 'resolve'),
    'it needs something it needs, which is not in the npm registry "npm.example.test"',
  )
})

test('explainNpm() tells a page from an answer, and a slow registry from a broken one', () => {
  const html =
    "invalid json response body at https://npm.example.test/a reason: Unexpected token '<', \"<html>"
  assert.match(coded('FETCH_ERROR', html).message, /answers with a web page/)
  assert.match(coded('FETCH_ERROR', 'network timeout at: https://x').message, /silent for too long/)
  assert.match(coded('ERR_SOCKET_TIMEOUT').message, /silent for too long/)
  assert.match(coded('ECONNRESET').message, /broke off in the middle/)
  assert.match(coded('E503').message, /answers with status 503/)
  assert.match(coded('EWHATEVER').message, /npm ended with EWHATEVER$/)
})

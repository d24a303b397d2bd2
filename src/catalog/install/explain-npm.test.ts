import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainNpm } from './explain-npm.ts'
import type { NpmResult } from './run-npm.ts'

const failed: NpmResult = {
  end: { kind: 'exited', code: 1 },
  stdout: '',
  stderr: '',
  blocked: [],
}
const explain = (result: Partial<NpmResult>) =>
  explainNpm({ what: 'a@1.0.0', host: 'npm.example.test' }, { ...failed, ...result })
const coded = (code: string) => explain({ stdout: JSON.stringify({ error: { code } }) })

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
  assert.equal(own.code, 'catalog.registry-private')
  const other = explain({ blocked: ['Blocked: MCP server tried to reach cdn.example.test'] })
  assert.equal(other.code, 'catalog.unsafe-package')
})

test('explainNpm() tells when the memory was not enough', () => {
  assert.match(explain({ end: { kind: 'memory' } }).message, /more memory/)
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { urlMistake } from './url-mistake.ts'

test('urlMistake() accepts https anywhere and http on this machine', () => {
  for (const url of [
    'https://mcp.example.com/mcp?tenant=acme&limit=10',
    'http://localhost:3000/mcp',
    'http://127.0.0.1/sse',
    'http://[::1]:8080/',
  ]) {
    assert.equal(urlMistake(url), undefined, url)
  }
})

// Regression 10
test('urlMistake() refuses plain http, other schemes, logins and tokens, and never repeats them', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['http://mcp.example.com/', /https/],
    ['http://localhost.example.com/', /https/],
    ['http://127.0.0.1.nip.io/', /https/],
    ['file:///etc/passwd', /https/],
    ['ftp://example.com', /https/],
    ['not an address', /like "https/],
    ['https://user:canary@example.com/', /user name/],
    ['https://canary@example.com/', /user name/],
    ['https://example.com/mcp?api_key=canary', /token/],
    ['https://example.com/mcp?tavilyApiKey=tvly-canarycanarycanary', /token/],
    ['https://example.com/mcp/ghp_canarycanarycanarycanary/x', /token/],
  ]
  for (const [url, expected] of cases) {
    const message = urlMistake(url) ?? ''
    assert.match(message, expected, url)
    assert.doesNotMatch(message, /canary/)
  }
})

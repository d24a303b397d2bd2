import assert from 'node:assert/strict'
import test from 'node:test'
import { createAllowList } from './allow-list.ts'

test('createAllowList() allows an exact name and nothing around it', () => {
  const allows = createAllowList(['allowed.com', 'API.Other.com.'])
  assert.ok(allows('allowed.com'))
  assert.ok(allows('api.other.com'))
  for (const host of [
    'allowed.com.evil.com',
    'evilallowed.com',
    'sub.allowed.com',
    'other.com',
    'com',
    'secret.evil.com',
  ]) {
    assert.equal(allows(host), false, host)
  }
})

test('createAllowList() lets a star stand for any depth below a name, but not for the name itself', () => {
  const allows = createAllowList(['*.example.com'])
  assert.ok(allows('a.example.com'))
  assert.ok(allows('a.b.c.example.com'))
  for (const host of ['example.com', 'evilexample.com', 'example.com.evil.org', 'a.example.org']) {
    assert.equal(allows(host), false, host)
  }
})

test('createAllowList() never allows names of this machine or its network, whatever the list says', () => {
  const allows = createAllowList([
    'metadata.google.internal',
    '*.home.arpa',
    'a.localhost',
    '*.x.onion',
  ])
  for (const host of ['metadata.google.internal', 'nas.home.arpa', 'a.localhost', 'a.x.onion']) {
    assert.equal(allows(host), false, host)
  }
})

test('createAllowList() with nothing on it allows nothing', () => {
  assert.equal(createAllowList([])('allowed.com'), false)
})

test('createAllowList() refuses an entry that would open more than it says', () => {
  for (const domain of [
    '*',
    '*.com',
    '*.*.com',
    'a.*.com',
    '127.0.0.1',
    'https://a.com',
    'a.com:443',
    '',
  ]) {
    assert.throws(() => createAllowList([domain]), { code: 'egress.bad-domain' }, domain)
  }
})

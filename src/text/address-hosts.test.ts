import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostsIn } from './address-hosts.ts'

const hosts = (...list: readonly string[]) => ({ kind: 'hosts', hosts: list })

test('hostsIn() finds what is to be reached, and its usual port', () => {
  assert.deepEqual(
    hostsIn('postgres://u:p@db.example.com:6543/x?sslmode=require'),
    hosts('db.example.com:6543'),
  )
  assert.deepEqual(hostsIn('postgresql://u:p@DB.example.com/x'), hosts('db.example.com:5432'))
  assert.deepEqual(hostsIn('postgres://localhost/x'), hosts('localhost:5432'))
  assert.deepEqual(hostsIn('postgres://u:p@127.0.0.1/x'), hosts('127.0.0.1:5432'))
  assert.deepEqual(hostsIn('postgres://u:p@ss@db.example.com/x'), hosts('db.example.com:5432'))
  assert.deepEqual(
    hostsIn('mongodb://u:p@a.example.com:27018,b.example.com/x?replicaSet=r'),
    hosts('a.example.com:27018', 'b.example.com:27017'),
  )
})

test('hostsIn() says what is wrong, and nothing of the address', () => {
  const secret = 'p4ssword-42'
  for (const [address, fault] of [
    [`mongodb+srv://u:${secret}@cluster.example.net/x`, /looked up/],
    [`postgres://u:${secret}@10.0.0.5/x`, /address of a host/],
    [`postgres://u:${secret}@[fd00::1]:5432/x`, /address of a host/],
    [`postgres://u:${secret}@db.example.com:80/x`, /no host that can be reached/],
    [`postgres://u:pa/${secret}@db.example.com/x`, /an "@" after its host/],
    [`postgres://u:4242/${secret}@db.example.com/x`, /an "@" after its host/],
    [`postgres://u:4242?${secret}@db.example.com/x`, /an "@" after its host/],
    [`postgres:///x?host=/run/postgresql`, /no host that can be reached/],
    [`mysql://u:${secret}@db.example.com/x`, /no host that can be reached/],
    ['', /no host that can be reached/],
  ] as const) {
    const found = hostsIn(address)
    assert.equal(found.kind, 'fault', address)
    if (found.kind !== 'fault') continue
    assert.match(found.fault, fault)
    assert.doesNotMatch(found.fault, new RegExp(secret))
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isChosenPlace } from './named-place.ts'

test('isChosenPlace() lets a host of the owner be in any network, but at no address of a metadata service', () => {
  for (const address of ['10.0.0.1', '127.0.0.1', '203.0.113.80', '104.16.0.1', 'fd00::1', '::1']) {
    assert.ok(isChosenPlace(address), address)
  }
  for (const address of [
    '169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ]) {
    assert.ok(!isChosenPlace(address), address)
  }
})

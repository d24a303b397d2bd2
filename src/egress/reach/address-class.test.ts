import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalAddress, isPublicAddress } from './address-class.ts'

test('isPublicAddress() accepts ordinary public addresses', () => {
  for (const address of [
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ]) {
    assert.ok(isPublicAddress(address), address)
  }
})

const NOT_PUBLIC: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '0.1.2.3', '::'],
  'private networks': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fd00::1',
    'fc00::1',
  ],
  'shared by carriers': ['100.64.0.1', '100.127.255.255'],
  'link-local': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
  'metadata services': [
    '169.254.169.254',
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
  'many at once': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  reserved: [
    '240.0.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
  ],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::1',
    '2002:a00:1::',
    '2001:0:4136:e378::1',
  ],
  'special IPv6': [
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '2001:2::1',
    '2001:20::1',
    '4000::1',
    '5f00::1',
    '200::1',
  ],
  'no address': [
    '',
    'localhost',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '8.8.8.8 ',
    '8.8.8.8.',
    '[::1]',
  ],
}

for (const [what, addresses] of Object.entries(NOT_PUBLIC)) {
  test(`isPublicAddress() refuses ${what}`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })
}

test('isPublicAddress() refuses every IPv4 address that is wrapped in IPv6, public or not', () => {
  fc.assert(
    fc.property(fc.ipV4(), (inner) => {
      const hex = inner.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
      const words = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`
      for (const wrapped of [
        `::ffff:${inner}`,
        `64:ff9b::${words}`,
        `2002:${words}::`,
        `::${words}`,
      ]) {
        assert.equal(isPublicAddress(wrapped), false, wrapped)
      }
    }),
  )
})

test('canonicalAddress() gives one spelling, and none to what only a resolver would take for an address', () => {
  assert.equal(canonicalAddress('2606:4700:0000::1111'), '2606:4700::1111')
  assert.equal(canonicalAddress('1.1.1.1'), '1.1.1.1')
  for (const text of ['0x7f.1', '127.1', 'fe80::1%lo', 'a.com'])
    assert.equal(canonicalAddress(text), undefined)
})

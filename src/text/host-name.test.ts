import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesHost } from './host-name.ts'

test('an address is found with and without a scheme, as a name and as numbers', () => {
  const addresses = `https://evil.example/x ftp://h evil.com www.evil.museum/a see&evil.co.uk evil.rs/x 10.0.0.1
    //evil.com [::1] evil\u3002com \uff45vil.com ann@evil.com a.b.sh`
  for (const one of addresses.split(/\s+/)) assert.equal(namesHost(one), true, one)
})

test('words, versions, file names and sums are no addresses', () => {
  const words = [
    'weather Berlin',
    'main.rs',
    'notes.md',
    'report.pdf',
    'v1.2.3',
    '12.50',
    'e.g. this',
  ]
  for (const one of [...words, 'src/text/json.ts', '5:30', 'end. Next']) {
    assert.equal(namesHost(one), false, one)
  }
})

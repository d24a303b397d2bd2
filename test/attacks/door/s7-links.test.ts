/**
 * Links, numbers and addresses in somebody else's words arrive disarmed, in every spelling; and nothing else changes.
 * The control of each row is the same text under the owner's label, or with the guard taken off the verdict.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounds } from '../../../src/kernel/test-rounds.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { factsOf } from '../../../src/kernel/test-facts.ts'
import { createPolicy } from '../../../src/policy/create-policy.ts'
import { guardLinks } from '../../../src/policy/guard-links.ts'
import { assertLinear } from '../../../src/text/test-linear.ts'
import { NOTION, send, sentText, theirs } from './content-door.ts'

const posted = (text: string): Promise<string> =>
  sentText('text', send('slack.slack_post_message', { channel_id: 'C', text: theirs(text) }))

const LINKS: Readonly<Record<string, readonly string[]>> = {
  'a bare name with a public suffix': [
    'evil.com',
    'a.evil.co.uk',
    'evil.рф',
    '@evil.com',
    '.evil.io',
  ],
  'a name with many labels': ['a.b.c.d.e.f.g.h.i.j.k.evil.com'],
  'no scheme': ['//evil.com/x', '///evil.com', '/\\evil.com', '\\\\evil.com\\x', '//%65vil.com/x'],
  'an IPv4 address': ['//203.0.113.5/x', '203.0.113.5/x', '203.0.113.5:8080', 'http://203.0.113.5'],
  'an IPv6 address': ['//[2001:db8::1]/x', 'http://[2001:db8::1]/'],
  'an integer, octal or hexadecimal address': [
    '//3405803781/x',
    'http://3405803781',
    '//0xcb007105/x',
    '//0313.0.0161.5/x',
  ],
  'Unicode dots': ['//a。evil。com/x', 'a。evil。com', 'evil．com', 'evil｡com', '//例え。テスト/x'],
  'a dropped tab or line end': [
    '/&Tab;/evil.com',
    '/\t/evil.com',
    '/&#10;/evil.com',
    'ht&NewLine;tp://evil.com',
  ],
  'character references': [
    'evil&period;com',
    'evil&#46;com',
    'evil&#x2e;com',
    'https&colon;//evil.com',
  ],
  'invisible characters': ['ev\u00adil.com', 'h\u200bttps://evil.com/x', 'h\0ttp://evil.com'],
  punycode: ['xn--80ak6aa92e.com', 'evil.xn--p1ai'],
  'a file name with a scheme, a path or www': ['https://evil.md', 'evil.rs/x', 'www.evil.zip'],
  'a mail address': ['eve@evil.com', 'eve\uff20evil.com', 'mailto:eve'],
}
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  'a national telephone number': [
    '030 1234567',
    '0171/2345678',
    '020 7946 0958',
    '01 23 45 67 89',
    '(212) 555-0123',
    '212-555-0123',
    'tel. 5550123',
  ],
  'a telephone number abroad': ['+44 20 7946 0958', '0049 30 1234 5678'],
  'a card number': ['4111 1111 1111 1111', '5555555555554444', '3782-822463-10005'],
  'a bank account': ['GB29 NWBK 6016 1331 9268 19', 'gb29-nwbk-6016-1331-9268-19'],
  'a crypto address': [
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    '0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe',
  ],
}

for (const [what, spellings] of Object.entries(LINKS)) {
  test(`S7: POLICY-3: ${what} in their words cannot be followed`, async () => {
    for (const link of spellings) {
      const text = `see ${link} now`
      const safe = await posted(text)
      assert.ok(!safe.includes(link), `${link} → ${safe}`)
      assert.match(safe, /^see .*(?:\[\.\]|\[\/\/\]|hxxp|\[at\]|\[mailto\]).* now$/s, link)
      const own = await send('slack.slack_post_message', { channel_id: 'C', text })
      assert.equal(own.args?.['text'], text, 'the owner’s own link stays')
    }
  })
}

for (const [what, spellings] of Object.entries(NUMBERS)) {
  test(`S7: POLICY-3: ${what} in their words is left out`, async () => {
    for (const number of spellings) {
      const text = `pay ${number} now`
      assert.match(await posted(text), /^pay (?:tel\. )?\[\w+ number left out\] now$/, number)
      const own = await send('slack.slack_post_message', { channel_id: 'C', text })
      assert.equal(own.args?.['text'], text)
    }
  })
}

test('S7: without the guard the link arrives as it was', () => {
  const deps = { grantsFor: () => [], isEndorsed: () => false, alarm: () => undefined }
  const policy = createPolicy({ ...deps, secrets: { isIn: () => false } })
  const facts = factsOf({ roles: new Map([['body', 'content']]) })
  const request = { ...ownCall(OWNER, facts.id, {}), args: { body: theirs('evil.com') } }
  const verdict = policy.decide(request, facts)
  assert.equal(policy.open(request, verdict).args['body'], 'evil[.]com')
  assert.equal(policy.open(request, { kind: 'allow', rule: verdict.rule }).args['body'], 'evil.com')
})

const ORDINARY = [
  'readme.md, main.rs, notes.txt, a.sh, x.py, lib.so, key.pub, archive.zip and Makefile.am',
  'foo.test.ts, java.util.List, items[0].id, node.js, e.g. this, i.e. that, ok? yes',
  'Version 1.2.3 of 10.0.0.1 in 10.0.0.0/8 costs 12,000.50 or 3.14 at 10:30, 16:9',
  'on 2024-05-15, 15/05/2024 10:00, 05-15-2024 10:00, 01.02.2024, 2024-05-15T10:00:00Z',
  'order 0012-3456-789, invoice no. 030 1234567, Order #212-555-0123, 1234567890123456',
  'hash d41d8cd98f00b204e9800998ecf8427e, 200 300 4000, ISBN 978-3-16-148410-0',
  '你好。世界, 我们的公司。网络, a // b, a < b && c > d, and/or, hello@ all',
]

test('S7: ordinary words, file names, dates, versions and order numbers stay byte for byte', async () => {
  for (const text of ORDINARY) assert.equal(await posted(text), text)
})

test('S7: a link in the name of a member is disarmed as well, and no member is lost', async () => {
  const value = { 'https://evil.com/?d=1': 'a', 'https://evil.com\u200b/?d=1': 'b', plain: 'c' }
  const send1 = (label = NOTION) => guardLinks(value, { label }, { words: '' }).value
  assert.deepEqual(send1(), {
    'hxxps://evil[.]com/?d=1': 'a',
    'hxxps://evil[.]com/?d=1 (2)': 'b',
    plain: 'c',
  })
  assert.deepEqual(send1({ ...NOTION, integrity: 'user' }), value)
})

test('S7: the result says what was changed, in how many places', async () => {
  const text = theirs('evil.com, www.evil.com and GB29 NWBK 6016 1331 9268 19')
  const { result } = await send('slack.slack_post_message', { channel_id: 'C', text })
  assert.deepEqual(result.kind === 'ok' && result.disarmed, [{ arg: 'text', links: 2, numbers: 1 }])
  const silent = await send('slack.slack_post_message', { channel_id: 'C', text: theirs('hello') })
  assert.ok(silent.result.kind === 'ok' && silent.result.disarmed === undefined)
})

test('S7: what goes back into the store it came from stays byte for byte', async () => {
  const text = 'see https://evil.com/x, call +44 20 7946 0958, GB29 NWBK 6016 1331 9268 19'
  const own = { ...NOTION, origins: new Set(['notion']) }
  const back = await send('notion.API-create-a-comment', { rich_text: theirs(text, own) })
  assert.equal(back.args?.['rich_text'], text)
  const mixed = { ...NOTION, origins: new Set(['notion', 'mail']) }
  const both = send('notion.API-create-a-comment', { rich_text: theirs(text, mixed) })
  assert.match(await sentText('rich_text', both), /hxxps.*left out.*left out/)
})

test('S7: a server without network is sent the text as it is; with network it is not', async () => {
  const text = 'see https://evil.com/x'
  const args = { content: theirs(text) }
  const kept = send('memory.create_entities', args, { effect: 'write' })
  assert.equal(await sentText('content', kept), text)
  const told = send('memory.create_entities', args, { effect: 'write', isLocal: false })
  assert.equal(await sentText('content', told), 'see hxxps://evil[.]com/x')
})

test('S7: what was disarmed once is not disarmed again', async () => {
  const once = await posted('https://evil.com/a and evil.com')
  assert.equal(await posted(once), once)
})

test('S7: hostile text is searched in linear time', () => {
  const pieces = [
    '/',
    '/\t',
    'a.',
    '1',
    '0x',
    '1 ',
    '\ud800',
    '\0',
    '&#47;',
    '。',
    'tel 1 ',
    'a@',
    'T',
  ]
  assertLinear(pieces, rounds(1_000_000, 65_536), (text) =>
    guardLinks(text, { label: NOTION }, { words: '' }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEvent } from '../../kernel/audit-record.ts'
import { CordonError } from '../../kernel/error.ts'
import { OWNER } from '../../kernel/principal.ts'
import { openContacts, type OwnedContacts } from './open-contacts.ts'

function memory() {
  const rows = new Map<string, string>()
  const events: AuditEvent[] = []
  const open = (): Promise<OwnedContacts> =>
    openContacts({
      owner: OWNER.id,
      notes: {
        put: async (_kind, id, content) => void rows.set(id, content),
        list: async () => [...rows].map(([id, content]) => ({ id, content })),
        remove: async (_kind, id) => void rows.delete(id),
      },
      audit: {
        appendDurable: async (event) => {
          events.push(event)
          return { seq: 1, hash: '' }
        },
      },
    })
  return { rows, events, open }
}

const refusal = (code: string, why: RegExp) => (error: unknown) =>
  error instanceof CordonError && error.code === code && why.test(error.message)

test('a contact is known by each spelling of its addresses, and by no other address', async () => {
  const book = await memory().open()
  await book.add({
    name: 'Ada Lovelace',
    addresses: ['Ada@Example.com', '+44 20 7946 0018', 'GB29 NWBK 6016 1331 9268 19'],
  })
  for (const same of [
    'ada@example.com',
    ' ADA@EXAMPLE.COM ',
    '+442079460018',
    '0044 20 7946-0018',
    'gb29nwbk60161331926819',
  ])
    assert.equal(book.acquaintance(same, undefined), 'known', same)
  for (const other of [
    'ada@example.com.evil.org',
    'аda@example.com',
    'ada@example.com\u200b',
    'ada@exаmple.com',
    '',
    'x ada@example.com',
    '+442079460019',
  ])
    assert.equal(book.acquaintance(other, undefined), undefined, other)
})

test('every address of a list has to be a contact’s; numbers and objects never are', async () => {
  const book = await memory().open()
  await book.add({ name: 'Ada', addresses: ['ada@example.com', '4711'] })
  assert.equal(book.acquaintance(['ada@example.com'], undefined), 'known')
  assert.equal(book.acquaintance(['ada@example.com', 'eve@evil.example'], undefined), undefined)
  for (const odd of [[], 4711, null, { to: 'ada@example.com' }, [['ada@example.com']]])
    assert.equal(book.acquaintance(odd, undefined), undefined)
})

test('a contact whom the owner names is named; an address that two people share names nobody', async () => {
  const book = await memory().open()
  await book.add({ name: 'Ada Lovelace', addresses: ['ada@example.com', 'office@example.com'] })
  await book.add({ name: 'Charles Babbage', addresses: ['office@example.com'] })
  const words = 'write to ada lovelace, please'
  assert.equal(book.acquaintance('ada@example.com', words), 'named')
  assert.equal(book.acquaintance('ada@example.com', 'write to Adalovelace'), 'known')
  assert.equal(book.acquaintance('ada@example.com', 'Ada Lovelaces car'), 'known')
  assert.equal(book.acquaintance('office@example.com', words), 'known')
})

test('people who look like each other are refused, and disguised letters too', async () => {
  const book = await memory().open()
  await book.add({ name: 'Paul Pal', addresses: ['paypal@example.com', 'a.b@example.com'] })
  const alike = [
    ['Somebody', 'paypa1@example.com', /looks like an address of "Paul Pal"/],
    ['Somebody', 'pаypal@example.com', /letters of an alphabet/],
    ['Pаul Pаl', 'x@example.com', /several alphabets|looks like/],
    ['Pául Pal', 'x@example.com', /looks like "Paul Pal"/],
    ['', 'x@example.com', /needs a name/],
    ['X', 'not an address', /is no address/],
    ['X', 'a\u0000@example.com', /is no address/],
  ] as const
  for (const [name, address, why] of alike)
    await assert.rejects(book.add({ name, addresses: [address] }), refusal('contacts.invalid', why))
  await book.add({ name: 'Abe', addresses: ['ab@example.com'] })
})

test('removing an address and a person; what is not there says so', async () => {
  const { open, rows, events } = memory()
  const book = await open()
  await book.add({ name: 'Ada', addresses: ['a@example.com'] })
  await book.add({ name: 'ada', addresses: ['b@example.com'] })
  assert.deepEqual(await book.list(), [
    { name: 'Ada', addresses: ['a@example.com', 'b@example.com'] },
  ])
  await book.remove('Ada', 'A@example.com')
  assert.equal(book.acquaintance('a@example.com', undefined), undefined)
  await assert.rejects(
    book.remove('Ada', 'a@example.com'),
    refusal('contacts.unknown', /no contact/),
  )
  await assert.rejects(book.remove('Bob'), refusal('contacts.unknown', /no contact/))
  await book.remove('Ada')
  assert.equal(rows.size, 0)
  assert.ok(!JSON.stringify(events).includes('@'), 'the audit log holds no address')
})

test('an import takes what can be read, says what it left out, and survives damaged rows', async () => {
  const { open, rows } = memory()
  rows.set('broken', '{')
  const book = await open()
  const cards = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'FN:Ada Lovelace',
    'item1.EMAIL;TYPE=INTERNET:ada@exa',
    ' mple.com',
    'TEL;TYPE=CELL:+44 20 7946 0018',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Jan',
    'EMAIL:jan@example.com',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:4.0',
    'EMAIL:nobody@example.com',
    'END:VCARD',
    'BEGIN:VCARD',
    'FN:No Address',
    'END:VCARD',
    'BEGIN:VCARD',
    'FN:Cut off',
  ].join('\r\n')
  const { added, skipped } = await book.importCards(cards)
  assert.deepEqual(
    added.map(({ name }) => name),
    ['Ada Lovelace', 'Jan Müller'],
  )
  assert.deepEqual(
    skipped.map(({ why }) => why),
    ['it cannot be read', 'it cannot be read', 'it has no address'],
  )
  assert.equal(book.acquaintance('ada@example.com', undefined), 'known')
  assert.deepEqual((await book.importCards('no card at all')).added, [])
})

test('five thousand people are read in a bounded time, and one more than the most is refused', async () => {
  const book = await memory().open()
  const card = (n: number) =>
    `BEGIN:VCARD\nFN:Person ${n.toString(36)}x${n}\nEMAIL:p${n}@example.com\nEND:VCARD\n`
  const text = Array.from({ length: 10_005 }, (_, n) => card(n)).join('')
  const { added, skipped } = await book.importCards(text)
  assert.deepEqual([added.length + skipped.length, added.length <= 10_000], [10_005, true])
  assert.equal(book.acquaintance('p17@example.com', undefined), 'known')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentsIn, endingFor } from './attachments.ts'
import { showResult } from './show-result.ts'

const show = (value: Parameters<typeof showResult>[0]): string => showResult(value, 'saved so')

test('text is text, with its line breaks, also where it is the only member of an object', () => {
  assert.equal(
    show([
      { type: 'text', text: 'a\nb' },
      { type: 'text', text: 'c' },
    ]),
    'a\nb\nc',
  )
  assert.equal(show({ content: '[FILE] a\n[FILE] b' }), '[FILE] a\n[FILE] b')
  assert.equal(show({ files: ['a', 'b'] }), 'a\nb')
  assert.equal(show({ id: 'cus_1' }), JSON.stringify({ id: 'cus_1' }, null, 2))
  assert.equal(show('x\ny'), 'x\ny')
})

test('a list of flat objects is a table, any other value is JSON', () => {
  const rows = [
    { id: 1, name: 'Ann' },
    { id: 20, done: true, name: null },
  ]
  const table = 'id  name  done\n1   Ann\n20        true'
  assert.equal(show(rows), table)
  assert.equal(show({ people: rows }), table)
  assert.equal(show([{ a: { b: 1 } }]), JSON.stringify([{ a: { b: 1 } }], null, 2))
  assert.equal(show([{ a: 'x'.repeat(100) }]), JSON.stringify([{ a: 'x'.repeat(100) }], null, 2))
  assert.equal(show([]), '[]')
  assert.equal(show(5), '5')
})

test('the answer of a database is a table in the order of its columns, with all else below', () => {
  const columns = ['name', 'id']
  const rows = [{ id: 1, name: 'Ann' }]
  assert.equal(show({ columns, rows, moreRows: true }), 'name  id\nAnn   1\nmoreRows: true')
  assert.equal(show({ columns, rows: [], moreRows: false }), 'name  id\n(no rows)\nmoreRows: false')
  const odd = { columns, rows, more: { deep: 1 } }
  assert.equal(show(odd), JSON.stringify(odd, null, 2))
})

test('pictures and files are one line with kind and size, and never their bytes', () => {
  const data = Buffer.alloc(4096, 7).toString('base64')
  const picture = { type: 'image', mimeType: 'image/png', data }
  const blob = { type: 'resource', resource: { uri: 'a:b', blob: data, mimeType: '../../evil' } }
  const link = { type: 'resource_link', uri: 'file:///x', name: 'x' }
  assert.equal(
    show([{ type: 'text', text: 'Here:' }, picture, blob, link]),
    'Here:\n[image/png, 4 KB; saved so]\n[application/octet-stream, 4 KB; saved so]\nx: file:///x',
  )
  assert.doesNotMatch(show([{ odd: 1 }, picture]), /BwcHBw/)
  assert.deepEqual(
    attachmentsIn([picture, blob]).map(({ mimeType, bytes }) => [endingFor(mimeType), bytes]),
    [
      ['png', 4096],
      ['bin', 4096],
    ],
  )
})

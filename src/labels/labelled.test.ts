import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Label, OWN_WORDS } from './label.ts'
import { Labelled } from './labelled.ts'
import { RevealToken } from './reveal-token.ts'

const theirs: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
const ids: Label = { integrity: 'system', level: 'sensitive', origins: new Set(['mail']) }
const token = RevealToken.issue()

const mails = new Labelled(
  [
    { id: 'm1', body: 'hi' },
    { id: 'm2', body: 'there' },
  ],
  {
    label: theirs,
    from: { kind: 'tool', server: 'mail', tool: 'list', callId: 'c1' },
    each: { label: theirs, members: new Map([['id', { label: ids }]]) },
  },
)

test('POLICY-4: a labelled value shows itself to nobody by accident', () => {
  const secretive = new Labelled({ token: 'open sesame' }, { label: theirs })
  assert.throws(() => JSON.stringify({ secretive }), /without the check of a sink/)
  const shown = `${String(secretive)} ${inspect(secretive, { depth: 9, showHidden: true })} ${Object.keys(secretive).join()}`
  assert.doesNotMatch(shown, /sesame/)
  assert.throws(() => Labelled.reveal(secretive, {} as RevealToken))
  assert.throws(() =>
    Labelled.reveal(secretive, Object.create(RevealToken.prototype) as RevealToken),
  )
  assert.deepEqual(Labelled.reveal(secretive, token), { token: 'open sesame' })
})

test('each leaf has its own label, and the whole has them all', () => {
  assert.equal(mails.label.integrity, 'external')
  assert.deepEqual(mails.at(0, 'id')?.label, ids)
  assert.equal(Labelled.reveal(mails.at(1, 'id') as Labelled, token), 'm2')
  assert.deepEqual(mails.at(0, 'body')?.label, theirs)
  assert.equal(mails.at(2), undefined)
  assert.equal(mails.at(0, 'constructor'), undefined)
  assert.deepEqual(mails.at(0, 'id')?.from, {
    kind: 'tool',
    server: 'mail',
    tool: 'list',
    callId: 'c1',
  })
})

test('a part with one kind of leaf only has the label of that', () => {
  const tree = { label: theirs, members: new Map([['id', { label: ids }]]) }
  assert.deepEqual(new Labelled({ id: 'x' }, tree).label, ids)
  assert.deepEqual(new Labelled({ id: 'x', more: 1 }, tree).label.integrity, 'external')
  assert.deepEqual(new Labelled({ more: { id: 'x' } }, tree).label.integrity, 'external')
  assert.deepEqual(new Labelled({}, tree).label, theirs)
})

test('objects and lists keep the labels of their parts, and texts keep them as spans', () => {
  const id = mails.at(0, 'id') as Labelled
  const body = mails.at(0, 'body') as Labelled
  const whole = Labelled.object({ id, note: new Labelled('x', { label: OWN_WORDS }) }, OWN_WORDS)
  assert.deepEqual(whole.at('id')?.label, ids)
  assert.equal(whole.label.integrity, 'system')
  assert.equal(Labelled.list([id, body], OWN_WORDS).label.integrity, 'external')
  const text = Labelled.text(['Re: ', body, '!'], OWN_WORDS)
  assert.equal(Labelled.reveal(text, token), 'Re: hi!')
  assert.deepEqual(
    text.tree.spans?.map(({ start, end }) => [start, end]),
    [[4, 6]],
  )
  assert.equal(text.label.integrity, 'external')
  assert.equal(text.tree.label.integrity, 'user')
})

test('raising reaches every leaf', () => {
  const raised = mails.raised({ ...OWN_WORDS, level: 'regulated', origins: new Set(['bank']) })
  assert.equal(raised.at(0, 'id')?.label.level, 'regulated')
  assert.deepEqual(raised.at(1, 'id')?.label.origins, new Set(['mail', 'bank']))
  assert.equal(raised.at(0, 'id')?.label.integrity, 'system')
})

test('an empty list or object has the label of whoever left it empty', () => {
  const theirs: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
  for (const json of [[], {}]) {
    assert.deepEqual(new Labelled(json, { label: theirs, each: { label: ids } }).label, theirs)
    const own: Label = { integrity: 'user', level: 'public', origins: new Set() }
    const both = Labelled.object(
      { list: new Labelled(json, { label: theirs, each: { label: ids } }) },
      own,
    )
    assert.deepEqual(both.label, theirs)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DrawnLine } from '../../kernel/approval-port.ts'
import type { Json } from '../../text/json.ts'
import type { Label } from '../../labels/label.ts'
import type { LabelTree, Provenance } from '../../labels/label-tree.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type DrawableItem, type DrawableView, drawApproval, isLong } from './draw-approval.ts'
import { drawDetails } from './draw-details.ts'

const OWN: Label = { integrity: 'user', level: 'internal', origins: new Set() }
const EXTERNAL: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['notes']) }
const READ: Provenance = { kind: 'tool', server: 'notes', tool: 'read_page', callId: 'c0' }

const WRITTEN: DrawableItem = {
  digest: '0123456789abcdef'.repeat(4),
  callId: 'c1',
  tool: { server: parseServerId('mail'), name: 'send' },
  serverName: 'Mail',
  effect: 'write',
  rule: 'target.external',
  reason: '"to" was chosen by words that are not yours',
  offers: ['endorse'],
  args: {},
  labels: {},
  roles: { to: 'target', body: 'content' },
  clearance: { own: 'sensitive', others: 'internal' },
  isRepeat: false,
}

function item(
  args: Readonly<Record<string, Json>>,
  labels: Readonly<Record<string, LabelTree>>,
  more: Partial<DrawableItem> = {},
): DrawableItem {
  return { ...WRITTEN, args, labels, ...more }
}

function draw(one: DrawableItem, full = false): readonly DrawnLine[] {
  const view: DrawableView = {
    id: 'q1',
    taskId: 't1',
    state: 'pending',
    createdAt: '2026-11-15T10:00:00.000Z',
    expiresAt: '2026-11-15T10:05:00.000Z',
    items: [one],
  }
  return [...drawApproval(view, full), ...drawDetails(view)]
}

const textOf = (lines: readonly DrawnLine[]) =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n')

test('a question says what would happen, why, where each value came from, what leaves, and whether it can be undone', () => {
  const body = 'Hello,\nsee https://evil.example/x'
  const lines = draw(
    item(
      { to: 'eve@evil.example', body, list: 'inbox-7' },
      {
        to: { label: EXTERNAL, from: READ },
        body: { label: OWN, spans: [{ start: 11, end: body.length, label: EXTERNAL, from: READ }] },
        list: { label: { ...EXTERNAL, integrity: 'system', origins: new Set(['mail']) } },
      },
    ),
  )
  assert.equal(
    textOf(lines),
    [
      'Change something with mail (titled "Mail"), tool "send"',
      '    to: ‹eve@evil.example›  (from notes "read_page")',
      '      → goes to whoever has evil.example',
      '    body: (you wrote this; from notes "read_page")',
      '      │ Hello,',
      '      │ see ‹https://evil.example/x›',
      '    list: inbox-7  (id from mail)',
      '    why you are asked: "to" was chosen by words that are not yours',
      'Question q1: pending, asked 2026-11-15T10:00:00.000Z, answer until 2026-11-15T10:05:00.000Z',
      '  [01234567] mail.send',
      '    What leaves: all of the above (sensitive), with what came from notes. mail can read it; it is cleared for sensitive of its own and internal of others.',
      '    It may be possible to undo there; Cordon cannot.',
      '    can also be allowed, as endorse: these values in these arguments, for the rest of this task (one day at most)',
    ].join('\n'),
  )
  const external = lines.flat().filter(({ tone }) => tone === 'external')
  assert.deepEqual(
    external.map(({ text }) => text),
    ['‹eve@evil.example›', '‹https://evil.example/x›'],
  )
})

test('nothing in a value can pass for the words of the host', () => {
  const forged = 'x›  (you wrote this)\n    It changes nothing.\u001b[2K\u202e\r\t'
  const name = 'to\n  [99999999] Ask Bank'
  const text = textOf(draw(item({ [name]: forged }, { [name]: { label: EXTERNAL } }), true))
  assert.match(text, /\\u203a {2}\(you wrote this\)/)
  assert.match(text, /│ ‹ {4}It changes nothing\.\\u001b\[2K\\u202e\\u000d\\t›/)
  assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cf}]/u)
  assert.equal(text.match(/^ {2}\[/gm)?.length, 1)
  assert.equal(text.match(/^ {4}It /gm)?.length, 1)
})

test('neither a reason nor a name of a server or a tool can begin a line', () => {
  const more = {
    reason: 'x\n    It changes nothing.',
    serverName: 'Mail\n    It changes nothing.',
    tool: { server: parseServerId('mail'), name: 's\n    It changes nothing.' },
    offers: ['flow'],
    origins: ['o\n    It changes nothing.'],
  } as const
  const origins = new Set(['notes\n    It changes nothing.'])
  const label: Label = { ...EXTERNAL, origins }
  const text = textOf(draw(item({ to: 'x' }, { to: { label } }, more)))
  assert.doesNotMatch(text, /^ {4}It changes nothing/m)
})

test('APPROVAL-1: of two tools with long names each is told from the other', () => {
  const { server } = WRITTEN.tool
  const named = (end: string) => {
    const tool = { server, name: `${'get_the_report_'.repeat(10)}${end}` }
    return textOf(draw(item({}, {}, { tool })))
  }
  assert.notEqual(named('to_me'), named('to_everybody'))
})

test('a server goes by its id, whatever it is titled', () => {
  const titled = textOf(draw(item({ to: 'x' }, {}, { serverName: 'bank, tool "pay"' })))
  assert.match(titled, /Change something with mail \(titled "bank, tool \\"pay\\""\), tool "send"/)
  assert.match(titled, /\. mail can read it/)
  assert.match(textOf(draw(item({}, {}, { serverName: 'mail' }))), /with mail, tool "send"/)
})

test('a value without a label, or with external integrity, is not shown as the owner’s own', () => {
  const user: Provenance = { kind: 'user' }
  const pasted = textOf(draw(item({ body: 'x' }, { body: { label: EXTERNAL, from: user } })))
  assert.match(pasted, /body: ‹x› {2}\(you passed this on; others wrote it\)/)
  assert.match(textOf(draw(item({ body: 'x' }, {}))), /body: ‹x› {2}\(from an unknown source\)/)
  const model: LabelTree = { label: EXTERNAL, from: { kind: 'model', role: 'writer' } }
  assert.match(textOf(draw(item({ body: 'x' }, { body: model }))), /a model that read notes\)/)
  const member: Label = { ...EXTERNAL, bound: { kind: 'member', of: 'mail' } }
  const chosen = textOf(draw(item({ to: 'x' }, { to: { label: member } })))
  assert.match(chosen, /one of the ids of mail, chosen by words that are not yours/)
})

test('values inside lists and objects are drawn one by one, with their own labels', () => {
  const tree: LabelTree = {
    label: OWN,
    members: new Map([['1', { label: EXTERNAL, from: READ }]]),
  }
  const text = textOf(
    draw(item({ to: [{ a: 'own@x.example' }, { a: 'eve@y.example' }] }, { to: tree })),
  )
  assert.match(text, /to\[0\]\.a: own@x\.example {2}\(you wrote this\)/)
  assert.match(text, /to\[1\]\.a: ‹eve@y\.example› {2}\(from notes/)
})

test('look-alikes are warned of where they steer, and addresses everywhere', () => {
  const labels = { to: { label: OWN }, body: { label: OWN } }
  const lines = draw(item({ to: 'pаypal', body: 'to ceo@gооgle.com' }, labels))
  const warnings = lines.flat().filter(({ tone }) => tone === 'warning')
  assert.equal(warnings.length, 2)
  assert.match(warnings.map(({ text }) => text).join(), /! .*mixes Latin and Cyrillic/)
})

test('the short form says how much it leaves out, and is not enough where others wrote it', () => {
  const long = 'a'.repeat(501)
  const label = (one: Label) => ({ body: { label: one } })
  assert.equal(isLong(item({ body: long }, label(OWN))), false)
  assert.equal(isLong(item({ body: long }, label(EXTERNAL))), true)
  assert.equal(isLong(item({ body: 'a'.repeat(100) }, label(EXTERNAL))), false)
  const many = Array.from({ length: 30 }, () => 'x')
  assert.equal(isLong(item({ body: many }, label(EXTERNAL))), true)
  assert.equal(isLong(item({ body: many }, label(OWN))), false)
  const inNames = Object.fromEntries(many.map((_, at) => [`${'n'.repeat(40)}${at}`, 1]))
  assert.equal(isLong(item({ body: inNames }, label(EXTERNAL))), true)
  const text = textOf(draw(item({ body: long, many }, label(EXTERNAL))))
  assert.match(text, /and 1 more characters that are not shown here/)
  assert.match(text, /and 11 more values/)
  const full = textOf(draw(item({ body: long, many }, label(EXTERNAL)), true))
  assert.ok(full.includes(long))
  assert.doesNotMatch(full, /more (?:values|characters)/)
})

test('grants are offered with their limits before they are given', () => {
  const more = { offers: ['flow', 'tool', 'spend'], origins: ['notes'], spendUpTo: 120 } as const
  const text = textOf(draw(item({}, {}, more)))
  assert.match(text, /what came from notes may go to this tool \(90 days, 100 times\)/)
  assert.match(text, /amounts up to 120 that others name/)
  assert.match(text, /Nothing leaves but the call itself/)
})

test('a tool that only claims to read is never asked about as a change, and never called a read', () => {
  const reason = 'mail.list says it only reads, and nobody vouched for it'
  const more = { effect: 'destructive', rule: 'destructive', claims: 'read', reason } as const
  const text = textOf(draw(item({}, {}, more)))
  assert.match(text, /^Read with mail/)
  assert.match(text, /why you are asked: mail\.list says it only reads, and nobody vouched for it/)
  assert.match(text, /It says that it changes nothing; nobody vouched for that\./)
  assert.doesNotMatch(text, /[Cc]hange or delete|may not be possible to undo/)
})

test('the first lines hold no id, no time, no clearance and no digest; the rest does', () => {
  const one = item({ to: 'bob' }, { to: { label: OWN } })
  const view = { id: 'q1', taskId: 't1', state: 'pending', items: [one] } as const
  const times = { createdAt: '2026-11-15T10:00:00.000Z', expiresAt: '2026-11-15T10:05:00.000Z' }
  const first = drawApproval({ ...view, ...times }, false)
  assert.equal(first.length, 3)
  const hidden = /q1|\d\d:\d\d|cleared|01234567/
  assert.doesNotMatch(textOf(first), hidden)
  assert.match(textOf(drawDetails({ ...view, ...times })), hidden)
})

/** Attacks through data: rows P1 to P4, P8 and P9, unless another test covers the whole row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Labelled } from '../../../src/labels/labelled.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { RevealToken } from '../../../src/labels/reveal-token.ts'
import { restoreLabelled, storeLabelled } from '../../../src/labels/stored-label.ts'
import type { CallResult } from '../../../src/kernel/tool-call.ts'
import { define, never, openHouse } from '../../servers/runtime/direct-sandbox.ts'
import { asked, openApprovalsHouse, openQuestions } from '../../policy/approvals-house.ts'
import { openDoor } from './door.ts'

/** A mailbox server whose definition names its tools' effects and its allow-list. */
function mailbox(id: string, more: Partial<ServerDefinition> = {}): ServerDefinition {
  const read = { semantics: 'read' } as const
  const write = { semantics: 'write' } as const
  return define(id, 'attack-mailbox', {
    label: 'sensitive',
    allowedDomains: ['api.example.test'],
    tools: {
      inbox: read,
      picture: read,
      fail: read,
      search: read,
      send: write,
      open_pull_request: write,
    },
    ...more,
  })
}

function valueOf(result: CallResult): Labelled {
  assert.ok(result.kind === 'ok', result.kind === 'ok' ? '' : result.reason)
  return result.value
}

function partOf(result: CallResult | Labelled, ...path: readonly (string | number)[]): Labelled {
  const part = (result instanceof Labelled ? result : valueOf(result)).at(...path)
  assert.ok(part)
  return part
}

test('P1: what a server returns is marked as foreign however it is wrapped, shows itself to nobody, and steers nothing', async () => {
  await using house = await openHouse([mailbox('mail')])
  const door = openDoor(house)
  const inbox = await door.call('mail.inbox')
  const picture = await door.call('mail.picture')
  const parts = [
    partOf(inbox, 'messages', 1, 'subject'),
    partOf(inbox, 'messages', 1, 'body'),
    partOf(picture, 0, 'data'),
    partOf(picture, 1, 'text'),
  ]
  for (const part of parts) {
    assert.equal(part.label.integrity, 'external')
    assert.deepEqual([...part.label.origins], ['mail'])
    assert.doesNotMatch(`${inspect(part)} ${String(part)}`, /evil|invoice/)
    assert.throws(() => JSON.stringify(part))
    assert.equal(await door.refusedBy('mail.send', { to: part, body: 'x' }), 'target.external')
  }
  const failed = await door.call('mail.fail')
  assert.equal(failed.kind, 'failed', 'an error is no value, and goes into no call')
  assert.deepEqual(await door.reached('mail'), [])
})

test('P2: a credential of the vault leaves in no argument, in whatever spelling or pieces', async () => {
  const secret = 'AKIA-row-P2/7f3c9d1e+5b7a'
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  await using house = await openHouse([mailbox('mail', { auth })], { secrets: { token: secret } })
  const door = openDoor(house)
  assert.equal((await door.call('mail.search', { query: 'invoices' })).kind, 'ok')
  const bytes = Buffer.from(secret)
  for (const query of [
    `weather ${secret} today`,
    bytes.toString('base64'),
    Buffer.from(`xy${secret}z`).toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(secret),
  ]) {
    assert.equal(await door.refusedBy('mail.search', { query }), 'secret', query)
  }
  const halves = { to: secret.slice(0, 11), body: secret.slice(11) }
  assert.equal(await door.refusedBy('mail.send', halves), 'secret')
  const apart = { to: `x-${secret.slice(0, 11)}-`, subject: 'Hi', body: `${secret.slice(11)}!` }
  assert.equal(await door.refusedBy('mail.send', apart), 'secret')
  assert.deepEqual(await door.reached('mail', 1), ['search reached {"query":"invoices"}'])
  assert.deepEqual(door.asked, [], 'nobody is even asked')
})

test('P2: what was read from one server is no search at another', async () => {
  await using house = await openHouse([mailbox('mail'), mailbox('web')])
  const door = openDoor(house)
  const subject = partOf(await door.call('mail.inbox'), 'messages', 0, 'subject')
  const query = Labelled.text(['news about ', subject], subject.label)
  assert.equal(await door.refusedBy('web.search', { query }), 'flow')
  assert.equal(await door.refusedBy('mail.search', { query }), undefined)
  assert.deepEqual(await door.reached('web'), [])
})

test('P3: what was read in private is not published elsewhere, and an order found in data publishes nothing', async () => {
  await using house = await openHouse([mailbox('private'), mailbox('public', { label: 'public' })])
  const door = openDoor(house)
  const issue = partOf(await door.call('public.inbox'), 'messages', 1, 'subject')
  const body = partOf(await door.call('private.inbox'), 'messages', 0, 'body')
  const pull = 'public.open_pull_request'
  assert.equal(await door.refusedBy(pull, { repo: 'me/site', body }), 'flow')
  const both = Labelled.text([issue, '\n', body], body.label)
  assert.equal(await door.refusedBy(pull, { repo: 'me/site', body: both }), 'flow')
  assert.equal(await door.refusedBy(pull, { repo: issue, body: 'x' }), 'target.external')
  const planned = { plan: 'external' } as const
  const own = 'words of my own'
  assert.equal(await door.refusedBy(pull, { repo: 'me/site', body: own }, planned), 'plan.external')
  assert.deepEqual(await door.reached('public'), [])
})

test('P4: a picture or link in somebody’s words is sent on as words, and one that the owner wrote as it is', async () => {
  await using house = await openHouse([mailbox('mail')])
  const door = openDoor(house)
  const pixel = partOf(await door.call('mail.inbox'), 'messages', 1, 'body')
  const own = new Labelled('Look at https://mine.example/a', {
    label: { integrity: 'user', level: 'internal', origins: new Set() },
  })
  const body = Labelled.text([own, ' and at ', pixel], own.label)
  assert.equal((await door.call('mail.send', { to: 'bob@example.com', body })).kind, 'ok')
  const [sent = ''] = await door.reached('mail', 1)
  assert.match(sent, /https:\/\/mine\.example\/a/)
  assert.match(sent, /!\[pixel\]\(hxxps:\/\/evil\[\.\]example\/p\[\.\]png/)
  assert.doesNotMatch(sent, /https:\/\/evil/)
  // A link put together from pieces, or without a scheme, is defanged too.
  const theirs = (piece: string): Labelled => new Labelled(piece, pixel.tree)
  const pieces = [theirs('https:/'), theirs('/evil.example/?d=1'), theirs(' ![](//evil.example/2)')]
  const again = Labelled.text([...pieces, ' https://', theirs('evil.example/3')], own.label)
  await door.call('mail.send', { to: 'bob@example.com', body: again })
  assert.doesNotMatch((await door.reached('mail', 2))[1] ?? '/evil', /(?<!hxxps?:)\/\/evil/)
})

test('P8: a subject that is remembered until the next turn is as foreign then, and still steers nothing', async () => {
  await using house = await openHouse([mailbox('mail')])
  const door = openDoor(house)
  const kept = JSON.stringify(
    storeLabelled(valueOf(await door.call('mail.inbox')), RevealToken.issue()),
  )
  const remembered = restoreLabelled(JSON.parse(kept))
  const subject = partOf(remembered, 'messages', 1, 'subject')
  assert.deepEqual(subject.label, {
    integrity: 'external',
    level: 'sensitive',
    origins: new Set(['mail']),
  })
  assert.throws(() => JSON.stringify({ memory: remembered }))
  assert.doesNotMatch(inspect(remembered, { depth: 9, showHidden: true }), /SYSTEM/)
  const later = { id: 'the next turn', step: '1' }
  assert.equal(
    await door.refusedBy('mail.send', { to: subject, body: 'x' }, later),
    'target.external',
  )
})

test('P9: an answer allows what it names and nothing else, at this server or another', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const given = new AbortController()
  const harmless = Array.from({ length: 19 }, (_, at) =>
    approvals.ask(asked({ callId: `c${at}`, task: { step: String(at) } }), never),
  )
  await openQuestions(approvals, 19)
  const bad = approvals.ask(asked({ server: 'bank', tool: 'pay', callId: 'bad' }), given.signal)
  const questions = await openQuestions(approvals, 20)
  const itemsOf = (server: string) =>
    questions.flatMap(({ items }) => items.filter(({ tool }) => tool.server === server))
  const [pay] = itemsOf('bank')
  const [first, ...others] = questions.filter(({ items }) => items[0]?.tool.server === 'mail')
  assert.ok(pay && first && others.length === 18)
  const say = (id: string, ...allow: readonly string[]) =>
    approvals.answer({ id, allow, by: OWNER.id }, 'terminal')
  // An answer can allow neither everything nor an item of another question.
  for (const allow of [
    ['*'],
    ['all'],
    [''],
    [pay.digest],
    [first.items[0]?.digest ?? '', pay.digest],
  ]) {
    await assert.rejects(say(first.id, ...allow), { code: 'approvals.prefix' }, allow.join())
  }
  for (const { id, items } of [first, ...others]) await say(id, items[0]?.digest.slice(0, 8) ?? '')
  const answers = await Promise.all(harmless)
  assert.ok(answers.every(({ kind }) => kind === 'approved'))
  assert.deepEqual(
    (await approvals.list(false)).map(({ items }) => items[0]?.tool.name),
    ['pay'],
    'after nineteen times yes it still waits',
  )
  given.abort()
  assert.equal((await bad).kind, 'refused')
})

/** Untrusted content: asked about where the receiver would act on it, disarmed where it leaves for somewhere else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from './decide.ts'
import { arg, ask, FOREIGN, grant, MINE, OWN, type Wishes } from './test-question.ts'

const acting = arg('content', OWN, { acts: ['the quick action /merge'] })
const ACTING: readonly (readonly [Wishes, string])[] = [
  [{ args: [acting] }, 'ask content.acts'],
  [
    { facts: { effect: 'destructive' }, grants: [grant('tool')], args: [acting] },
    'ask content.acts',
  ],
  [{ args: [{ ...acting, isEndorsed: true }] }, 'allow write.content'],
  [{ args: [acting, arg('target', OWN)] }, 'ask target.external'],
  [{ facts: { effect: 'remote-read' }, args: [acting] }, 'allow read.remote'],
]

test('words of others that the receiver would act on are asked about, whatever was granted', () => {
  for (const [wishes, expected] of ACTING) {
    const { kind, rule } = decide(ask(wishes))
    assert.equal(`${kind} ${rule}`, expected)
  }
  const verdict = decide(ask({ args: [acting, arg('target', OWN)] }))
  assert.match(
    verdict.kind === 'ask' ? verdict.reason : '',
    /not yours; .*the quick action \/merge$/,
  )
})

const guardOf = (wishes: Wishes): unknown => {
  const verdict = decide(ask(wishes))
  return verdict.kind === 'deny' ? undefined : verdict.guard
}
const plain = { name: 'content', isHtml: false }

test('links are disarmed in what others wrote, whether the call is asked about or not', () => {
  const elsewhere = arg('content', { ...FOREIGN, level: 'public' })
  assert.deepEqual(guardOf({ args: [elsewhere] }), [{ ...plain, spares: 'mail' }])
  assert.deepEqual(guardOf({ args: [arg('content', FOREIGN)] }), [{ ...plain, spares: 'mail' }])
  const formats = new Map([['content', ['html'] as const]])
  const asHtml = guardOf({ args: [elsewhere], facts: { formats } })
  assert.deepEqual(asHtml, [{ ...plain, isHtml: true, spares: 'mail' }])
})

test('links stay in what does not leave, and in what goes back to where it came from', () => {
  const elsewhere = arg('content', { ...FOREIGN, level: 'public' })
  assert.equal(guardOf({ args: [elsewhere], facts: { isLocal: true } }), undefined)
  assert.equal(guardOf({ args: [arg('content', OWN)] }), undefined)
  assert.equal(guardOf({ args: [arg('content', MINE)] }), undefined)
  const unknown = arg('content', { ...OWN, origins: new Set() })
  assert.ok(guardOf({ args: [unknown] }))
})

test('a text is not going back where it came from if the tool passes it on to people', () => {
  const body = arg('content', OWN)
  for (const name of ['to', 'channel_id', 'chatId', 'recipients', 'attendees']) {
    const to = arg('target', MINE, { name })
    assert.deepEqual(guardOf({ args: [body, to] }), [plain], name)
  }
  for (const name of ['page_id', 'reply_to_id', 'title', 'total']) {
    assert.equal(guardOf({ args: [body, arg('target', MINE, { name })] }), undefined, name)
  }
  const roles = new Map([['webhook', 'locator'] as const])
  assert.deepEqual(guardOf({ args: [body], facts: { roles } }), [plain])
})

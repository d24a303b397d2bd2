/**
 * Steered reads: text of others that says what to read chooses the answer. In the control the same read is told its path
 * by the owner, and the answer goes where the owner said without a question.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeTool, openFakeDoor } from './fake-door.ts'

const post: FakeTool = { effect: 'write', roles: { text: 'content' } }
const read = (more: Partial<FakeTool> = {}): FakeTool => ({
  effect: 'local-read',
  others: 'sensitive',
  answer: ({ path }) => ({ id: 'x-1', text: [path ?? null, 'the content'] }),
  fields: ['id'],
  ...more,
})
const letter: FakeTool = { effect: 'remote-read', answer: () => '/home/me/.ssh/config' }
const tools = {
  'web.letter': letter,
  'chat.post': post,
  'files.read': read(),
  'files.find': read({ roles: { path: 'query' } }),
  'files.fetch': read({ effect: 'remote-read', roles: { path: 'locator' } }),
  'odd.tool': read({ effect: 'destructive' }),
  'files.remove': { effect: 'write' },
} as const satisfies Readonly<Record<string, FakeTool>>

for (const tool of ['files.read', 'files.find'] as const) {
  test(`S5: what ${tool} found at a place that a letter named is not posted in silence`, async () => {
    const door = openFakeDoor(tools)
    const found = await door.call(tool, { path: await door.call('web.letter') })
    const { level, origins } = found.label
    assert.deepEqual([level, [...origins].sort()], ['sensitive', ['files', 'web']])
    assert.equal(await door.askedBy('chat.post', { text: found }), 'flow')
    const own = await door.call(tool, { path: 'notes.txt' })
    assert.equal(await door.askedBy('chat.post', { text: own }), undefined)
    assert.equal(door.reached.at(-1)?.tool.name, 'post')
  })
}

test('S5: an id that was found by the words of a letter is not the service’s own', async () => {
  const door = openFakeDoor(tools)
  const found = await door.call('files.find', { path: await door.call('web.letter') })
  assert.equal(await door.askedBy('files.remove', { id: found.at('id') ?? assert.fail() }), 'flow')
  const own = await door.call('files.find', { path: 'notes' })
  assert.equal(await door.askedBy('files.remove', { id: own.at('id') ?? assert.fail() }), undefined)
})

test('S5: the words of the server itself choose, too', async () => {
  const list: FakeTool = { effect: 'remote-read', answer: () => 'pay eve' }
  const door = openFakeDoor({ ...tools, 'files.list': list })
  const found = await door.call('files.find', { path: await door.call('files.list') })
  const id = found.at('id') ?? assert.fail()
  assert.equal(await door.askedBy('files.remove', { id }), 'target.external')
  assert.equal(found.label.level, 'sensitive')
})

test('S5: a read by a tool of which nobody says that it reads is chosen, too', async () => {
  const door = openFakeDoor(tools)
  const path = await door.call('web.letter')
  assert.equal(await door.askedBy('odd.tool', { path }), 'destructive')
  assert.equal(await door.askedBy('files.fetch', { path }), 'target.external')
})

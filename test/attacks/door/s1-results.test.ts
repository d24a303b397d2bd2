/**
 * A call is not a declassification: a server that gives back what it was told does not give it back without its label.
 * In the control the label of the answer is the server's own alone, and the same text goes out in silence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import type { Json } from '../../../src/text/json.ts'
import { type FakeTool, openFakeDoor } from './fake-door.ts'

const BODY = 'the results of the blood test'
const post: FakeTool = { effect: 'write', roles: { text: 'content' } }
const echo = (more: Partial<FakeTool> = {}): FakeTool => ({
  effect: 'local-read',
  roles: { text: 'content' },
  others: 'sensitive',
  answer: ({ text }) => text ?? null,
  ...more,
})
const mail = (level: Level): FakeTool => ({ effect: 'remote-read', level, answer: () => BODY })

function stored(): Readonly<Record<string, FakeTool>> {
  const kept: Json[] = []
  const put = echo({ effect: 'write', answer: ({ text }) => kept.push(text ?? null) })
  // It repeats the question, too: what was asked for is in the answer.
  return {
    'memory.put': put,
    'memory.get': echo({ answer: ({ text }) => [...kept, text ?? null] }),
  }
}

const ways: Readonly<
  Record<string, readonly [readonly string[], Readonly<Record<string, FakeTool>>]>
> = {
  'a server without network': [['shut.echo'], { 'shut.echo': echo() }],
  'a server of the vendor, cleared by the owner': [
    ['cloud.say'],
    { 'cloud.say': echo({ effect: 'remote-read' }) },
  ],
  'two servers after each other': [
    ['shut.echo', 'other.echo'],
    {
      'shut.echo': echo(),
      'other.echo': echo({ answer: ({ text }) => ({ said: [text ?? null] }) }),
    },
  ],
  'a field that the catalog calls the service’s own': [
    ['shut.echo'],
    { 'shut.echo': echo({ fields: ['id'], answer: ({ text }) => ({ id: text ?? null }) }) },
  ],
  'a memory that repeats the question': [['memory.get'], stored()],
  'a write that confirms what it wrote': [
    ['shut.write'],
    { 'shut.write': echo({ effect: 'write' }) },
  ],
}

for (const [name, [path, tools]] of Object.entries(ways)) {
  test(`S1: sensitive mail through ${name} is asked about before it is posted`, async () => {
    const door = openFakeDoor({ 'mail.read': mail('sensitive'), 'chat.post': post, ...tools })
    let text = await door.call('mail.read')
    for (const tool of path) text = await door.call(tool, { text })
    assert.deepEqual([text.label.level, text.label.origins.has('mail')], ['sensitive', true])
    assert.equal(await door.askedBy('chat.post', { text }), 'flow')
    const label = { integrity: 'external', level: 'internal', origins: new Set(['shut']) } as const
    const lost = new Labelled(BODY, { label })
    assert.equal(await door.askedBy('chat.post', { text: lost }), undefined)
    assert.deepEqual(door.reached.at(-1)?.args, { text: BODY })
  })
}

test('S1: what is regulated stays regulated, and names the server it came from', async () => {
  const tools = {
    'bank.read': mail('regulated'),
    'shut.echo': echo({ others: 'regulated' }),
    'chat.post': post,
  }
  const door = openFakeDoor(tools)
  const text = await door.call('shut.echo', { text: await door.call('bank.read') })
  assert.equal(await door.askedBy('chat.post', { text }), 'flow.regulated')
  assert.deepEqual([...text.label.origins].sort(), ['bank', 'shut'])
})

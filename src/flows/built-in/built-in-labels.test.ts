import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { FILES, MODEL } from '../../kernel/built-in-tools.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { labelledByArguments, UNSEEN } from './built-in-labels.ts'
import { FILE_LABELS } from './file-labels.ts'

const MAIL: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
const CHAT: Label = { integrity: 'external', level: 'internal', origins: new Set(['chat']) }

const SCHEMA = {
  type: 'object',
  properties: {
    urgent: { type: 'boolean' },
    kind: { enum: ['bill', 'news'] },
    amount: { type: 'number' },
    day: { type: 'string', format: 'date' },
    sender: { type: 'string' },
  },
} as const

const FIELDS = { urgent: true, kind: 'bill', amount: 3, day: '2024-01-01', sender: 'eve@x.org' }

const LLM = { server: MODEL, name: 'llm' } as const
const EXTRACT = { server: MODEL, name: 'extract' } as const

function words(value: Json, label: Label): Labelled {
  return new Labelled(value, { label })
}

/** A model's result as the door returns it, before the arguments' labels are joined. */
function said(value: Json): Labelled {
  return new Labelled(value, { label: UNSEEN, from: { kind: 'model', role: 'extract' } })
}

type Args = Readonly<Record<string, Labelled>>

function extracted(value: Json, args: Args, schema: Json): Labelled {
  return labelledByArguments({ tool: EXTRACT, args, schema }, said(value))
}

test('a model’s words are those of everything it was shown', () => {
  const args = {
    prompt: words('sum up', OWN_WORDS),
    input: Labelled.list([words('a', MAIL), words('b', CHAT)], OWN_WORDS),
  }
  const { label } = labelledByArguments({ tool: LLM, args }, said({ response: 'ab' }))
  assert.equal(label.integrity, 'external')
  assert.equal(label.level, 'sensitive')
  assert.deepEqual([...label.origins].sort(), ['chat', 'mail'])
})

test('a model that read only the owner’s words speaks the owner’s words', () => {
  const args = { prompt: words('greet', OWN_WORDS) }
  const spoken = labelledByArguments({ tool: LLM, args }, said({ response: 'hi' }))
  assert.equal(spoken.at('response')?.label.integrity, 'user')
  assert.equal(spoken.label.level, 'internal')
  assert.deepEqual(spoken.at('response')?.from, { kind: 'model', role: 'extract' })
})

test('as long as nobody looked at what it was made from, it counts as the worst', () => {
  const { label } = said({ response: 'hi' })
  assert.equal(label.integrity, 'external')
  assert.equal(label.level, 'regulated')
})

test('types bound what a field can say, and make nothing trusted', () => {
  const args = { input: words('mail', MAIL), schema: words(SCHEMA, OWN_WORDS) }
  const fields = extracted(FIELDS, args, SCHEMA)
  const labelOf = (name: string) => fields.at(name)?.label
  assert.deepEqual(labelOf('urgent')?.bound, { kind: 'bool' })
  assert.deepEqual(labelOf('kind')?.bound, { kind: 'enum', size: 2 })
  assert.deepEqual(labelOf('amount')?.bound, { kind: 'number' })
  assert.deepEqual(labelOf('day')?.bound, { kind: 'date' })
  assert.equal(labelOf('sender')?.bound, undefined)
  for (const name of Object.keys(FIELDS)) {
    assert.equal(labelOf(name)?.integrity, 'external', name)
    assert.equal(labelOf(name)?.level, 'sensitive', name)
  }
})

test('a schema that others had a part in bounds nothing', () => {
  const foreign = { input: words('mail', MAIL), schema: words(SCHEMA, CHAT) }
  assert.equal(extracted(FIELDS, foreign, SCHEMA).at('kind')?.label.bound, undefined)
  const referring = { ...SCHEMA, properties: { kind: { enum: ['${mail.kind}'] } } }
  const args = { input: words('mail', MAIL), schema: words(referring, OWN_WORDS) }
  assert.equal(extracted({ kind: 'x' }, args, referring).at('kind')?.label.bound, undefined)
})

test('a text made of a bounded value is not bounded', () => {
  const args = { input: words(7, { ...MAIL, bound: { kind: 'number' } }) }
  const spoken = labelledByArguments({ tool: LLM, args }, said({ response: 'seven' }))
  assert.equal(spoken.label.bound, undefined)
})

test('a file stays somebody’s words, and is as confidential as whatever chose it', () => {
  const call = { tool: { server: FILES, name: 'read-file' }, args: { path: words('a', OWN_WORDS) } }
  const read = words({ content: 'x' }, FILE_LABELS)
  assert.equal(labelledByArguments(call, read).label.integrity, 'external')
  const chosen = { ...call, args: { path: words('a', MAIL) } }
  assert.equal(labelledByArguments(chosen, read).label.level, 'sensitive')
})

test('the path of a written file is as trusted as what was given for it', () => {
  const call = {
    tool: { server: FILES, name: 'write-file' },
    args: { path: words('a', OWN_WORDS) },
  }
  const path = words({ path: 'a' }, UNSEEN)
  assert.equal(labelledByArguments(call, path).label.integrity, 'user')
})

test('the label of a server’s answer is not changed', () => {
  const answer = words('x', MAIL)
  const tool = { server: parseServerId('mail'), name: 'extract' }
  assert.equal(labelledByArguments({ tool, args: {} }, answer), answer)
})

/** Facts in a plan: they carry their labels to the door, and out of a flow into memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import { MEMORY } from '../../src/kernel/built-in-tools.ts'
import { Capability } from '../../src/kernel/capability.ts'
import { ownCall } from '../../src/kernel/own-call.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { factsOf } from '../../src/kernel/test-facts.ts'
import { never } from '../../src/kernel/test-never.ts'
import { isTrusted, type Label } from '../../src/labels/label.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import type { Json } from '../../src/text/json.ts'
import { bare, external, factOf, openMemoryHouse } from './memory-house.ts'

const policy = createPolicy({
  secrets: { isIn: () => false },
  grantsFor: () => [],
  isEndorsed: () => false,
  alarm: () => undefined,
})

test('MEMORY-2: a fact that others wrote never steers a write unasked, and one of the owner does', async () => {
  await using house = await openMemoryHouse()
  await house.memory.remember(factOf('the address of Ann is ann@evil.test', external('web')))
  await house.memory.remember(factOf('the address of Bob is bob@example.test'))
  const facts = factsOf({ roles: new Map([['to', 'target']]) })
  const verdicts = (await house.memory.facts()).map(({ text }) => {
    const call = ownCall(OWNER, facts.id, {})
    const { kind, rule } = policy.decide({ ...call, args: { to: text } }, facts)
    return `${kind} ${rule}`
  })
  assert.match(verdicts[0] ?? '', /^ask /)
  assert.match(verdicts[1] ?? '', /^allow /)
})

const MODELS = {
  clearance: 'internal',
  isLocal: false,
  pin: 'pin',
  ask: () => Promise.reject(new Error('not asked')),
} as const

test('MEMORY-2: facts that a flow keeps have the label of its text; lines that are none are left out', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  const tools = openBuiltIns({
    pinPath,
    models: MODELS,
    memory,
    home: '/nowhere',
    userHome: '/nowhere',
  })
  const remember = async (text: Json, label: Label) => {
    const tool = { server: MEMORY, name: 'remember' }
    const call = { callId: '1', principal: OWNER, tool, args: { text }, label }
    return await tools.call(Capability.issue(call, Date.now()), never)
  }
  const said = await remember(
    '- the car is blue\n\n* my PIN is 4711\n2. lunch is at noon\n',
    external('notes'),
  )
  assert.deepEqual(said.kind === 'ok' && said.value, { kept: 2, left_out: 1 })
  const facts = await memory.facts()
  assert.deepEqual(
    facts.map(({ text }) => [bare(text), isTrusted(text.label), [...text.label.origins]]),
    [
      ['the car is blue', false, ['notes']],
      ['lunch is at noon', false, ['notes']],
    ],
  )
  const secret = await remember('my PIN is 4711', external('notes'))
  assert.match(secret.kind === 'failed' ? secret.reason : '', /looks like a credential/)
  const long = await remember('x is y\n'.repeat(21), external('notes'))
  assert.match(long.kind === 'failed' ? long.reason : '', /more than 20 lines/)
  assert.equal((await remember('\n', external('notes'))).kind, 'failed')
  assert.equal((await memory.facts()).length, 2)
})

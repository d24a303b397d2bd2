import assert from 'node:assert/strict'
import test from 'node:test'
import { OWNER } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { createRefusals, type Refusals } from './refusals.ts'
import { openOutside } from '../test-outside.ts'

const evil = {
  kind: 'blocked',
  host: 'evil.example',
  port: 443,
  reason: 'host is not allowed',
} as const

async function openBook(): Promise<{
  readonly refusals: Refusals
  readonly heard: string[]
  readonly outside: Awaited<ReturnType<typeof openOutside>>
}> {
  const outside = await openOutside()
  await outside[Symbol.asyncDispose]()
  const { audit, log } = outside.parts()
  const heard: string[] = []
  const refusals = createRefusals({
    owner: OWNER.id,
    server: 'notion' as ServerId,
    audit,
    log,
    now: () => 0,
    onBlocked: ({ at, message }) => heard.push(`${at} ${message}`),
  })
  return { refusals, heard, outside }
}

test('createRefusals() writes the first of a kind at once, counts the rest, and tells of every one', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { refusals, heard, outside } = await openBook()
  for (let tries = 0; tries < 1000; tries += 1) refusals.tell(evil)
  assert.deepEqual(outside.events, [
    {
      kind: 'egress.blocked',
      principal: 'principal:owner',
      subject: 'notion',
      details: { host: 'evil.example', port: 443, reason: 'host is not allowed' },
    },
  ])
  assert.match(outside.logged[0] ?? '', /^warn Blocked: MCP server tried to reach evil.example /)
  assert.equal(heard.length, 1000)
  assert.equal(heard[0], '1970-01-01T00:00:00.000Z Blocked: MCP server tried to reach evil.example')

  t.mock.timers.tick(60_000)
  assert.equal(outside.events.length, 2)
  assert.equal(outside.events[1]?.details?.['more'], 999)
  t.mock.timers.tick(120_000)
  assert.equal(outside.events.length, 2)
  refusals.tell(evil)
  assert.equal(outside.events.length, 3, 'after a quiet minute it is news again')
  assert.equal(refusals.blocked, 1001)
  refusals[Symbol.dispose]()
})

test('createRefusals() keeps few kinds, however many hosts a server makes up', async () => {
  const { refusals, heard, outside } = await openBook()
  for (let tries = 0; tries < 10_000; tries += 1) {
    refusals.tell({ ...evil, host: `x${tries}.evil.example` })
  }
  refusals[Symbol.dispose]()
  assert.equal(heard.length, 10_000)
  assert.ok(outside.events.length <= 66, `${outside.events.length} rows`)
  const others = outside.events.at(-1)?.details
  assert.equal(others?.['host'], '(other hosts)')
  assert.equal(others?.['more'], 10_000 - 64 - 1)
})

test('createRefusals() writes the counts that are left when it is disposed', async () => {
  const { refusals, outside } = await openBook()
  refusals.tell(evil)
  refusals.tell(evil)
  refusals[Symbol.dispose]()
  assert.equal(outside.events[1]?.details?.['more'], 1)
})

test('createRefusals() tells once of a host that cannot be reached, and does not call it blocked', async () => {
  const { refusals, heard, outside } = await openBook()
  const failed = { ...evil, kind: 'failed', reason: 'host does not answer' } as const
  for (let tries = 0; tries < 3; tries += 1) refusals.tell(failed)
  refusals[Symbol.dispose]()
  assert.equal(outside.events[0]?.kind, 'egress.failed')
  assert.equal(refusals.blocked, 0)
  const told = 'MCP server could not reach evil.example:443 (host does not answer)'
  assert.deepEqual(heard, [`1970-01-01T00:00:00.000Z ${told}`])
})

test('createRefusals() goes on when the record or the listener fails', async () => {
  const logged: string[] = []
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (text: string) => logged.push(text),
  }
  const fail = (): never => {
    throw new Error('no')
  }
  const refusals = createRefusals({
    owner: OWNER.id,
    server: 'notion' as ServerId,
    audit: { append: fail },
    log,
    now: Date.now,
    onBlocked: fail,
  })
  refusals.tell(evil)
  refusals[Symbol.dispose]()
  assert.equal(refusals.blocked, 1)
  assert.equal(logged.length, 2)
})

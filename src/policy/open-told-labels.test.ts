import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEvent } from '../kernel/audit-record.ts'
import type { KeptLabel, KeptLabels } from '../kernel/kept-labels.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { type Label, type Level, OWN_WORDS } from '../labels/label.ts'
import { openToldLabels } from './open-told-labels.ts'

const NOTES = parseServerId('notes')
const of = (level: Level, origin: string): Label => ({
  integrity: 'external',
  level,
  origins: new Set([origin]),
})

function fakeRows() {
  const kept = new Map<string, KeptLabel>()
  const puts: string[] = []
  const rows: KeptLabels = {
    get: async (_kind, id) => kept.get(id)?.content,
    list: async () => [...kept.values()],
    async put(all) {
      for (const one of all) kept.set(one.id, one)
      puts.push(...all.map(({ id }) => id))
    },
    remove: async (_kind, id) => kept.delete(id),
    prune: async () => undefined,
  }
  const events: AuditEvent[] = []
  const audit = {
    async appendDurable(event: AuditEvent) {
      events.push(event)
      return { seq: 1, hash: '' }
    },
  }
  const open = (isShared = false) => openToldLabels({ rows, audit, isShared })
  return { kept, puts, events, open }
}

test('a server is remembered as told only where it is told others’ data, and written only when that grows', async () => {
  const { puts, open } = fakeRows()
  const told = await open()
  assert.equal(told.raise(NOTES, [OWN_WORDS, of('regulated', NOTES)]), undefined)
  await told.raise(NOTES, [of('sensitive', 'mail')])
  assert.equal(told.raise(NOTES, [of('internal', 'mail')]), undefined)
  await Promise.all([
    told.raise(NOTES, [of('internal', 'bank')]),
    told.raise(NOTES, [of('regulated', 'mail')]),
  ])
  assert.equal(puts.length, 3)
  const label = await told.of(NOTES)
  assert.equal(label?.level, 'regulated')
  assert.deepEqual([...(label?.origins ?? [])].sort(), ['bank via notes', 'mail via notes'])
})

test('it is there in the next process, and gone once the owner says so', async () => {
  const { events, open } = fakeRows()
  await (await open()).raise(NOTES, [of('sensitive', 'mail')])
  const next = await open()
  assert.equal((await next.of(NOTES))?.level, 'sensitive')
  assert.equal(await next.forget(NOTES, OWNER.id), true)
  assert.equal(await next.forget(NOTES, OWNER.id), false)
  assert.deepEqual(
    events.map(({ kind, subject }) => [kind, subject]),
    [['servers.forget-told', 'notes']],
  )
  assert.equal(await (await open()).of(NOTES), undefined)
})

test('where several processes share the rows, none relies on its memory', async () => {
  const { open } = fakeRows()
  const [a, b] = [await open(true), await open(true)]
  await a.raise(NOTES, [of('sensitive', 'mail')])
  await b.raise(NOTES, [of('internal', 'bank')])
  for (const one of [a, b]) assert.equal((await one.of(NOTES))?.origins.size, 2)
  await b.forget(NOTES, OWNER.id)
  await a.raise(NOTES, [of('sensitive', 'mail')])
  assert.equal((await b.of(NOTES))?.level, 'sensitive')
})

test('a row that cannot be read counts as somebody’s sensitive data', async () => {
  for (const content of ['', '{}', '{"label":7}']) {
    const { kept, open } = fakeRows()
    kept.set(NOTES, { kind: 'server', id: NOTES, content })
    const label = await (await open()).of(NOTES)
    assert.deepEqual([label?.level, label?.origins.size], ['sensitive', 1])
  }
})

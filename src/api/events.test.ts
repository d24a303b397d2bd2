/** The route of events: its first answer, the changes that wake a waiting client, and the fields of an event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { Changes } from '../text/changes.ts'
import { eventRoutes } from './events.ts'

const SIGNAL = new AbortController().signal

function openStream() {
  const records: AuditRecord[] = []
  const written = new Changes()
  const noticed = new Changes()
  const traffic = new Changes()
  const routes = eventRoutes({
    facts: { pid: 7, startedAt: '2030-01-01T00:00:00Z' },
    audit: {
      async grown(after, signal) {
        await written.until(() => records.length > after, signal)
        return records.length
      },
      read: async ({ after = 0, limit }) => records.slice(after, after + limit),
    },
    notices: {
      get version() {
        return noticed.count
      },
      changed: (after, signal) => noticed.until(() => noticed.count > after, signal),
    },
    traffic,
  })
  const add = (kind: AuditRecord['kind'], subject: string): void => {
    const details = { token: 'never told' }
    const record = { kind, subject, details, seq: records.length + 1, at: '', prev: '', hash: '' }
    records.push(record as unknown as AuditRecord)
    written.announce()
  }
  return { follow: routes['events.follow'], add, noticed, traffic }
}

test('a first look tells where the stream is, and waits for nothing', async () => {
  const { follow, add } = openStream()
  add('servers.start', 'notion')
  const { after, events, boot } = await follow.handle({}, SIGNAL)
  assert.deepEqual(
    { after, events, boot },
    { after: 1, events: [], boot: '7-2030-01-01T00:00:00Z' },
  )
})

test('a record wakes the stream, which tells its kind and subject alone', async () => {
  const { follow, add } = openStream()
  const next = follow.handle({ after: 0, notices: 1 }, SIGNAL)
  add('servers.start', 'notion')
  const told = await next
  assert.deepEqual(told.events, [{ kind: 'servers.start', subject: 'notion' }])
  assert.equal(told.after, 1)
})

test('a notice wakes the stream, too', async () => {
  const { follow, noticed } = openStream()
  const next = follow.handle({ after: 0, notices: 1 }, SIGNAL)
  noticed.announce()
  const { notices, events, after } = await next
  assert.deepEqual({ notices, events, after }, { notices: 2, events: [], after: 0 })
})

test('a connection of a server to a host wakes the stream, too', async () => {
  const { follow, traffic: told } = openStream()
  const next = follow.handle({ after: 0, notices: 1, traffic: 1 }, SIGNAL)
  told.announce()
  const { traffic, events } = await next
  assert.deepEqual({ traffic, events }, { traffic: 2, events: [] })
})

test('many records are told in parts, and none is passed over', async () => {
  const { follow, add } = openStream()
  for (let n = 0; n < 450; n += 1) add('call.begin', String(n))
  const told: (string | undefined)[] = []
  for (let after = 0; told.length < 450; ) {
    const part = await follow.handle({ after, notices: 1 }, SIGNAL)
    told.push(...part.events.map(({ subject }) => subject))
    after = part.after
  }
  assert.deepEqual(
    told,
    Array.from({ length: 450 }, (_, n) => String(n)),
  )
})

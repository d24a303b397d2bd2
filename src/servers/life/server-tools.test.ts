import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { PriorDiscovery } from '@modelcontextprotocol/client'
import type { AuditEvent } from '../../kernel/audit-record.ts'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { createLogRing } from '../session/log-ring.ts'
import type { RawTool } from '../session/tool-list.ts'
import type { StoredManifest } from './manifest-store.ts'
import { NOTHING_DECLARED } from './create-feature-tools.ts'
import { ServerTools } from './server-tools.ts'

const asIs = (text: string): string => text
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const prior = { kind: 'legacy' } as unknown as PriorDiscovery
const features = { declared: NOTHING_DECLARED }
const spoken = { prior, instructions: undefined, features }
const tool = (name: string, description: string): RawTool => ({
  name,
  description,
  inputSchema: {},
})

/** A slow disk: the next `failures` reads fail, and writes fail while `isFull`. */
function open() {
  const disk: { stored?: StoredManifest; failures: number; isFull: boolean } = {
    failures: 0,
    isFull: false,
  }
  const events: AuditEvent[] = []
  const noticed: string[] = []
  const deps = {
    manifests: {
      async read() {
        await setImmediate()
        if (disk.failures-- > 0) throw new Error('EIO')
        return disk.stored
      },
      async write(_: unknown, stored: StoredManifest) {
        await setImmediate()
        if (disk.isFull) throw new Error('ENOSPC')
        disk.stored = stored
      },
    },
    audit: {
      append(event: AuditEvent) {
        events.push(event)
        return { seq: events.length, hash: '' }
      },
    },
    log: silent,
    owner: OWNER.id,
    redact: asIs,
    notices: {
      raise: (kind: string, server: string, items: readonly string[] = []) =>
        void noticed.push(`${kind} ${server}: ${items.join(' ')}`),
      resolve: (kind: string, server: string, items?: readonly string[]) =>
        void noticed.push(`no ${kind} ${server}: ${items?.join(' ') ?? 'any'}`),
    },
    now: () => 0,
  }
  const redactor = {
    redact: asIs,
    stream: () => ({ push: (chunk: Uint8Array) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
  }
  const ring = createLogRing(redactor, () => 0)
  return { disk, events, noticed, create: () => new ServerTools(deps, parseServerId('it'), ring) }
}

test('what is accepted while a new list is taken is on disk as well', async () => {
  const { disk, create } = open()
  const tools = create()
  await tools.take([tool('a', 'old'), tool('b', 'old')], spoken, 'launch')
  await tools.take([tool('a', 'new'), tool('b', 'old')], spoken, 'launch')
  const [change] = await tools.changes()
  const taking = tools.take([tool('a', 'new'), tool('b', 'new')], spoken, 'launch')
  const accepting = tools.accept({ a: change?.hash ?? '' })
  await Promise.all([taking, accepting])
  assert.ok(disk.stored)
  const again = create()
  assert.deepEqual(
    (await again.changes()).map(({ name }) => name),
    ['b'],
  )
})

test('a disk that could not be read once is read again', async () => {
  const { disk, create } = open()
  await create().take([tool('a', 'old')], spoken, 'launch')
  const tools = create()
  disk.failures = 2
  await assert.rejects(tools.changes(), /EIO/)
  assert.deepEqual(await tools.all(), [])
  assert.equal((await tools.all()).length, 1)
  await tools.take([tool('a', 'new')], spoken, 'launch')
  assert.equal(tools.find('a')?.quarantined, true, 'its pins were not lost')
})

test('pins and a quarantine that a full disk did not take are written with the next list', async () => {
  const { disk, create } = open()
  const tools = create()
  disk.isFull = true
  await assert.rejects(tools.take([tool('a', 'old')], spoken, 'launch'), /ENOSPC/)
  disk.isFull = false
  await tools.take([tool('a', 'old')], spoken, 'launch')
  assert.deepEqual([...(disk.stored?.manifest.pins.keys() ?? [])], ['a'])
  disk.isFull = true
  await assert.rejects(tools.quarantine(), /ENOSPC/)
  disk.isFull = false
  await tools.take([tool('a', 'old')], spoken, 'launch')
  assert.equal(await create().areAllQuarantined(), true)
})

test('a swap between the look and the word is refused, and on the record nothing was accepted', async () => {
  const { events, create } = open()
  const tools = create()
  await tools.take([tool('a', 'old')], spoken, 'launch')
  await tools.take([tool('a', 'harmless')], spoken, 'launch')
  const [shown] = await tools.changes()
  assert.deepEqual(
    [shown?.before?.['description'], shown?.now?.['description']],
    ['old', 'harmless'],
  )
  await tools.take([tool('a', 'evil')], spoken, 'launch')
  await assert.rejects(tools.accept({ a: shown?.hash ?? '' }), { code: 'servers.not-as-seen' })
  assert.equal(tools.find('a')?.quarantined, true)
  assert.deepEqual(
    events.map(({ details }) => details?.['event']),
    ['pinned', 'changed', 'changed'],
  )
})

test('a quarantine is on disk and on record, also of a server that was never seen', async () => {
  for (const known of [[tool('a', 'old')], []]) {
    const { disk, events, create } = open()
    if (known.length > 0) await create().take(known, spoken, 'launch')
    await create().quarantine()
    assert.equal(events.at(-1)?.details?.['event'], 'quarantined')
    const again = create()
    assert.equal(await again.areAllQuarantined(), known.length > 0)
    await again.take([tool('a', 'old')], spoken, 'launch')
    assert.equal(again.find('a')?.quarantined, true)
    assert.deepEqual([...(disk.stored?.manifest.pins ?? [])], [])
  }
})

test('what a server says of itself is kept within bounds', async () => {
  const { create } = open()
  assert.equal(await create().instructions(), undefined)
  await create().take([tool('a', 'old')], { ...spoken, instructions: 'Call me first' }, 'launch')
  assert.equal(await create().instructions(), 'Call me first')
  await create().take(
    [tool('a', 'old')],
    { ...spoken, instructions: 'x'.repeat(100_000) },
    'launch',
  )
  assert.equal((await create().instructions())?.length, 65_536)
  await create().take([tool('a', 'old')], spoken, 'launch')
  assert.equal(await create().instructions(), undefined)
})

test('a mark is for the list that was shown: if another came meanwhile, nothing is marked', async () => {
  const { events, create } = open()
  const tools = create()
  await tools.take([tool('a', 'old')], spoken, 'launch')
  const shown = tools.set
  await tools.take([tool('a', 'old'), tool('b', 'new')], spoken, 'launch')
  const read = new Map([['a', 'read' as const]])
  await assert.rejects(tools.mark(shown, read, 'p'), /the list changed since it was shown/)
  assert.equal(tools.find('a')?.mark, undefined)
  assert.ok(!events.some(({ kind }) => kind === 'servers.mark'))
  await tools.mark(tools.set, read, 'p')
  assert.equal(tools.find('a')?.mark?.semantics, 'read')
  assert.equal((await create().all())[0]?.mark?.semantics, 'read', 'it is on disk')
  const { details } = events.find(({ kind }) => kind === 'servers.mark') ?? {}
  assert.deepEqual([details?.['read'], details?.['tools']], [1, ['a']])
})

test('tools that changed are noticed, and no longer once they are accepted', async () => {
  const { noticed, create } = open()
  const tools = create()
  await tools.take([tool('a', 'old'), tool('b', 'old')], spoken, 'launch')
  assert.deepEqual(noticed.splice(0), ['no quarantine it: any'])
  await tools.take([tool('a', 'old'), tool('b', 'new')], spoken, 'launch')
  assert.deepEqual(noticed.splice(0), ['no quarantine it: a', 'quarantine it: b'])
  const [change] = await tools.changes()
  await tools.accept({ b: change?.hash ?? '' })
  assert.deepEqual(noticed.splice(0), ['no quarantine it: any'])
  await tools.quarantine()
  assert.deepEqual(noticed, ['no quarantine it: any'], 'what the owner did is no news')
})

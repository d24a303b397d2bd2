/** The state that prompts begin with: as it is now, although what is stored is read only after it changed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createMemoryRooms } from '../../src/house/memory-rooms.ts'
import type { Grant } from '../../src/kernel/grant.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createRedactor } from '../../src/vault/redactor.ts'
import { log } from './memory-house.ts'

const DAY_MS = 24 * 3_600_000

test('a flow, a schedule and a permission are in the next prompt, and gone from it when they are', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-state-'))
  t.after(() => rmSync(folder, { recursive: true }))
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-16T10:00:00Z') })
  await using store = await openStore({ sqlitePath: path.join(folder, 'state.db'), log })
  const tables = store.forOwner(OWNER.id)
  let reads = 0
  let runs = 0
  const saved = async () => {
    reads += 1
    const flows = await tables.flows.list()
    return flows.map(({ name }) => ({ name, description: '', savedAt: '', nodes: [] }))
  }
  const around = {
    servers: { states: async () => [] },
    setup: { view: () => undefined },
    flows: { saved, countOpen: async () => runs },
    schedules: { list: async () => (await tables.schedules.list()) as never },
    queue: { grants: () => store.grants.holding(OWNER.id, Date.now()) },
    telegram: { view: async () => ({ channel: 'telegram', state: 'off', people: [] }) as const },
    hasPage: false,
  }
  const audit = { appendDurable: () => assert.fail('nothing is kept') }
  const rooms = { audit, log, redactor: createRedactor(), tables }
  const { memory } = createMemoryRooms(rooms, () => around)
  const says = async (said: RegExp): Promise<void> => assert.match(await memory.state(), said)

  await says(/Saved flows: none\. Scheduled: none\.\n.*Standing permissions: 0\./)
  await says(/Pending: none/)
  assert.equal(reads, 1, 'read once')
  runs = 2
  await says(/Pending: 2 flows under way/)

  await tables.flows.put({ name: 'digest', ir: '{}', savedAt: 0 }, false)
  await says(/Saved flows: digest\. Scheduled: none/)
  const words = { cron: '0 8 * * *', timezone: 'UTC', sinks: [], template: '', inputs: {} }
  await tables.schedules.put({
    name: 'digest',
    ...words,
    createdAt: 0,
    overlap: 'skip',
    catchUp: 'once',
  })
  await says(/Scheduled: digest/)
  await store.grants.add(grantUntil(Date.now() + DAY_MS))
  await says(/Standing permissions: 1\./)

  t.mock.timers.tick(DAY_MS + 1)
  await says(/Standing permissions: 0\./) // nothing was written: it ran out
  await tables.schedules.remove('digest')
  await tables.flows.remove('digest')
  await says(/Saved flows: none\. Scheduled: none/)
})

function grantUntil(expiresAt: number): Grant {
  const what = { kind: 'tool', server: 'mail' as never, tool: 'send', hash: 'h', serverPin: 'p' }
  return { id: 'g1', owner: OWNER.id, ...what, createdAt: 0, expiresAt, usesLeft: 5 } as Grant
}

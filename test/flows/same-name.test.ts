/** Two kernels whose machines have the same name, and whose homes have the same path, as in containers: two homes. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { nameHome } from '../../src/flows/runs/name-home.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { addEffect, type EngineHouse, never, startOf, untilOver } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

const RUNS = 8
/** Longer than a kernel takes to look for runs, for all runs together. */
const SLOW_MS = 250

test('a kernel of the same name and path with another account serves no run of the first', async () => {
  await using server = await openPostgres()
  const databaseUrl = await server.createDatabase()
  const folder = newPlace()
  const open = async (account: string): Promise<EngineHouse> => {
    const home = nameHome('box:/home', randomUUID())
    const rooms = { home, settings: { runs_at_once: 1 } }
    const pay = {
      name: 'pay',
      effect: 'write',
      serverPin: `launched for ${account}`,
      async run() {
        addEffect(folder, account)
        return await pause(SLOW_MS, null)
      },
    } as const
    return await openWithTools({ folder, databaseUrl, rooms }, [pay])
  }
  await using first = await open('mine')
  await using _second = await open('theirs')
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`)
  for (const id of ids) {
    await first.flows.start(startOf(id, { nodes: [{ id: 'pay', type: 'box.pay' }] }), never)
  }
  for (const id of ids) assert.equal((await untilOver(first.flows, id)).state, 'completed')
  assert.deepEqual(new Set(first.effects()), new Set(['mine']))
  assert.equal(first.effects().length, RUNS)
})

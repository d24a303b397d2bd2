import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { newPlace } from './engine-tools.ts'
import { never, openEngineHouse, startOf, untilOver } from './engine-house.ts'

const IR = { nodes: [{ id: 'a', type: 'format', params: { template: 'hi' } }] }
const IDS = ['broken', 'newer', 'outcome', 'waits', 'steps', 'whole']

test('a run that cannot be read is shown as such, ends, and hides no other', async () => {
  const folder = newPlace()
  {
    await using house = await openEngineHouse({ folder, tools: [] })
    for (const id of IDS) {
      await house.flows.start(startOf(id, IR), never)
      await untilOver(house.flows, id)
    }
  }
  damage(path.join(folder, 'runs.db'))
  await using house = await openEngineHouse({ folder, tools: [] })
  assert.equal((await untilOver(house.flows, 'waits')).problem?.code, 'flows.unreadable-run')
  const runs = await house.flows.runs({ limit: 10 })
  const seen = runs.map(({ id, state, problem }) => [id, state, problem?.code])
  assert.deepEqual(
    new Set(seen.map(String)),
    new Set([
      'broken,completed,flows.unreadable-run',
      'newer,completed,flows.newer-run',
      'outcome,failed,flows.unreadable-run',
      'waits,failed,flows.unreadable-run',
      'steps,completed,',
      'whole,completed,',
    ]),
  )
  for (const id of IDS) assert.equal((await house.flows.show(id)).id, id)
  assert.deepEqual((await house.flows.show('whole')).outputs, { result: 'hi' })
})

function damage(file: string): void {
  using database = new DatabaseSync(file)
  const set = (column: string, id: string, value: string): void =>
    void database.prepare(`UPDATE run SET ${column} = ? WHERE id = ?`).run(value, id)
  set('input', 'broken', '{ broken')
  set('input', 'newer', '{"version": 9}')
  set('outcome', 'outcome', 'nonsense')
  set('state', 'outcome', 'failed')
  set('input', 'waits', '[]')
  database.exec(
    "UPDATE run SET state = 'running', outcome = NULL, ended_at = NULL, due_at = 0 WHERE id = 'waits'",
  )
  database.exec(
    "UPDATE step SET note = '7' WHERE run = (SELECT number FROM run WHERE id = 'steps')",
  )
}

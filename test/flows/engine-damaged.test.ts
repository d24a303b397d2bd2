/** A file of runs that cannot be opened keeps nobody from anything else, and is opened again once it is moved away. */
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { never, startOf, untilOver } from './engine-house.ts'
import { newPlace, openWithTools, READ } from './engine-tools.ts'

test('flows are checked beside a damaged file of runs; runs are refused with the reason until it is gone', async () => {
  const folder = newPlace()
  const file = path.join(folder, 'runs.db')
  writeFileSync(file, 'no database at all'.repeat(1000), { mode: 0o600 })
  await using house = await openWithTools({ folder })
  const ir = { nodes: [READ] }
  const { isSound } = await house.flows.check({ kind: 'ir', ir }, [], never)
  assert.equal(isSound, true)
  assert.equal(await house.flows.countOpen(), 0)
  await assert.rejects(house.flows.runs({ limit: 5 }), { code: 'flows.damaged' })
  await assert.rejects(house.flows.start(startOf('r', ir), never), { code: 'flows.damaged' })
  assert.match(house.said.join('\n'), /Cannot open the runs; everything else goes on/)
  renameSync(file, `${file}.broken`)
  await house.flows.start(startOf('r', ir), never)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
})

/** Following a run to its end: the follower's process stays alive until then, and reads as much for every step. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { StatementSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import { type EngineHouse, never, startOf } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

test('a process that follows a run does not end while the run waits', async () => {
  const child = path.join(import.meta.dirname, 'engine-follow.child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [child, newPlace()])
  assert.equal(stdout, 'completed')
})

/** Counts the rows of runs and steps that are read from the database: in total, and the most by one statement. */
function countReads(t: TestContext): { total: number; most: number } {
  const reads = { total: 0, most: 0 }
  const count = (statement: StatementSync, rows: number): void => {
    if (!/^\s*SELECT \*/.test(statement.sourceSQL)) return
    reads.total += rows
    reads.most = Math.max(reads.most, rows)
  }
  const real = Object.getOwnPropertyDescriptors(StatementSync.prototype)
  const ask = (name: 'get' | 'all', statement: StatementSync, args: unknown[]): unknown =>
    Reflect.apply(real[name].value as () => unknown, statement, args)
  t.mock.method(StatementSync.prototype, 'get', function (this: StatementSync, ...args: unknown[]) {
    count(this, 1)
    return ask('get', this, args)
  })
  t.mock.method(StatementSync.prototype, 'all', function (this: StatementSync, ...args: unknown[]) {
    const rows = ask('all', this, args) as unknown[]
    count(this, rows.length)
    return rows
  })
  return reads
}

async function follow(
  { flows }: EngineHouse,
  id: string,
): Promise<{ readonly runs: readonly FlowRun[]; readonly events: number }> {
  const runs: FlowRun[] = []
  let events = 0
  for (let after = 0; ; ) {
    const told = await flows.follow(id, after, never)
    after = told.events.at(-1)?.number ?? after
    events += told.events.length
    runs.push(told.run)
    if (told.run.state !== 'running') return { runs, events }
  }
}

test('following a run reads as little per step of a long run as of a short one', async (t) => {
  await using house = await openWithTools()
  const nodes = Array.from({ length: 400 }, (_, at) => {
    const isCall = at % 4 === 0
    return isCall
      ? { id: `n${at}`, type: 'box.note', params: { text: `${at}` } }
      : { id: `n${at}`, type: 'format', params: { template: `${at}` } }
  })
  const reads = countReads(t)
  await house.flows.start(startOf('r', { nodes }), never)
  const { runs, events } = await follow(house, 'r')
  assert.equal(runs.at(-1)?.state, 'completed')
  assert.ok(events >= nodes.length)
  assert.ok(runs.length > 10, 'the steps were not followed one by one')
  const done = runs.map(({ stepsDone }) => stepsDone)
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
  )
  assert.ok(reads.total > 0, 'nothing was counted')
  assert.ok(reads.total < nodes.length, `${reads.total} rows`)
  assert.ok(reads.most < 20, `${reads.most} rows at once`)
})

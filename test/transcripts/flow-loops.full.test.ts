/** A long loop in the real kernel, which answers meanwhile and starts again after a kill in the middle of the loop. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { type Cordon, finish, openCordon, type Ran, seen } from '../fixtures/cordon.ts'

/** Nine thousand steps that only compute, of some milliseconds each. */
function longLoop(): object {
  const rows = Array.from({ length: 1000 }, (_, at) => ({ id: (at * 7919) % 1000 }))
  const names = Array.from({ length: 90 }, (_, at) => `n${at}`)
  const nodes = names.map((id) => ({
    id,
    type: 'sort',
    params: { items: '${rows.result}', by: 'id' },
  }))
  const edges = names.map((from, at) => ({ from, to: names[(at + 1) % names.length] }))
  return {
    nodes: [{ id: 'rows', type: 'map', params: { items: rows, to: '${item}' } }, ...nodes],
    edges: [
      { from: 'rows', to: 'n0' },
      ...edges.map((one, at) => ({ ...one, ...(at === names.length - 1 && { max: 100 }) })),
    ],
  }
}

/** Starts the run, and resolves once it is in the loop. */
async function startLoop(cordon: Cordon): Promise<{ readonly ended: Promise<Ran> }> {
  const file = path.join(path.dirname(cordon.home), 'long.json')
  writeFileSync(file, JSON.stringify(longLoop()))
  assert.equal((await cordon.run(['flow', 'check', file])).code, 0)
  const child = cordon.start(['run', file])
  child.stdin?.end()
  const ended = finish(child)
  await seen(child.stderr, /n9 \(sort\)/)
  return { ended }
}

async function onlyRun(cordon: Cordon): Promise<Output<'flows.runs'>['runs'][number]> {
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  assert.equal(runs.length, 1)
  return runs[0] ?? assert.fail()
}

test('status and cancel are answered while a long loop runs', async () => {
  await using cordon = openCordon()
  const following = await startLoop(cordon)
  assert.ok((await cordon.ask<KernelStatus>(['status'])).pid > 0)
  const { id, state } = await onlyRun(cordon)
  assert.equal(state, 'running')
  const cancelled = await cordon.ask<Output<'flows.cancel'>>(['flow', 'cancel', id])
  assert.equal(cancelled.state, 'cancelled')
  const { code, stderr } = await following.ended
  assert.equal(code, 3)
  assert.match(stderr, /run [0-9a-f-]{36} is cancelled/)
})

/** A kernel that cannot listen does not resume the run, because no command could stop it. */
async function withoutListening(cordon: Cordon): Promise<void> {
  const { home } = cordon
  const claims = (): unknown => {
    using database = new DatabaseSync(path.join(home, 'runs.db'), { readOnly: true })
    return database.prepare('SELECT claims FROM run').get()?.['claims']
  }
  const socket = path.join(home, 'run', 'cordon.sock')
  rmSync(socket, { force: true })
  mkdirSync(path.join(socket, 'in-the-way'), { recursive: true })
  assert.equal(claims(), 1)
  const { code, stderr } = await cordon.run(['up'])
  assert.match(stderr, /Cannot listen on/)
  assert.deepEqual([code, claims()], [5, 1])
  rmSync(socket, { recursive: true })
}

test('a home whose kernel was killed in the middle of a long loop starts and answers', async () => {
  await using cordon = openCordon()
  const following = await startLoop(cordon)
  const { pid } = await cordon.ask<KernelStatus>(['status'])
  process.kill(pid, 'SIGKILL')
  assert.equal((await following.ended).code, 5)
  await withoutListening(cordon)
  const up = cordon.start(['up'])
  await seen(up.stdout, /\n/)
  const status = await cordon.ask<KernelStatus>(['status'])
  assert.notEqual(status.pid, pid)
  const { id, state } = await onlyRun(cordon)
  assert.equal(state, 'running')
  await cordon.ask(['flow', 'cancel', id])
  assert.equal((await onlyRun(cordon)).state, 'cancelled')
  up.kill('SIGTERM')
  assert.equal((await finish(up)).code, 0)
})

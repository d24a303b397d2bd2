/** The writes of a run that this process holds, and their order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunLost } from './flow-runtime.ts'
import { HeldRun } from './held-run.ts'
import type { ClaimedRun, NewStep, RunLog } from './run-log.ts'

const RUN: ClaimedRun = {
  claim: { run: 1, holder: 'w' },
  id: 'r',
  flow: 'f',
  isScheduled: false,
  input: 'null',
  needs: [],
  isNew: true,
  timesLost: 0,
}
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Holds a run of a fake log; `add` can delay or refuse the notes. */
function hold(
  add: (notes: readonly NewStep[]) => Promise<boolean> = async () => true,
  ended: () => Promise<boolean> = async () => true,
): {
  readonly run: HeldRun
  readonly writes: string[]
} {
  const writes: string[] = []
  const runLog: Partial<RunLog> = {
    isShared: false,
    async add(_claim, notes, begun) {
      const isOurs = notes.length === 0 || (await add(notes))
      const names = notes.map(({ name }) => name).join(' ')
      if (notes.length > 0) writes.push(`${isOurs ? 'noted' : 'refused'} ${names}`)
      if (begun && isOurs) writes.push(`begin ${begun.name}`)
      return isOurs
    },
    async end(_claim, step, state) {
      writes.push(`${state} ${step}`)
      return await ended()
    },
    async settle(_claim, { state }) {
      writes.push(state)
      return true
    },
    async sync() {
      writes.push('synced')
    },
  }
  const holding = { runLog: runLog as RunLog, run: RUN, log, onRoom: () => undefined }
  return { run: new HeldRun(holding), writes }
}

test('notes are written together, before the next step begins and before the run ends', async () => {
  const { run, writes } = hold()
  await run.note('a', null)
  await run.note('b', null)
  assert.deepEqual(writes, [])
  const begun = await run.begin('c', null)
  await run.note('d', null)
  await run.settle({ kind: 'completed', output: null })
  assert.deepEqual(writes, ['noted a b', 'begin c', 'synced', 'noted d', 'completed'])
  assert.equal(begun.number, 3)
  await run.release()
})

test('the disk is waited for before a step that may not be repeated, and for no other', async () => {
  const { run, writes } = hold()
  await run.begin('read', null, true)
  assert.deepEqual(writes, ['begin read'])
  await run.begin('write', null)
  await run.ask('sure?', null)
  assert.deepEqual(writes.slice(1), ['begin write', 'synced', 'begin sure?', 'synced'])
  await run.release()
})

test('notes do not pile up in memory', async () => {
  const { run, writes } = hold()
  for (let at = 0; at < 250; at += 1) await run.note(`n${at}`, null)
  assert.equal(writes.length, 2)
  await run.writeNotes()
  assert.deepEqual(
    writes.map((line) => line.split(' ').length - 1),
    [100, 100, 50],
  )
  await run.release()
})

test('what is noted while others are written is neither lost nor written twice', async () => {
  const first = Promise.withResolvers<boolean>()
  const isWriting = Promise.withResolvers<void>()
  const { run, writes } = hold(async () => {
    isWriting.resolve()
    return await first.promise
  })
  await run.note('a', null)
  const writing = run.writeNotes()
  await isWriting.promise
  await run.note('b', null)
  const beginning = run.begin('c', null)
  first.resolve(true)
  await Promise.all([writing, beginning])
  assert.deepEqual(writes, ['noted a', 'noted b', 'begin c', 'synced'])
  await run.release()
})

test('a database error keeps the notes for the next try, and a lost run ends them', async () => {
  let times = 0
  const { run, writes } = hold(async () => {
    times += 1
    if (times === 1) throw new Error('disk I/O error')
    return times < 3
  })
  await run.note('a', null)
  await assert.rejects(run.begin('b', null), /disk/)
  await run.begin('b', null)
  assert.deepEqual(writes, ['noted a', 'begin b', 'synced'])
  await run.note('c', null)
  await assert.rejects(run.begin('d', null), RunLost)
  assert.ok(run.signal.aborted)
  assert.deepEqual(writes, ['noted a', 'begin b', 'synced', 'refused c'])
  await run.release()
})

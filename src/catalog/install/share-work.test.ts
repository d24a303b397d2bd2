import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../kernel/test-never.ts'
import { createSharedWork } from './share-work.ts'

const ignore = (): void => undefined

test('callers of the same work share it, and hear its steps', async () => {
  const shared = createSharedWork<string>()
  const finished = Promise.withResolvers<string>()
  let runs = 0
  const work = (tell: (step: string) => void): Promise<string> => {
    runs += 1
    tell('one')
    return finished.promise
  }
  const heard: string[] = []
  const first = shared.do('a', work, (step) => heard.push(step), never)
  await Promise.resolve()
  const second = shared.do('a', work, (step) => heard.push(step), never)
  finished.resolve('done')
  assert.deepEqual(await Promise.all([first, second]), ['done', 'done'])
  assert.equal(runs, 1)
  assert.deepEqual(heard, ['one', 'one'])
  await shared.do('a', work, ignore, never)
  assert.equal(runs, 2)
})

test('one who leaves does not end the work of another; the last one does', async () => {
  const shared = createSharedWork<string>()
  let given: AbortSignal | undefined
  const work = (_tell: unknown, signal: AbortSignal): Promise<string> => {
    given = signal
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }
  const [a, b] = [new AbortController(), new AbortController()]
  const first = assert.rejects(shared.do('k', work, ignore, a.signal), /a left/)
  const second = assert.rejects(shared.do('k', work, ignore, b.signal), /b left/)
  await Promise.resolve()
  a.abort(new Error('a left'))
  await first
  assert.equal(given?.aborted, false)
  b.abort(new Error('b left'))
  await second
  assert.equal(given.aborted, true)
})

test('work that is being given up is not joined: the next caller waits for its end and starts anew', async () => {
  const shared = createSharedWork<number>()
  const cleaned = Promise.withResolvers<void>()
  let runs = 0
  const work = async (_tell: unknown, signal: AbortSignal): Promise<number> => {
    runs += 1
    if (runs > 1) return runs
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
    })
    await cleaned.promise
    throw signal.reason as Error
  }
  const control = new AbortController()
  const first = assert.rejects(shared.do('k', work, ignore, control.signal), /left/)
  await Promise.resolve()
  control.abort(new Error('left'))
  const second = shared.do('k', work, ignore, never)
  await Promise.resolve()
  assert.equal(runs, 1)
  cleaned.resolve()
  await first
  assert.equal(await second, 2)
})

test('a caller who leaves while older work is being given up starts nothing', async () => {
  const shared = createSharedWork<number>()
  const cleaned = Promise.withResolvers<void>()
  let runs = 0
  const work = async (_tell: unknown, signal: AbortSignal): Promise<number> => {
    runs += 1
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
    })
    await cleaned.promise
    throw signal.reason as Error
  }
  const [a, b] = [new AbortController(), new AbortController()]
  const first = assert.rejects(shared.do('k', work, ignore, a.signal), /a left/)
  await Promise.resolve()
  a.abort(new Error('a left'))
  const second = assert.rejects(shared.do('k', work, ignore, b.signal), /b left/)
  b.abort(new Error('b left'))
  cleaned.resolve()
  await first
  await second
  assert.equal(runs, 1)
})

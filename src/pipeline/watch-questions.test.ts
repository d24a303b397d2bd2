import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../kernel/approval-port.ts'
import { never } from '../kernel/test-never.ts'
import { watchQuestions } from './watch-questions.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Questions by call; a call without one waits until it is given up. */
function open(questions: Readonly<Record<string, string>>) {
  const told: string[] = []
  const left: string[] = []
  const queue = {
    async follow(callId: string, signal: AbortSignal) {
      const id = questions[callId]
      if (id !== undefined) return { id } as ShownApproval
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      left.push(callId)
      return undefined
    },
    show: async (id: string) => ({ id }) as ShownApproval,
    answer: () => assert.fail('nobody answers'),
  }
  const watch = watchQuestions({ queue, log }, ({ id }) => told.push(id), never)
  return { watch, told, left }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('one question about several calls is told once, and the next one too', async () => {
  const { watch, told } = open({ a: 'q1', b: 'q1', c: 'q2' })
  for (const call of ['a', 'b', 'c']) watch.see(call)
  await settled()
  assert.deepEqual(told, ['q1', 'q2'])
})

test('a call whose answer was given before holds nothing up, and is given up with the run', async () => {
  const { watch, told, left } = open({ c: 'q2' })
  watch.see('a')
  watch.see('c')
  await settled()
  assert.deepEqual([told, left], [['q2'], []])
  watch[Symbol.dispose]()
  await settled()
  assert.deepEqual(left, ['a'])
})

test('nothing is told once the run is over', async () => {
  const { watch, told } = open({ a: 'q1' })
  watch.see('a')
  watch[Symbol.dispose]()
  await settled()
  assert.deepEqual(told, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Condition } from './condition.ts'

test('everybody who waits goes on at the next notice, and nobody at an earlier one', async () => {
  const condition = new Condition()
  condition.notifyAll()
  const woken: string[] = []
  const waiting = ['a', 'b'].map((name) => condition.wait().then(() => woken.push(name)))
  await Promise.resolve()
  assert.deepEqual(woken, [])
  condition.notifyAll()
  await Promise.all(waiting)
  assert.deepEqual(woken, ['a', 'b'])
})

test('a wait ends with its signal, before or meanwhile', async () => {
  const condition = new Condition()
  await assert.rejects(condition.wait(AbortSignal.abort(new Error('too late'))), /too late/)
  const controller = new AbortController()
  const waiting = condition.wait(controller.signal)
  controller.abort(new Error('given up'))
  await assert.rejects(waiting, /given up/)
})

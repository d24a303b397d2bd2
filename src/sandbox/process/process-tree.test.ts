/** The end of a sandbox whose first process lives on, whatever bubblewrap reports. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { namespaceTree } from './process-tree.ts'

test('SANDBOX-5: gone() ends a first process that outlives bubblewrap', async () => {
  const bubblewrap = spawn('true')
  await once(bubblewrap, 'exit')
  const first = spawn('sleep', ['60'], { detached: true })
  const forgotten: number[] = []
  const tree = namespaceTree(bubblewrap, first.pid ?? assert.fail(), {
    forget: (pid) => forgotten.push(pid),
  })
  const ended = once(first, 'exit')
  await tree.gone()
  assert.deepEqual((await ended)[1], 'SIGKILL')
  assert.deepEqual(forgotten, [first.pid])
})

/** A real kernel that is killed again and again over the same step of a run. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../fixtures/until.ts'
import { type Kernel, openKernels } from './two-kernels.ts'

const DEATHS = 5

async function killAndWait({ process }: Kernel): Promise<void> {
  const ended = new Promise((resolve) => process.once('exit', resolve))
  process.kill('SIGKILL')
  await ended
}

test('a run over which five kernels died waits for its owner, who is told, and the next kernel works', async () => {
  await using kernels = openKernels()
  const wishes = { name: 'home', readMs: 1500 }
  const id = randomUUID()
  const readOf = (run: string) => ({
    kind: 'ir' as const,
    ir: { nodes: [{ id: 'look', type: 'ledger.write', params: { run, step: 1 } }] },
  })
  for (let death = 1; death <= DEATHS; death += 1) {
    const kernel = await kernels.start(wishes)
    const started = { id, source: readOf(id), approval: 'given' } as const
    if (death === 1) await kernel.api.call('flows.start', started)
    await until(() => kernels.lines().length === death)
    await killAndWait(kernel)
  }
  const { api } = await kernels.start(wishes)
  const shown = () => api.call('flows.show', { id })
  await until(async () => (await shown()).state === 'asking')
  const { question } = await shown()
  assert.equal(question?.kind, 'stuck')
  assert.match(
    question.text,
    /^Cordon ended 5 times in a row while it worked on this run, the last time at "look"/,
  )
  const told = async () => {
    const { notices } = await api.call('notices.list', {})
    return notices.filter(({ kind }) => kind === 'stuck')
  }
  await until(async () => (await told()).length === 1)
  const [notice] = await told()
  assert.match(notice?.hint ?? '', new RegExp(`cordon flow resume ${id} --retry`))
  const other = randomUUID()
  await api.call('flows.start', { id: other, source: readOf(other), approval: 'given' })
  await until(async () => (await api.call('flows.show', { id: other })).state === 'completed')
  assert.equal(kernels.lines().filter((line) => line.startsWith(id)).length, DEATHS)
  await api.call('flows.answer', { id, question: question.id, choice: 'retry' })
  await until(async () => (await shown()).state === 'completed')
  assert.equal(kernels.lines().filter((line) => line.startsWith(id)).length, DEATHS + 1)
  assert.deepEqual(await told(), [])
})

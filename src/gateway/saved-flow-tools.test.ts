import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { createScope } from './create-scope.ts'
import { createSavedFlowTools, type SavedFlowDeps } from './saved-flow-tools.ts'

const SOUND = {
  isSound: true,
  steps: [],
  needs: [],
  safety: { effect: 'remote-read' },
} as unknown as Awaited<ReturnType<SavedFlowDeps['flows']['check']>>

test('a saved flow that cannot be read is left out, the others are offered, and the log says so once', async () => {
  const warned: string[] = []
  const saved = ['damaged', 'whole'].map((name) => ({
    name,
    description: '',
    savedAt: '',
    nodes: [],
  }))
  const deps = {
    flows: {
      saved: async () => saved,
      async check({ name }: { readonly name: string }) {
        if (name === 'whole') return SOUND
        throw new CordonError('flows.damaged', { exit: 1, hint: '' }, 'Cannot read the flow')
      },
    },
    views: { offered: async () => [] },
    log: { warn: (message: string) => void warned.push(message) },
  } as unknown as SavedFlowDeps
  const tools = createSavedFlowTools(deps)
  for (let round = 0; round < 2; round += 1) {
    const listed = await tools.list({ scope: createScope(undefined) })
    assert.deepEqual(
      listed.map(({ definition }) => definition.name),
      ['flow-whole'],
    )
  }
  assert.equal(warned.length, 1)
})

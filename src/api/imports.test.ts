import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { never } from '../kernel/test-never.ts'
import { type ImportDeps, importRoutes } from './imports.ts'

test('a move whose start line does not connect is taken back before the reason is told', async () => {
  const steps: string[] = []
  const problem = new CordonError(
    'clients.not-connected',
    { exit: 1, hint: '' },
    'Cannot list tools',
  )
  const imports = {
    async check() {
      steps.push('check')
      throw problem
    },
    undo: async (at: object, options: object) =>
      void steps.push(`undo ${JSON.stringify([at, options])}`),
  } as unknown as ImportDeps['imports']
  const servers = { refresh: async () => void steps.push('refresh') }
  const { 'imports.finish': finish } = importRoutes({ imports, servers })
  await assert.rejects(finish.handle({ client: 'cursor' }, never), problem)
  assert.deepEqual(steps, ['check', 'undo [{"client":"cursor"},{"merge":false}]', 'refresh'])
})

test('where the file has changed meanwhile, the owner is told why the start line failed all the same', async () => {
  const problem = new CordonError('clients.not-connected', { exit: 1, hint: '' }, 'Cannot list')
  const changed = new CordonError('clients.changed-since', { exit: 2, hint: '' }, 'Cannot restore')
  const imports = {
    check: () => Promise.reject(problem),
    undo: () => Promise.reject(changed),
  } as unknown as ImportDeps['imports']
  const servers = { refresh: async () => undefined }
  const { 'imports.finish': finish } = importRoutes({ imports, servers })
  await assert.rejects(finish.handle({ client: 'cursor' }, never), problem)
})

test('only a terminal names the folder of a project', () => {
  const routes = importRoutes({} as ImportDeps)
  for (const [name, route] of Object.entries(routes)) {
    assert.equal(route.isForTerminal?.({ client: 'cursor', folder: '/etc' } as never), true, name)
    assert.equal(route.isForTerminal?.({ client: 'cursor' } as never), false, name)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../kernel/test-never.ts'
import { type PackageDeps, packageRoutes } from './packages.ts'

const HOME = '/home/ann/.cordon/packages'
const definition = (id: string, ...args: readonly string[]) => ({
  definition: { id, command: 'node', args, sandbox: { readPaths: [] } },
})

function open(changes: object = {}) {
  const names = ['broken@1.0.0', 'fresh@1.0.0', 'notion@1.0.0', 'notion@2.0.0', 'slack@1.0.0']
  const removed: string[] = []
  const deps = {
    packages: {
      list: async () => names.map((name) => ({ name, package: `x-${name}`, bytes: 100 })),
      remove: async (name: string) => removed.push(name) > 0,
    },
    definitions: {
      load: async () => ({
        servers: [definition('notion', `${HOME}/notion@2.0.0/node_modules/x/run.js`)],
        problems: [{ path: '/home/ann/.cordon/mcp/broken.toml', message: 'no' }],
      }),
    },
    setup: { view: () => ({ service: 'fresh', phase: 'installing' }) },
    upgrades: { kept: async () => new Map([['slack@1.0.0', 'slack']]) },
    ...changes,
  }
  return { routes: packageRoutes(deps as unknown as PackageDeps), removed }
}

test('packages.list tells which definition starts a package, and why an unused one stays', async () => {
  const { packages } = await open().routes['packages.list'].handle({}, never)
  const seen = packages.map(({ name, usedBy, kept }) => [name, usedBy.join(), kept])
  assert.deepEqual(seen, [
    ['broken@1.0.0', '', '/home/ann/.cordon/mcp/broken.toml cannot be read'],
    ['fresh@1.0.0', '', 'being connected'],
    ['notion@1.0.0', '', undefined],
    ['notion@2.0.0', 'notion', undefined],
    ['slack@1.0.0', '', 'for `cordon mcp upgrade slack --undo`'],
  ])
})

test('packages.prune removes what is named and in no use, and nothing else', async () => {
  const { routes, removed } = open()
  const names = [
    'broken@1.0.0',
    'fresh@1.0.0',
    'notion@1.0.0',
    'notion@2.0.0',
    'slack@1.0.0',
    '../mcp',
  ]
  const done = await routes['packages.prune'].handle({ names }, never)
  assert.deepEqual(done, { removed: ['notion@1.0.0'], bytes: 100 })
  assert.deepEqual(removed, ['notion@1.0.0'])
  const ended = open({ setup: { view: () => ({ service: 'fresh', phase: 'failed' }) } })
  await ended.routes['packages.prune'].handle({ names: ['fresh@1.0.0'] }, never)
  assert.deepEqual(ended.removed, ['fresh@1.0.0'])
})

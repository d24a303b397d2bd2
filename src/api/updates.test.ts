import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { never } from '../kernel/test-never.ts'
import { type UpdateDeps, updateRoutes } from './updates.ts'

type News = Awaited<ReturnType<UpdateDeps['packages']['news']>>

/** Three servers with a package, one of them of the catalog, and one without. */
const defined = [
  { id: 'acme', package: { kind: 'npm', identifier: 'acme', version: '1.0.0' } },
  { id: 'old', package: { kind: 'npm', identifier: 'old', version: '1.0.0' } },
  {
    id: 'files',
    package: { kind: 'npm', identifier: 'files', version: '1.0.0' },
    source: { kind: 'catalog', name: 'files' },
  },
  { id: 'script' },
]

function open(news: Readonly<Record<string, News | CordonError>>) {
  const raised: unknown[] = []
  const resolved: unknown[] = []
  const deps = {
    definitions: { load: async () => ({ servers: defined.map((definition) => ({ definition })) }) },
    packages: {
      async news({ name }: { readonly name: string }) {
        const found = news[name]
        if (found instanceof CordonError) throw found
        return found ?? {}
      },
    },
    notices: {
      list: async () => [{ kind: 'update', server: 'acme', items: ['acme@1.5.0', 'acme@2.0.0'] }],
      raise: (...one: unknown[]) => raised.push(one),
      resolve: (...one: unknown[]) => resolved.push(one),
    },
  }
  const { 'mcp.updates': route } = updateRoutes(deps as unknown as UpdateDeps)
  return {
    raised,
    resolved,
    ask: async (server?: string) =>
      (await route.handle(server === undefined ? {} : { server }, never)).servers,
  }
}

test('newer and withdrawn versions are told, kept as notices, and taken back when gone', async () => {
  const silent = new CordonError('catalog.no-answer', { exit: 5, hint: 'x', why: 'silent' }, 'No')
  const { ask, raised, resolved } = open({
    acme: { newer: '2.0.0' },
    old: { withdrawn: 'compromised' },
    files: { newer: '1.1.0' },
  })
  assert.deepEqual(await ask(), [
    { server: 'acme', package: 'acme', version: '1.0.0', isCordons: false, newer: '2.0.0' },
    { server: 'old', package: 'old', version: '1.0.0', isCordons: false, withdrawn: 'compromised' },
    { server: 'files', package: 'files', version: '1.0.0', isCordons: true, newer: '1.1.0' },
  ])
  assert.deepEqual(raised, [
    ['update', 'acme', ['acme@2.0.0'], ''],
    ['withdrawn', 'old', ['old@1.0.0'], 'compromised'],
    ['update', 'files', ['files@1.1.0'], 'a later Cordon brings it'],
  ])
  assert.deepEqual(resolved[0], ['update', 'acme', ['acme@1.5.0']])
  const again = open({ acme: {}, old: silent })
  const [acme, old] = await again.ask()
  assert.deepEqual(again.resolved[0], ['update', 'acme', ['acme@1.5.0', 'acme@2.0.0']])
  assert.deepEqual([acme?.newer, old?.problem, again.raised], [undefined, 'silent', []])
})

test('mcp.updates asks about the one server that is named, and about none that is not there', async () => {
  const { ask } = open({ acme: { newer: '2.0.0' }, old: { newer: '3.0.0' } })
  assert.deepEqual(
    (await ask('old')).map(({ server, newer }) => [server, newer]),
    [['old', '3.0.0']],
  )
  await assert.rejects(ask('nobody'), { code: 'kernel.no-server' })
})

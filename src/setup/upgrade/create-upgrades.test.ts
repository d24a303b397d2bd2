import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { never } from '../../kernel/test-never.ts'
import { createUpgrades, type UpgradeDeps } from './create-upgrades.ts'

const ROOT = '/home/packages'
const entryOf = (version: string): string => `${ROOT}/notes@${version}/index.js`
const broken = (): CordonError => new CordonError('test.broken', { exit: 5, hint: '' }, 'It broke')

/** A server at version 1, whose packages are installed at once, with the faults that a test asks for. */
function open() {
  const notes = new Map<string, string>()
  const faults = { edit: false, start: false }
  const installed: boolean[] = []
  const packageAt = (version: string) => ({ kind: 'npm', identifier: 'notes', version })
  let definition = { args: [entryOf('1')], package: packageAt('1') }
  const launch = (version: string) => ({ kind: 'npm', package: 'notes', version, args: [] })
  const rest = { id: 'notes', sandbox: {}, enabled: true }
  const deps = {
    catalog: { find: () => undefined },
    definitions: {
      load: async () => ({ servers: [{ definition: { ...rest, ...definition }, scope: 'user' }] }),
      edit: async (_id: string, changes: typeof definition) => {
        if (faults.edit) throw broken()
        definition = { ...definition, ...changes }
      },
    },
    servers: {
      tools: async () => [],
      refresh: async () => undefined,
      start: async () => {
        if (faults.start && definition.package.version !== '2') throw broken()
      },
      states: async () => [{ server: 'notes', badge: 'connected' }],
      toolChanges: async () => [],
      acceptTools: async () => undefined,
      peek: async () => ({ changes: [], tried: [] }),
    },
    notes: {
      put: async (_kind: string, id: string, content: string) => void notes.set(id, content),
      list: async () => [...notes].map(([id, content]) => ({ id, content })),
      remove: async (_kind: string, id: string) => void notes.delete(id),
    },
    lines: { find: async () => undefined },
    packages: {
      install: async (
        _slug: string,
        { version, allowScripts = false }: ReturnType<typeof launch> & { allowScripts?: boolean },
      ) => {
        installed.push(allowScripts)
        const facts = { package: 'notes', integrity: '', refusedScripts: ['notes'] }
        return { ...facts, version, entry: entryOf(version), manifest: `sha-${version}` }
      },
      launchAt: async (entry: string) => {
        const version = /@(.+)\//.exec(entry)?.[1] ?? ''
        return {
          slug: 'notes',
          folder: `${ROOT}/notes@${version}`,
          launch: { ...launch(version), ...scripts },
        }
      },
      compare: async () => ({}),
      news: async () => ({ newer: '9' }),
    },
  }
  const scripts: { allowScripts?: true } = {}
  const upgrades = createUpgrades(deps as unknown as UpgradeDeps)
  const seen = (version: string) => ({ version, manifest: `sha-${version}`, tools: {} })
  return {
    upgrades,
    faults,
    installed,
    scripts,
    seen,
    take: (version: string) => upgrades.take('notes', seen(version), never),
    undo: () => upgrades.undo('notes', never),
    version: () => definition.package.version,
  }
}

test('an upgrade leads back one step, and only one', async () => {
  const { take, undo, version, upgrades } = open()
  await take('2')
  await take('3')
  assert.deepEqual([...(await upgrades.kept()).keys()], ['notes@2'])
  await undo()
  assert.equal(version(), '2')
  await assert.rejects(undo(), { code: 'setup.no-undo' })
})

test('a version that does not start leaves the way back from the one before', async () => {
  const { take, undo, version, faults, upgrades } = open()
  await take('2')
  faults.start = true
  await assert.rejects(take('3'), { code: 'setup.upgrade-failed' })
  assert.equal(version(), '2')
  assert.equal(await upgrades.before('notes'), '1')
  await undo()
  assert.equal(version(), '1')
})

test('a switch that did not happen, as after kill -9, leaves the way back and its folder', async () => {
  const { take, undo, version, faults, upgrades } = open()
  await take('2')
  faults.edit = true
  await assert.rejects(take('3'), { code: 'test.broken' })
  faults.edit = false
  assert.equal(await upgrades.before('notes'), '1')
  assert.ok((await upgrades.kept()).has('notes@1'))
  await undo()
  assert.equal(version(), '1')
})

test('a look installs without scripts, and only a word of the owner takes a version that has some', async () => {
  const { upgrades, scripts, installed, seen, version } = open()
  scripts.allowScripts = true
  const plan = await upgrades.plan('notes', never)
  assert.deepEqual(plan?.willRun, ['notes'])
  await assert.rejects(upgrades.take('notes', seen('9'), never), { code: 'setup.upgrade-scripts' })
  assert.ok(!installed.includes(true))
  assert.equal(version(), '1')
  await upgrades.take('notes', { ...seen('9'), allowScripts: true }, never)
  assert.equal(installed.at(-1), true)
  assert.equal(version(), '9')
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { LaunchSpec, Sandbox } from '../../kernel/sandbox-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { checkAtLaunch } from './check-at-launch.ts'

const settings = {
  mode: 'bwrap',
  memoryLimitBytes: 1,
  readOnlyFs: true,
  allowTmp: false,
  readPaths: [],
  writePaths: [],
} as const
const spec = (command: string, args: readonly string[], more: object = {}): LaunchSpec => {
  const base = { server: parseServerId('it'), environment: {}, networked: false }
  return { ...base, command, args, settings: { ...settings, ...more } }
}

test('nothing of a package starts before the package was checked', async () => {
  const log: string[] = []
  const inner: Sandbox = {
    async launch({ goAhead }) {
      await goAhead?.()
      return log.push('launch') as never
    },
    checks: async () => [],
  }
  const check = async (folder: string): Promise<void> => {
    await turn()
    log.push(folder)
  }
  const sandbox = checkAtLaunch(inner, { check }, '/home/packages')
  const never = new AbortController().signal
  await sandbox.launch(spec('node', ['/home/packages/a@1.0.0/node_modules/a/run.js']), never)
  await sandbox.launch(spec('/home/packages/b@1/x', ['/home/packages/../packages/c@1/y']), never)
  await sandbox.launch(spec('node', [], { readPaths: ['/home/packages/d@1'] }), never)
  await sandbox.launch(spec('node', ['/home/packages', '/home/packages2/x', 'a']), never)
  await sandbox.launch(spec('node', ['/home//packages/e@1/x', '/home/./packages//f@1/y']), never)
  const expected = 'a@1.0.0 launch b@1 c@1 launch d@1 launch launch e@1 f@1 launch'
  assert.equal(log.join(' ').replaceAll('/home/packages/', ''), expected)
})

test('INSTALL-4: a package that was changed does not start', async () => {
  const inner: Sandbox = {
    async launch({ goAhead }) {
      await goAhead?.()
      return assert.fail('it started')
    },
    checks: async () => [],
  }
  const check = () => Promise.reject(new Error('changed'))
  const sandbox = checkAtLaunch(inner, { check }, '/p')
  const launching = sandbox.launch(spec('node', ['/p/a/run.js']), new AbortController().signal)
  await assert.rejects(launching, /changed/)
})

test('a package that was changed is told as the reason, also where the launch fails for another', async () => {
  const inner: Sandbox = {
    launch: () => Promise.reject(new Error('no such command')),
    checks: async () => [],
  }
  const check = () => turn().then(() => Promise.reject(new Error('changed')))
  const sandbox = checkAtLaunch(inner, { check }, '/p')
  const launching = sandbox.launch(spec('node', ['/p/a/run.js']), new AbortController().signal)
  await assert.rejects(launching, /changed/)
})

test('a package is checked whichever way leads into it', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'cordon-launch-'))
  try {
    const root = path.join(home, 'packages')
    mkdirSync(path.join(root, 'a@1'), { recursive: true })
    writeFileSync(path.join(root, 'a@1/run.js'), '')
    symlinkSync(root, path.join(home, 'link'))
    symlinkSync(path.join(root, 'a@1/run.js'), path.join(home, 'run.js'))
    const checked: string[] = []
    const inner: Sandbox = {
      async launch({ goAhead }) {
        await goAhead?.()
        return undefined as never
      },
      checks: async () => [],
    }
    const check = async (folder: string): Promise<void> => void checked.push(folder)
    const sandbox = checkAtLaunch(inner, { check }, root)
    const never = new AbortController().signal
    for (const way of ['link/a@1/run.js', 'run.js']) {
      await sandbox.launch(spec('node', [path.join(home, way)]), never)
    }
    await checkAtLaunch(inner, { check }, path.join(home, 'link')).launch(
      spec('node', [path.join(root, 'a@1/run.js')]),
      never,
    )
    assert.deepEqual(
      checked.map((folder) => path.basename(folder)),
      ['a@1', 'a@1', 'a@1'],
    )
  } finally {
    rmSync(home, { recursive: true })
  }
})

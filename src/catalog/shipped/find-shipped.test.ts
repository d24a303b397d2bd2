import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { LaunchSpec, Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import { never } from '../../kernel/test-never.ts'
import { KNOWN_SERVICES } from '../known-services.ts'
import { findShipped } from './find-shipped.ts'
import { runShipped } from './run-shipped.ts'

const SHIPPED = KNOWN_SERVICES.flatMap(({ slug, launch }) =>
  launch.kind === 'npm' && launch.isShipped ? [{ slug, launch }] : [],
)

const lock = JSON.parse(
  readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'),
) as {
  packages: Record<
    string,
    { version: string; integrity: string; dev?: true; dependencies?: object }
  >
}

test('the servers that come with Cordon are these five, and each has a program', async () => {
  assert.deepEqual(SHIPPED.map(({ slug }) => slug).sort(), [
    'everything',
    'filesystem',
    'memory',
    'sequential-thinking',
    'sqlite',
  ])
  for (const { launch } of SHIPPED) {
    const found = await findShipped(`cordon:${launch.package}`)
    assert.ok(found && existsSync(found.entry), launch.package)
    assert.equal(found.version, launch.version)
    for (const folder of found.readPaths) assert.match(folder, /\/node_modules$/)
  }
})

test('the catalog and the lockfile name the same versions and bytes, for running and not only for tests', () => {
  for (const { launch } of SHIPPED) {
    const locked = lock.packages[`node_modules/${launch.package}`]
    if (launch.package === 'cordon-sqlite') assert.equal(locked, undefined)
    else {
      assert.deepEqual([locked?.version, locked?.integrity], [launch.version, launch.integrity])
      assert.equal(locked?.dev, undefined)
    }
  }
  assert.equal(lock.packages['node_modules/@modelcontextprotocol/server']?.dev, undefined)
})

async function launched(args: readonly string[], command = 'node'): Promise<LaunchSpec> {
  const specs: LaunchSpec[] = []
  const sandbox: Sandbox = {
    async launch(spec) {
      specs.push(spec)
      return {} as SandboxedProcess
    },
    checks: async () => [],
  }
  const settings = { readPaths: ['/srv/x'], writePaths: [] }
  await runShipped(sandbox).launch({ command, args, settings } as unknown as LaunchSpec, never)
  const [spec] = specs
  assert.ok(spec)
  return spec
}

test('runShipped() puts the path of the program in place of its word, and passes all others', async () => {
  const files = await launched(['cordon:@modelcontextprotocol/server-filesystem', '/srv/x'])
  assert.match(
    files.args[0] ?? '',
    /node_modules\/@modelcontextprotocol\/server-filesystem\/dist\/index\.js$/,
  )
  assert.deepEqual([files.args[1], files.settings.readPaths], ['/srv/x', ['/srv/x']])
  const sqlite = await launched(['cordon:cordon-sqlite', '/srv/x/a.db'])
  assert.match(sqlite.args[0] ?? '', /sqlite\/server\.mjs$/)
  assert.equal(sqlite.settings.readPaths.length, 2)
  assert.deepEqual((await launched(['/x/y.js'])).args, ['/x/y.js'])
  assert.deepEqual((await launched(['cordon:cordon-sqlite'], 'sh')).args, ['cordon:cordon-sqlite'])
})

test('runShipped() runs no other package of Cordon', async () => {
  for (const word of ['cordon:npm', 'cordon:../x', 'cordon:', 'cordon:zod']) {
    await assert.rejects(launched([word]), { code: 'catalog.not-shipped' }, word)
  }
})

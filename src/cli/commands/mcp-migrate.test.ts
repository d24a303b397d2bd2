import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const answers: Answers = {
  'mcp.migrate': async ({ dryRun }) => ({
    id: 'i1',
    format: 'mcp.json',
    dryRun,
    servers: [
      {
        server: 'it',
        path: '/it.toml',
        action: 'created',
        runs: 'sh -c "id\u001b[2J"',
        movedSecrets: [],
        notes: [],
      },
      { server: 'old', path: '/old.toml', action: 'kept', movedSecrets: [], notes: [] },
    ],
    problems: [],
    notes: [],
  }),
  'mcp.start': async ({ server }) => ({
    server: parseServerId(server),
    badge: 'connected',
    tools: 3,
    quarantined: 0,
    restarts: 0,
  }),
}
const migrate = ['mcp', 'migrate', '--from', '/mcp.json']
const routes = (calls: readonly (readonly [string, unknown])[]) =>
  calls
    .filter(([route]) => route === 'mcp.migrate')
    .map(([, input]) => (input as { readonly dryRun: boolean }).dryRun)
const started = (calls: readonly (readonly [string, unknown])[]) =>
  calls.filter(([route]) => route === 'mcp.start').map(([, input]) => input)

test('C3: at a terminal an import is asked about, with what would run above the question', async () => {
  const no = await runFake(migrate, answers, { isTTY: true, typed: 'n' })
  assert.equal(no.code, 3)
  assert.ok(no.stderr.indexOf('it runs: sh -c "id\\u001b[2J"') < no.stderr.indexOf('Import this'))
  assert.deepEqual(routes(no.calls), [true])
  const yes = await runFake(migrate, answers, { isTTY: true, typed: 'y' })
  assert.deepEqual([yes.code, routes(yes.calls)], [0, [true, false]])
  const said = await runFake([...migrate, '--yes'], answers, { isTTY: true })
  assert.deepEqual([said.code, routes(said.calls)], [0, [true, false]])
})

test('where nobody can be asked it is shown, and imported; a dry run is only shown', async () => {
  const piped = await runFake(migrate, answers)
  assert.deepEqual([piped.code, routes(piped.calls)], [0, [true, false]])
  assert.match(piped.stderr, /^it runs: sh -c/m)
  assert.doesNotMatch(piped.stderr, /old runs/)
  assert.deepEqual(started(piped.calls), [{ server: 'it' }])
  assert.match(piped.stdout, /^ {2}it: created .*1 of 1 imported servers runs\.$/ms)
  const dry = await runFake([...migrate, '--dry-run'], answers)
  assert.deepEqual(routes(dry.calls), [true])
  assert.match(dry.stdout, /it: would be created .*would run: sh -c.*old: would stay as it is/s)
  assert.deepEqual(started(dry.calls), [])
})

test('a server that lacks something is imported and not started; one that fails says why', async () => {
  const run = (missing?: string) =>
    runFake(migrate, {
      ...answers,
      'mcp.migrate': async ({ dryRun }) => ({
        id: 'i1',
        format: 'mcp.json',
        dryRun,
        servers: [
          {
            server: 'it',
            path: '/it.toml',
            action: 'created',
            runs: 'npx it',
            installs: 'it@1.0.0',
            ...(missing !== undefined && { missing }),
            movedSecrets: [],
            notes: [],
          },
        ],
        problems: [],
        notes: [],
      }),
      'mcp.start': async () => {
        throw new CordonError('servers.start', { exit: 5, hint: 'Look at it' }, 'Cannot start "it"')
      },
    })
  const kept = await run('It waits.')
  assert.deepEqual(started(kept.calls), [])
  assert.match(kept.stdout, /missing: It waits\./)
  const failed = await run()
  assert.match(failed.stderr, /it: installing it@1\.0\.0.*it: Cannot start "it"\. Look at it/s)
  assert.equal(failed.code, 0)
})

test('where nothing could be moved in, the exit code says so too', async () => {
  const problems = [{ path: '/a.toml', message: 'not valid TOML' }]
  for (const words of [migrate, ['registry', 'migrate-mcp', '--from', '/a.toml']]) {
    const { code, stdout } = await runFake(words, {
      'mcp.migrate': async ({ dryRun }) => ({
        id: 'i1',
        format: 'TOML',
        dryRun,
        servers: [],
        problems,
        notes: [],
      }),
    })
    assert.equal(code, 2)
    assert.match(stdout, /problem: \/a\.toml:1: not valid TOML/)
  }
})

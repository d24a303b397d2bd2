import assert from 'node:assert/strict'
import { test } from 'node:test'
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
}
const migrate = ['mcp', 'migrate', '--from', '/mcp.json']
const routes = (calls: readonly (readonly [string, unknown])[]) =>
  calls.map(([, input]) => (input as { readonly dryRun: boolean }).dryRun)

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
  const dry = await runFake([...migrate, '--dry-run'], answers)
  assert.deepEqual(routes(dry.calls), [true])
  assert.match(dry.stdout, /would run: sh -c/)
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

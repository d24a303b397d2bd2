import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { createDefinitions } from './create-definitions.ts'
import { openFakeDeps } from './fake-deps.ts'

const CONFIG = 'home/.cordon/config.toml'
const LOCAL = '[server]\ncommand = "node"\n'
const server = parseServerId('it')

test("a server's own limit beats that of config.toml, which beats the default", async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await deps.put(CONFIG, '[limits]\nidle = "2h"\nrestarts = 0\nmemory = "300m"\nservers = 4\n')
  await deps.put('home/.cordon/mcp/it.toml', `${LOCAL}[limits]\nidle = "never"\n`)
  const { servers, problems, maxRunning } = await definitions.load()
  assert.deepEqual(problems, [])
  assert.equal(maxRunning, 4)
  const [one] = servers
  assert.deepEqual(one?.definition.limits, {
    idleMs: { value: 0, from: 'server' },
    restarts: { value: 0, from: 'config' },
    memoryBytes: { value: 300 * 2 ** 20, from: 'config' },
  })
  assert.equal(one?.definition.sandbox.memoryLimitBytes, 300 * 2 ** 20)
})

test('a mistake under [limits] of config.toml is told with its line, and costs only that limit', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await deps.put('home/.cordon/mcp/it.toml', LOCAL)
  const path = await deps.put(
    CONFIG,
    '[models.default]\nx = 1\n[limits]\nidle = "soon"\nservers = 0\ncall_timeout = "45s"\nmemry = "1g"\n',
  )
  const { servers, problems } = await definitions.load()
  assert.deepEqual(problems, [
    { path, line: 4, message: 'limits.idle: expected a time from "10s" to "720h", or "never"' },
    { path, line: 5, message: 'limits.servers: expected a whole number from 1 to 100' },
    { path, line: 7, message: 'limits.memry: unknown field, did you mean "memory"?' },
  ])
  assert.deepEqual(servers[0]?.definition.limits, { callMs: { value: 45_000, from: 'config' } })
  await deps.put(CONFIG, '[limits\n')
  const [problem] = (await definitions.load()).problems
  assert.equal(problem?.line, 1)
  await deps.put(CONFIG, 'limits = 3\n')
  assert.match((await definitions.load()).problems[0]?.message ?? '', /^limits: expected a table$/)
})

test('a change under [limits] shows in the stamp of every server, other tables do not', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await deps.put('home/.cordon/mcp/it.toml', LOCAL)
  const before = definitions.stamp(server)
  await deps.put(CONFIG, '[models.default]\nx = 1\n')
  assert.equal(definitions.stamp(server), before)
  await deps.put(CONFIG, '[models.default]\nx = 1\n[limits]\nidle = "1h"\n')
  assert.notEqual(definitions.stamp(server), before)
})

test('an edit writes limits in one place, and "default" takes one out again', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const path = await deps.put(
    'home/.cordon/mcp/it.toml',
    `${LOCAL}[sandbox]\nmemory_limit = "300m"\n`,
  )
  const text = async (): Promise<string> => (await deps.files.read(path))?.toString() ?? ''
  await definitions.edit(server, { memoryLimit: '1g', idle: '10m', restarts: 5 })
  assert.equal(await text(), `${LOCAL}\n[limits]\nmemory = "1g"\nidle = "10m"\nrestarts = 5\n`)
  await definitions.edit(server, { memoryLimit: 'default', idle: 'default', restarts: 'default' })
  assert.doesNotMatch(await text(), /limits|memory|idle|restarts/)
  await assert.rejects(definitions.edit(server, { callTimeout: 'long' }), {
    code: 'servers.invalid',
    message: /limits\.call_timeout: expected a time from "1s" to "24h"/,
  })
})

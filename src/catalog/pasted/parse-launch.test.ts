import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Launch } from '../../ports/catalog-port.ts'
import { createCatalog } from '../create-catalog.ts'

const catalog = createCatalog()
const parseLaunch = (launch: Launch) => catalog.parseLaunch(launch)
const line = (text: string) => {
  const [command = '', ...args] = text.split(' ')
  return parseLaunch({ command, args })
}

test('every way to run a package is the same package', () => {
  for (const text of [
    'npx -y acme-tools@1.2.3 --fast',
    '/usr/local/bin/npx --yes acme-tools@1.2.3 --fast',
    'npx.cmd -y acme-tools@1.2.3 --fast',
    'cmd /c npx -y acme-tools@1.2.3 --fast',
    'bunx acme-tools@1.2.3 --fast',
    'pnpm dlx acme-tools@1.2.3 --fast',
    'yarn dlx -q acme-tools@1.2.3 --fast',
    'npm exec -- acme-tools@1.2.3 --fast',
  ]) {
    const launch = { kind: 'npm', package: 'acme-tools', version: '1.2.3', args: ['--fast'] }
    assert.deepEqual(line(text)?.launch, launch, text)
  }
})

test('a package of the catalog is the known service, with its pinned version', () => {
  const github = line('npx -y @modelcontextprotocol/server-github@latest')
  assert.equal(github?.slug, 'github')
  assert.deepEqual(github.domains, ['api.github.com'])
  assert.equal(line('npx @modelcontextprotocol/server-brave-search')?.slug, 'brave-search')
})

test('mcp-remote is the remote server; the address of a known one is that one', () => {
  const linear = line('npx -y mcp-remote@latest https://mcp.linear.app/mcp --transport http-only')
  assert.equal(linear?.slug, 'linear-remote')
  const other = line('npx mcp-remote https://mcp.example.com/sse')
  assert.deepEqual(other?.launch, {
    kind: 'remote',
    url: 'https://mcp.example.com/sse',
    transport: 'sse',
  })
  assert.equal(parseLaunch({ args: [], url: 'https://mcp.linear.app/mcp' })?.slug, 'linear-remote')
  assert.equal(parseLaunch({ args: [], url: 'https://mcp.example.com/mcp' }), undefined)
})

test('another path on the host of a known server is a stranger that wants a credential', () => {
  const service = parseLaunch({ args: [], url: 'https://mcp.linear.app/sse' })
  assert.equal(service?.origin, 'pasted')
  assert.deepEqual(
    service.credentials.map(({ required }) => required),
    [true],
  )
})

test('a line for a Python package is that package', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['uvx mcp-server-time --tz x', { package: 'mcp-server-time', args: ['--tz', 'x'] }],
    ['uvx Tiny_MCP@1.2', { package: 'tiny-mcp', version: '1.2' }],
    ['uvx --from tiny[cli]==1.2 run-it -v', { extras: ['cli'], version: '1.2', bin: 'run-it' }],
    ['pipx run --spec tiny>=1,<2 run-it', { version: '>=1,<2', bin: 'run-it' }],
    ['uv tool run x', { package: 'x', version: 'latest', args: [] }],
    ['/home/ann/.local/bin/uvx --python 3.12 x@latest', { package: 'x', version: 'latest' }],
  ]
  for (const [text, wanted] of cases) {
    assert.partialDeepStrictEqual(line(text)?.launch, { kind: 'pypi', ...wanted }, text)
  }
  for (const text of [
    'uvx --index-url https://x.example a',
    'uvx --with other a',
    'uvx --from git+https://x.example/a a',
    'uvx --from ./a a',
    'uvx https://x.example/a.whl',
    'uvx a@nonsense',
    'uvx',
  ]) {
    assert.throws(() => line(text), { code: 'catalog.not-installable' }, text)
  }
})

test('a line for a project of uv says what it waits for, and one for an image installs it', () => {
  const project = line('uv run server.py')
  assert.equal(project?.launch.kind, 'unsupported')
  assert.match(project.launch.why, /does not run projects of uv/)
  const docker = line('docker run -i --rm -e A ghcr.io/github/github-mcp-server')
  assert.partialDeepStrictEqual(docker?.launch, {
    kind: 'image',
    package: 'ghcr.io/github/github-mcp-server',
    version: 'latest',
  })
})

test('a program of this machine is started as it is', () => {
  for (const text of ['node /x.mjs', 'python3 -m server', '/opt/x/npx-tool', 'npm run serve']) {
    assert.equal(line(text), undefined, text)
  }
})

test('a line that is no package of the registry is refused', () => {
  for (const text of ['npx -y github:a/b', 'npx ./local', 'npx --registry=https://x.example a']) {
    assert.throws(() => line(text), { code: 'catalog.not-installable' }, text)
  }
})
